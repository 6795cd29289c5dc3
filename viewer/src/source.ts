// Where a run comes from: a server. The page itself is another (inside.ts), the engine in the page a third (engine.ts).

import { unpack, type Pack } from './pack';

export interface Field {
  name: string;
  kind: string;
  width: number;
  extent: 'scalar' | { fixed: number } | { ragged: string };
  unit: string;
  about: string;
}

export interface Meta {
  title: string;
  program: string;
  dimension: number;
  overrides: string[];
  scene: string;
  fields: Field[];
  names: string[];
  times: number[];
  steps: number[];
  file?: string;
  bytes?: number;
  growing?: boolean;
  /** Frames of the run, where the page has fewer. */
  whole?: number;
}

export interface Tie {
  name?: string;
  kind?: string;
  bodies: [number | null, number | null];
  anchors: [number[], number[]];
  rest_length?: number;
}

/** What one reaction can be: components along the axes of the contact, normal first. */
export interface Possible {
  bodies: [number | null, number | null];
  point: number[];
  axes: number[][];
  friction: number;
  vertices: number[][];
  unbounded: boolean;
  samples: number[][];
}

export interface Explored {
  source: string;
  quantity: string;
  time: number;
  contacts: Possible[];
}

export interface Pull {
  body: number;
  /** None where the force depends on where the body is. */
  times: number[];
  forces: number[][];
}

export interface Cast {
  error?: string;
  explored?: Explored | null;
  names: string[];
  roles: ('free' | 'fixed' | 'moved' | 'solid')[];
  masses: number[];
  materials: string[];
  colours: (string | null)[];
  laws: [[number, number], string][];
  joints: Tie[];
  springs: Tie[];
  loads: Pull[];
  supports: number[];
  cell: [number, number | null][];
  gravity: number[];
  tolerance: number;
}

export const nobody: Cast = {
  names: [], roles: [], masses: [], materials: [], colours: [], laws: [], joints: [], springs: [], loads: [],
  supports: [], cell: [], gravity: [], tolerance: 0,
};

export interface Grown {
  frames: number;
  growing: boolean;
  times: number[];
  steps: number[];
}

export type Value = { values: number[]; unit: string; about: string };

export interface Source {
  name: string;
  /** Whether numbers of items are those of the file to the last bit. */
  exact: boolean;
  meta(): Promise<Meta>;
  cast(): Promise<Cast>;
  geometry(): Promise<Pack>;
  frame(at: number, fields: string[]): Promise<Pack>;
  series(name: string): Promise<Float64Array>;
  history(field: string, item: number): Promise<Pack>;
  pair(a: number, b: number): Promise<Pack>;
  /** Forces of all contacts on a body. */
  resultant(body: number): Promise<Pack>;
  values?(at: number, group: string, item: number): Promise<Record<string, Value>>;
  grown?(from: number): Promise<Grown>;
}

/** What the server refused, in its words. */
async function asked(url: string): Promise<Response> {
  let reply: Response;
  try {
    reply = await fetch(url);
  } catch {
    throw new Error('The server has ended: start “delassus view” again.');
  }
  if (!reply.ok) {
    const told = await reply.json().catch(() => ({}));
    throw new Error(told.error ?? `${url}: ${reply.status}`);
  }
  return reply;
}

export class HttpSource implements Source {
  exact = true;
  constructor(readonly name: string, private readonly base: string) {}

  private json<T>(what: string): Promise<T> {
    return asked(`${this.base}/${what}`).then((r) => r.json());
  }
  private async pack(what: string): Promise<Pack> {
    return unpack(await (await asked(`${this.base}/${what}`)).arrayBuffer());
  }
  meta() { return this.json<Meta>('meta'); }
  cast() { return this.json<Cast>('cast'); }
  geometry() { return this.pack('geometry'); }
  frame(at: number, fields: string[]) { return this.pack(`frame?at=${at}&fields=${fields.join(',')}`); }
  async series(name: string) {
    const values = (await this.pack(`series?name=${encodeURIComponent(name)}`)).arrays.get('values')!;
    return Float64Array.from(values.data as Float64Array);
  }
  history(field: string, item: number) { return this.pack(`history?field=${field}&item=${item}&most=400`); }
  pair(a: number, b: number) { return this.pack(`pair?a=${a}&b=${b}&most=400`); }
  resultant(body: number) { return this.pack(`resultant?body=${body}&most=400`); }
  values(at: number, group: string, item: number) {
    return this.json<Record<string, Value>>(`values?at=${at}&group=${group}&item=${item}`);
  }
  grown(from: number) { return this.json<Grown>(`status?from=${from}`); }
}
