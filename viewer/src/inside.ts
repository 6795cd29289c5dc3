// A run that came with the page: its few frames are all here, so that histories are made of them.

import { letters, unpack, type Column, type Pack } from './pack';
import { numbers } from './reel';
import type { Cast, Meta, Source } from './source';

export interface Inside {
  meta: Meta;
  cast: Cast;
  geometry: string;
  frames: string[];
  /** JSON has no word for what is not a number. */
  series: Record<string, (number | null)[]>;
}

export class InsideSource implements Source {
  exact = false;
  constructor(readonly name: string, private readonly run: Inside) {}
  async meta() { return this.run.meta; }
  async cast() { return this.run.cast; }
  async geometry() { return unpack(letters(this.run.geometry)); }
  async frame(at: number) { return unpack(letters(this.run.frames[at])); }
  async series(name: string) { return Float64Array.from(this.run.series[name] ?? [], (x) => x ?? NaN); }

  async history(field: string, item: number) {
    return this.each((pack) => {
      const column = pack.arrays.get(field);
      const [all, width] = [numbers(column), column?.width ?? 1];
      return Array.from({ length: width }, (_, k) => all[width * item + k] ?? NaN);
    });
  }

  /** As the command sums them: normal, tangential, number of contacts. */
  async pair(a: number, b: number) {
    return this.each((pack) => {
      const sums = [0, 0, 0];
      for (const { bodies: [p, q], force, normal } of contacts(pack)) {
        if (!((p === a && q === b) || (p === b && q === a))) continue;
        const along = force.reduce((sum, f, k) => sum + f * normal[k], 0);
        sums[0] += along;
        sums[1] += Math.hypot(...force.map((f, k) => f - along * normal[k]));
        sums[2] += 1;
      }
      return sums;
    });
  }

  async resultant(body: number) {
    return this.each((pack) => {
      const sum = Array.from({ length: this.run.meta.dimension }, () => 0);
      for (const { bodies: [p, q], force } of contacts(pack)) {
        if (p === body || q === body) force.forEach((f, k) => { sum[k] += p === body ? f : -f; });
      }
      return sum;
    });
  }

  private async each(of: (pack: Pack) => number[]): Promise<Pack> {
    const rows: number[][] = [];
    for (let k = 0; k < this.run.frames.length; k++) rows.push(of(await this.frame(k)));
    const column = (data: Column['data'], width: number): Column => ({ data, width, count: rows.length });
    return { head: {}, arrays: new Map([
      ['frames', column(Uint32Array.from(rows.keys()), 1)],
      ['values', column(Float64Array.from(rows.flat()), rows[0]?.length ?? 1)],
    ]) };
  }
}

function* contacts(pack: Pack): Generator<{ bodies: [number, number]; force: number[]; normal: number[] }> {
  const [of, force, normal] = ['bodies', 'force', 'normal'].map((n) => pack.arrays.get(`contacts/${n}`));
  if (!of || !force || !normal) return;
  const [b, f, n, d] = [numbers(of), numbers(force), numbers(normal), force.width];
  const row = (x: ArrayLike<number>, i: number) => Array.from({ length: d }, (_, k) => x[d * i + k]);
  for (let i = 0; i < of.count; i++) yield { bodies: [b[2 * i], b[2 * i + 1]], force: row(f, i), normal: row(n, i) };
}
