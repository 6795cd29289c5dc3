// What wasm-bindgen writes; crates/delassus-web/src/bridge.rs.

export default function init(options: { module_or_path: URL }): Promise<unknown>;
export function check_scene(text: string): string;
export function scenes(): string;
export function schema(): string;
export class Engine {
  constructor(text: string);
  free(): void;
  advance(steps: number): string;
  status(): string;
  hash(): string;
  meta(): string;
  cast(): string;
  geometry(): Uint8Array;
  frame(at: number, fields: string): Uint8Array;
  series(name: string): Uint8Array;
  history(field: string, item: number): Uint8Array;
  pair(a: number, b: number): Uint8Array;
  resultant(body: number): Uint8Array;
  values(at: number, group: string, item: number): string;
  explore(): string;
}
