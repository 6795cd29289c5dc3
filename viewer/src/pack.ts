// Packs of arrays, as crates/delassus-view/src/pack.rs writes them.

export type Numbers = Float64Array | Float32Array | Uint32Array | Int32Array | Uint8Array | BigUint64Array;

export interface Column {
  data: Numbers;
  width: number;
  count: number;
}

export interface Pack {
  head: Record<string, unknown>;
  arrays: Map<string, Column>;
}

const kinds: Record<string, { new (b: ArrayBuffer, o: number, n: number): Numbers }> = {
  float64: Float64Array,
  float32: Float32Array,
  uint64: BigUint64Array,
  uint32: Uint32Array,
  int32: Int32Array,
  uint8: Uint8Array,
};

interface Described {
  name: string;
  kind: string;
  width: number;
  count: number;
  start: number;
}

export function unpack(buffer: ArrayBuffer): Pack {
  const length = new DataView(buffer).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, length)));
  const arrays = new Map<string, Column>();
  for (const a of head.arrays as Described[]) {
    const data = new kinds[a.kind](buffer, 8 + length + a.start, a.width * a.count);
    arrays.set(a.name, { data, width: a.width, count: a.count });
  }
  return { head, arrays };
}

/** Letters of base64 as bytes. */
export function letters(text: string): ArrayBuffer {
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return bytes.buffer;
}
