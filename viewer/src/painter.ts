// Which colour a body has, and a node: its own, or that of a number.

import { Color } from 'three';
import { neutral, nothing, palette, parsed, ramp } from './colours';
import { measured, type Measure, type Options } from './options';
import type { Column, Pack } from './pack';
import { numbers, type Reel } from './reel';
import type { Solid } from './solids';
import type { Cast } from './source';

interface Painted { paint(colour: (body: number) => Color): void }

export class Painter {
  range: [number, number] = [Infinity, -Infinity];
  /** Whether some number of the frame is none. */
  missing = false;
  /** Material of each body, by place among `names`. */
  private readonly materials: Uint32Array;
  private readonly names: string[];
  /** Place among the materials of the scene, and colour where one is given, by place among `names`. */
  private known: { place: number; given: Color | null }[] = [];
  private cast: Cast | null = null;
  /** What was painted last, where no number colours it: it stays as it is from frame to frame. */
  private last: { key: string; bodies: Painted[] } | null = null;

  constructor(private readonly reel: Reel, private readonly options: Options, private readonly measures: Measure[]) {
    this.names = (reel.geometry.head.materials as string[]) ?? [];
    const { shapes } = reel.shapes();
    let bodies = 0;
    for (let i = 0; i < shapes.length; i += 3) bodies = Math.max(bodies, shapes[i] + 1);
    this.materials = new Uint32Array(bodies);
    for (let i = 0; i < shapes.length; i += 3) this.materials[shapes[i]] = shapes[i + 2];
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
    this.look();
    this.missing = false;
    if (!measure) {
      const key = `${this.options.colour} ${neutral.fixed.getHex()}`;
      if (this.last?.key === key && this.last.bodies.length === bodies.length && this.last.bodies.every((b, i) => b === bodies[i])) return;
      for (const o of bodies) o.paint((b) => this.plain(b, colour));
      for (const s of solids) s.paint(null, [0, 1], this.plain(s.body, colour).clone());
      this.last = { key, bodies };
      return;
    }
    this.last = null;
    const of = (name: string | null) => (name ? pack.arrays.get(name) : undefined);
    const other = this.twin(measure, solids.length > 0);
    const rigid = of(measure.group === 'bodies' ? measure.field : other);
    const nodes = of(measure.group === 'nodes' ? measure.field : other);
    if (this.options.perFrame) this.range = [Infinity, -Infinity];
    const [low, high] = this.extend(measure, rigid, nodes);
    const span = Math.max(high - low, 1e-300);
    const shade = (v: number) => (Number.isFinite(v) ? ramp((v - low) / span, colour) : colour.copy(nothing));
    for (const o of bodies) {
      o.paint((b) => {
        if (!rigid || this.reel.role(b) === 'fixed') return this.plain(b, colour);
        return shade(measured(numbers(rigid), rigid.width, b, measure.component));
      });
    }
    for (const s of solids) {
      const value = nodes ? (n: number) => measured(numbers(nodes), nodes.width, n, measure.component) : null;
      s.paint(value, [low, high], this.plain(s.body, colour).clone());
    }
  }

  /** Takes the numbers of a frame into the range. */
  widen(pack: Pack, solid: boolean): void {
    const measure = this.measure();
    if (!measure || this.options.perFrame) return;
    const [of, other] = [(name: string | null) => (name ? pack.arrays.get(name) : undefined), this.twin(measure, solid)];
    const missing = this.missing;
    this.extend(measure, of(measure.group === 'bodies' ? measure.field : other), of(measure.group === 'nodes' ? measure.field : other));
    this.missing = missing;
  }

  private extend(measure: Measure, rigid: Column | undefined, nodes: Column | undefined): [number, number] {
    let [low, high] = this.range;
    for (const c of [rigid, nodes]) {
      if (!c) continue;
      const data = numbers(c);
      for (let i = 0; i < c.count; i++) {
        if (c === rigid && this.reel.role(i) === 'fixed') continue;
        const v = measured(data, c.width, i, measure.component);
        if (!Number.isFinite(v)) { this.missing = true; continue; }
        if (v < low) low = v;
        if (v > high) high = v;
      }
    }
    if (measure.component === -1 && low > 0) low = 0;
    this.range = [low, high];
    return this.range;
  }

  /** Materials are looked up once: there may be a million bodies. */
  private look(): void {
    const { cast } = this.reel;
    if (this.cast === cast) return;
    [this.cast, this.last] = [cast, null];
    this.known = this.names.map((name) => {
      const place = cast.materials.indexOf(name);
      return { place, given: parsed(cast.colours[place]) };
    });
  }

  /** Materials of what is free, each with its colour. */
  keys(): [Color, string][] {
    this.look();
    const seen = new Map<number, Color>();
    this.materials.forEach((m, body) => {
      if (!seen.has(m) && this.reel.role(body) !== 'fixed') seen.set(m, this.plain(body, new Color()));
    });
    return [...seen].sort(([a], [b]) => a - b).map(([m, colour]) => [colour, this.names[m] ?? '']);
  }

  /** The colour of a body that no number colours. */
  private plain(body: number, out: Color): Color {
    const role = this.reel.role(body);
    const { place, given } = this.known[this.materials[body]] ?? { place: 0, given: null };
    if (given) return out.copy(given);
    if (role === 'fixed') return out.copy(neutral.fixed);
    if (role === 'moved') return out.copy(neutral.moved);
    return out.copy(palette[(this.options.colour === 'body' ? body : Math.max(place, 0)) % palette.length]);
  }
}
