// Which colour a body has, and a node: its own, or that of a number.

import { Color } from 'three';
import { neutral, palette, parsed, ramp } from './colours';
import { measured, type Measure, type Options } from './options';
import type { Pack } from './pack';
import { numbers, type Reel } from './reel';
import type { Solid } from './solids';
import type { Cast } from './source';

interface Painted { paint(colour: (body: number) => Color): void }

export class Painter {
  range: [number, number] = [Infinity, -Infinity];
  private readonly materials = new Map<number, string>();
  /** Place among the materials of the scene, and colour where one is given, by name. */
  private known = new Map<string, { place: number; given: Color | null }>();
  private cast: Cast | null = null;

  constructor(private readonly reel: Reel, private readonly options: Options, private readonly measures: Measure[]) {
    const names = (reel.geometry.head.materials as string[]) ?? [];
    const { shapes } = reel.shapes();
    for (let i = 0; i < shapes.length; i += 3) this.materials.set(shapes[i], names[shapes[i + 2]] ?? '');
  }

  measure(): Measure | undefined {
    return this.measures.find((m) => m.id === this.options.colour);
  }

  /** Where bodies and solids both have it, a velocity colours both. */
  twin(measure: Measure | undefined, solid: boolean): string | null {
    if (measure?.field === 'bodies/velocity') return solid ? 'nodes/velocity' : null;
    if (measure?.field === 'nodes/velocity') return 'bodies/velocity';
    return null;
  }

  paint(pack: Pack, bodies: Painted[], solids: Solid[]): void {
    const measure = this.measure();
    const colour = new Color();
    if (!measure) {
      for (const o of bodies) o.paint((b) => this.plain(b, colour));
      for (const s of solids) s.paint(null, [0, 1], this.plain(s.body, colour).clone());
      return;
    }
    const of = (name: string | null) => (name ? pack.arrays.get(name) : undefined);
    const other = this.twin(measure, solids.length > 0);
    const rigid = of(measure.group === 'bodies' ? measure.field : other);
    const nodes = of(measure.group === 'nodes' ? measure.field : other);
    let [low, high] = this.options.perFrame ? [Infinity, -Infinity] : this.range;
    for (const c of [rigid, nodes]) {
      if (!c) continue;
      const data = numbers(c);
      for (let i = 0; i < c.count; i++) {
        if (c === rigid && this.reel.role(i) === 'fixed') continue;
        const v = measured(data, c.width, i, measure.component);
        if (v < low) low = v;
        if (v > high) high = v;
      }
    }
    if (measure.component === -1 && low > 0) low = 0;
    this.range = [low, high];
    const span = Math.max(high - low, 1e-300);
    for (const o of bodies) {
      o.paint((b) => {
        if (!rigid || this.reel.role(b) === 'fixed') return this.plain(b, colour);
        return ramp((measured(numbers(rigid), rigid.width, b, measure.component) - low) / span, colour);
      });
    }
    for (const s of solids) {
      const value = nodes ? (n: number) => measured(numbers(nodes), nodes.width, n, measure.component) : null;
      s.paint(value, [low, high], this.plain(s.body, colour).clone());
    }
  }

  /** Looked up once: there may be a million bodies. */
  private material(name: string): { place: number; given: Color | null } {
    const { cast } = this.reel;
    if (this.cast !== cast) [this.cast, this.known] = [cast, new Map()];
    let found = this.known.get(name);
    if (!found) {
      const place = cast.materials.indexOf(name);
      found = { place, given: parsed(cast.colours[place]) };
      this.known.set(name, found);
    }
    return found;
  }

  /** The colour of a body that no number colours. */
  private plain(body: number, out: Color): Color {
    const role = this.reel.role(body);
    const { place: material, given } = this.material(this.materials.get(body) ?? '');
    if (given) return out.copy(given);
    if (role === 'fixed') return out.copy(neutral.fixed);
    if (role === 'moved') return out.copy(neutral.moved);
    const place = this.options.colour === 'body' ? body : Math.max(material, 0);
    return out.copy(palette[place % palette.length]);
  }
}
