// A run as the page holds it: what does not change, and a few frames at a time.

import type { Column, Pack } from './pack';
import { nobody, type Cast, type Field, type Meta, type Source } from './source';

/** Bytes of frames that are kept. */
const KEPT = 256 << 20;

export class Reel {
  readonly meta: Meta;
  cast: Cast = nobody;
  /** Where the run stops making sense, in words. */
  problem = '';
  private readonly kept = new Map<string, { pack: Pack; bytes: number }>();
  private readonly asked = new Map<string, Promise<Pack>>();
  private readonly lines = new Map<string, Promise<Float64Array>>();
  private bytes = 0;

  constructor(readonly source: Source, meta: Meta, readonly geometry: Pack) {
    this.meta = meta;
  }

  static async open(source: Source): Promise<Reel> {
    const [meta, geometry] = await Promise.all([source.meta(), source.geometry()]);
    return new Reel(source, meta, geometry);
  }

  /** Bytes of frames that are kept now. */
  get held(): number { return this.bytes; }
  get frames(): number { return this.meta.times.length; }
  get dimension(): number { return this.meta.dimension; }

  field(name: string): Field | undefined {
    return this.meta.fields.find((f) => f.name === name);
  }

  /** Fields of a group with an item for each body, node or contact. */
  group(name: string): Field[] {
    return this.meta.fields.filter((f) => f.name.startsWith(`${name}/`) && f.extent !== 'scalar');
  }

  scalars(): Field[] {
    return this.meta.fields.filter((f) => f.extent === 'scalar' && !f.name.startsWith('restart/'));
  }

  /** The frame at or before a time. */
  at(time: number): number {
    const t = this.meta.times;
    let [low, high] = [0, t.length - 1];
    const slack = 1e-9 * Math.abs(t[high] - t[0]);
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (t[middle] <= time + slack) low = middle; else high = middle - 1;
    }
    return low;
  }

  /** Fields of a frame, from memory where they are there. */
  async frame(at: number, fields: string[]): Promise<Pack> {
    const known = fields.filter((f) => this.field(f));
    const key = `${at}:${known.join()}`;
    const here = this.kept.get(key);
    if (here) {
      // The last one used is the last to go.
      this.kept.delete(key);
      this.kept.set(key, here);
      return here.pack;
    }
    const under = this.asked.get(key);
    if (under) return under;
    const coming = this.source.frame(at, known).then((pack) => this.keep(key, pack));
    this.asked.set(key, coming);
    coming.catch(() => undefined).finally(() => this.asked.delete(key));
    return coming;
  }

  private keep(key: string, pack: Pack): Pack {
    let bytes = 0;
    for (const c of pack.arrays.values()) bytes += c.data.byteLength;
    this.kept.set(key, { pack, bytes });
    this.bytes += bytes;
    for (const [old, { bytes }] of this.kept) {
      if (this.bytes <= KEPT || old === key) break;
      this.kept.delete(old);
      this.bytes -= bytes;
    }
    return pack;
  }

  /** A number of each frame. */
  series(name: string): Promise<Float64Array> {
    let line = this.lines.get(name);
    if (!line) {
      line = this.source.series(name);
      line.catch(() => this.lines.delete(name));
      this.lines.set(name, line);
    }
    return line;
  }

  /** Takes over frames that came since. */
  grow(times: number[], steps: number[]): void {
    this.meta.times.push(...times);
    this.meta.steps.push(...steps);
    this.lines.clear();
  }

  /** Takes over all frames again: some may have been left out. */
  replace(times: number[], steps: number[]): void {
    if (times.length < this.meta.times.length) {
      this.kept.clear();
      this.bytes = 0;
    }
    [this.meta.times, this.meta.steps] = [times, steps];
    this.lines.clear();
  }

  name(body: number): string {
    return this.cast.names[body] || this.meta.names[body] || `body ${body}`;
  }

  role(body: number): string {
    return this.cast.roles[body] ?? 'free';
  }

  material(body: number): string {
    const { shapes } = this.shapes();
    const materials = (this.geometry.head.materials as string[]) ?? [];
    for (let i = 0; i < shapes.length; i += 3) if (shapes[i] === body) return materials[shapes[i + 2]] ?? '';
    return '';
  }

  shapes(): { shapes: Uint32Array; scales: Float32Array } {
    return {
      shapes: this.geometry.arrays.get('shapes')!.data as Uint32Array,
      scales: this.geometry.arrays.get('scales')!.data as Float32Array,
    };
  }

  /** The law between two bodies, as the scene has it. */
  law(a: number, b: number): string {
    const at = [a, b].map((x) => this.cast.materials.indexOf(this.material(x)));
    const law = this.cast.laws.find(([p]) => (p[0] === at[0] && p[1] === at[1]) || (p[0] === at[1] && p[1] === at[0]));
    return law ? plain(law[1]) : '';
  }
}

/** A law without what it does not have. */
function plain(law: string): string {
  return law
    .replace(/^Skin \{ law: (.*), thickness: [^,}]*\}$/, '$1')
    .replace(/^Interaction /, '')
    .replace(/,? ?\w+: None/g, '')
    .replace(/,? ?\w+: 0\.0(?=[,\s}])/g, '')
    .replace(/,? ?\w+: \[0\.0(, 0\.0)*\]/g, '')
    .replace(/[{}]/g, ' ')
    .replace(/\s+/g, ' ')
    .replace(/ ,/g, ',')
    .replace(/friction: (\w+) mu: /, '$1 friction, μ = ')
    .trim();
}

/** The numbers of a column as JavaScript has them. */
export function numbers(column: Column | undefined): ArrayLike<number> {
  return (column?.data as unknown as ArrayLike<number>) ?? [];
}
