// One run in three dimensions: what is drawn of a frame, from where, and what is under the pointer.

import { Box3, Color, Group, Plane, Scene, Vector3, Vector4, WebGLRenderer } from 'three';
import { MANY } from './balls';
import { boundsOf } from './bounds';
import type { Blocks } from './blocks';
import { neutral } from './colours';
import { Eye } from './eye';
import { Halo } from './halo';
import { Light } from './light';
import { Painter } from './painter';
import { drawSets } from './sets';
import { arrow, drawForces, drawTies, type Placed } from './marks';
import { measures, type Measure, type Options, type Picked } from './options';
import { outlines, type Outline } from './outline';
import type { Pack } from './pack';
import { pickBody, pickContact } from './pick';
import { numbers, type Reel } from './reel';
import { Props } from './props';
import { Strokes } from './strokes';
import { Track } from './track';

/** Edges of what is free, in the light and in the dark. */
const EDGE = new Color('#10141b');
/** Bodies beyond which none casts a shadow. */
const SHADED = 5000;

export class Stage {
  readonly renderer: WebGLRenderer;
  readonly scene = new Scene();
  readonly eye: Eye;
  readonly measures: Measure[];
  private readonly painter: Painter;
  readonly plane: boolean;
  /** Extremes of what is coloured, over the frames that were shown. */
  range: [number, number] = [Infinity, -Infinity];
  /** Whether some number that colours is none. */
  missing = false;
  /** Largest force of this frame, and the one that widths are measured by: that of a run beside may be larger. */
  private largest = 0;
  private beside = 0;
  frame = -1;
  picked: Picked | null = null;
  follow = false;
  private readonly shapes: Outline[];
  private props = Props.none;
  private readonly forces: Strokes;
  private readonly ties: Strokes;
  private readonly trail: Strokes;
  private readonly halo: Halo;
  private readonly sets: Strokes;
  private readonly hand: Strokes;
  private pack: Pack | null = null;
  private readonly light: Light;
  private ink = new Color('#20242c');
  private trailed: { body: number; points: Float64Array; width: number } | null = null;
  private size = 1;
  private box = new Box3();
  private fitted = false;
  private lowest = 0;
  /** Where sets of reactions reach, of the frame that is shown. */
  private reached = new Box3();
  private before: Vector3 | null = null;
  private readonly tracker: Track;

  constructor(readonly reel: Reel, readonly canvas: HTMLCanvasElement, readonly options: Options) {
    this.plane = reel.dimension === 2;
    // Several samples for each pixel cost more than they show where bodies are many and small.
    const antialias = reel.shapes().shapes.length / 3 < MANY;
    this.renderer = new WebGLRenderer({ canvas, antialias, powerPreference: 'high-performance' });
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.eye = new Eye(canvas, this.plane);
    this.light = new Light(this.scene, this.renderer, !this.plane && reel.shapes().shapes.length / 3 < SHADED);
    this.forces = new Strokes(this.plane, true, 20);
    this.ties = new Strokes(this.plane, true, 15);
    this.trail = new Strokes(this.plane, true, 14);
    this.halo = new Halo(this.plane);
    this.sets = new Strokes(this.plane, true, 30);
    this.hand = new Strokes(this.plane, true, 35);
    for (const s of [this.ties, this.trail, this.forces, this.halo.strokes, this.sets, this.hand]) this.scene.add(s.mesh);
    this.measures = measures(reel.meta.fields);
    this.painter = new Painter(reel, options, this.measures);
    this.tracker = new Track(reel, this.plane);
    this.shapes = outlines(reel.geometry, reel.dimension);
    this.build();
  }

  get camera(): Eye['camera'] { return this.eye.camera; }
  get controls(): Eye['controls'] { return this.eye.controls; }

  /** A length that things drawn are measured by. */
  get extent(): number { return this.size; }

  /** Whether this is the frame that was explored. */
  get explored(): boolean {
    const { explored } = this.reel.cast;
    return !!explored && this.reel.at(explored.time) === this.frame;
  }

  get isSolid(): boolean { return this.props.solids.length > 0; }

  /** Bodies by their outline; made again when roles are known. */
  build(): void {
    this.props.dispose();
    this.scene.remove(this.props.group);
    this.props = new Props(this.reel, this.shapes, this.plane);
    this.scene.add(this.props.group);
    if (this.pack) this.draw();
  }

  /** Fields that the picture needs now. */
  wanted(): string[] {
    const all = ['bodies/position', 'bodies/orientation'];
    if (this.isSolid) all.push('nodes/displacement');
    if (this.options.forces !== 'off' || this.options.contacts || this.picked?.kind === 'contact') {
      all.push('contacts/bodies', 'contacts/point', 'contacts/force', 'contacts/status');
    }
    all.push(...this.colouring());
    return [...new Set(all)].filter((f) => this.reel.field(f));
  }

  measure(): Measure | undefined { return this.painter.measure(); }

  show(pack: Pack, frame: number): void {
    const place = (b: number) => this.position(b);
    this.tracker.keep(this.picked, this.pack, place);
    [this.pack, this.frame] = [this.gathered(pack), frame];
    this.tracker.find(this.picked, this.pack, place);
    this.draw();
  }

  /** Bodies leave a periodic cell for ever; pictures show it. */
  private gathered(pack: Pack): Pack {
    const { cell } = this.reel.cast;
    if (cell.length === 0) return pack;
    const arrays = new Map(pack.arrays);
    for (const name of ['bodies/position', 'contacts/point']) {
      const column = arrays.get(name);
      if (!column) continue;
      const data = Float32Array.from(numbers(column) as ArrayLike<number>);
      for (let i = 0; i < column.count; i++) {
        if (name === 'bodies/position' && this.reel.role(i) !== 'free') continue;
        cell.forEach(([corner, period], k) => {
          if (period) data[column.width * i + k] -= Math.floor((data[column.width * i + k] - corner) / period) * period;
        });
      }
      arrays.set(name, { ...column, data });
    }
    return { head: pack.head, arrays };
  }

  get current(): Pack | null { return this.pack; }

  position(body: number): Vector3 | null {
    const p = this.pack?.arrays.get('bodies/position');
    const solid = this.props.solids.length > 0 ? this.props.solids.find((s) => s.body === body) : undefined;
    if (solid) {
      solid.mesh.geometry.computeBoundingSphere();
      return solid.mesh.geometry.boundingSphere!.center.clone();
    }
    if (!p || body >= p.count) return null;
    const x = numbers(p);
    return new Vector3(x[p.width * body], x[p.width * body + 1], this.plane ? 0 : x[p.width * body + 2]);
  }

  draw(): void {
    if (!this.pack) return;
    const { options, pack } = this;
    const style = getComputedStyle(document.documentElement);
    this.scene.background = new Color(style.getPropertyValue('--stage').trim() || '#f5f6f8');
    this.ink.set(style.getPropertyValue('--ink').trim() || '#20242c');
    neutral.fixed.set(style.getPropertyValue('--fixed').trim() || '#aab2bf');
    const [x, q] = [numbers(pack.arrays.get('bodies/position')), numbers(pack.arrays.get('bodies/orientation'))];
    const u = numbers(pack.arrays.get('nodes/displacement'));
    for (const o of this.props.rigid) o.place(x, q);
    for (const s of this.props.solids) {
      s.place(u, options.enlarged);
      s.wire.visible = options.edges && !s.beams;
      s.rest.visible = options.rest;
    }
    this.paint();
    // Bodies fade behind the network; in space they would hide it.
    const ghost = options.forces !== 'off' && options.opacity === 1 ? (this.plane ? 0.45 : 0.22) : options.opacity;
    const fixedOf = (o: { bodies: Uint32Array }) => this.reel.role(o.bodies[0]) !== 'free';
    for (const b of this.props.balls) b.fade(fixedOf(b) ? options.fixedOpacity : ghost);
    for (const b of this.props.blocks) {
      // Walls in space would hide what they hold.
      const wall = this.plane || this.isFloor(b) ? options.fixedOpacity : 0.14 * options.fixedOpacity;
      b.fade(b.fixed ? wall : ghost, b.fixed || !b.mesh || this.measure() ? this.ink : EDGE);
      if (b.lines) b.lines.visible = options.edges || !b.mesh;
    }
    for (const o of this.props.heaps) {
      o.fade(ghost, this.measure() ? this.ink : EDGE);
      o.lines.visible = options.edges;
    }
    for (const s of this.props.solids) s.fade(ghost, this.ink);
    if (!this.fitted) { this.fit(); this.fitted = true; }
    const placed: Placed = {
      reel: this.reel, pack, plane: this.plane, size: this.size, options, ink: this.ink, points: this.props.points,
      place: (b) => this.position(b), reach: (b) => this.props.reach[b] ?? 0, beside: this.beside,
    };
    this.largest = drawForces(this.forces, placed);
    drawTies(this.ties, placed, this.reel.meta.times[this.frame] ?? 0);
    this.reached = drawSets(this.sets, this.explored && options.sets ? this.reel.cast.explored : null, this.size);
    this.drawTrail();
    this.section();
    this.mirror();
    this.light.shade(this.box, options.shadows);
    this.track();
  }

  /** Whether what stands lies below what moves, or is a slab that some of it may lie on: seen from above it hides nothing. */
  private isFloor(blocks: Blocks): boolean {
    if (this.box.isEmpty()) this.box = this.bounds();
    const tall = Math.max(this.box.max.z - this.lowest, 0);
    const { half } = blocks.outline;
    const slab = 3 * half[2] <= Math.min(half[0], half[1]);
    const highest = this.lowest + (slab ? 0.5 : 0.15) * tall;
    return blocks.bodies.every((b) => (this.position(b)?.z ?? 0) + blocks.outline.height <= highest);
  }

  private paint(): void {
    this.painter.paint(this.pack!, this.props.rigid, this.props.solids);
    [this.range, this.missing] = [this.painter.range, this.painter.missing];
  }

  /** Materials of what is free, each with its colour. */
  materials(): [Color, string][] { return this.painter.keys(); }

  /** Extremes that colours mean, those of frames that were not shown among them. */
  get known(): [number, number] { return this.painter.range; }

  get strongest(): number { return Math.max(this.largest, this.beside); }

  /** Colours and widths by the extremes of several runs. */
  static level(stages: Stage[], perFrame: boolean): void {
    const drawn = stages.filter((s) => s.frame >= 0);
    if (drawn.length < 2) return;
    const [low, high] = [Math.min(...drawn.map((s) => s.range[0])), Math.max(...drawn.map((s) => s.range[1]))];
    const most = Math.max(...drawn.map((s) => s.largest));
    for (const s of drawn) {
      const coloured = !perFrame && Number.isFinite(s.range[0]) && (s.range[0] !== low || s.range[1] !== high);
      const other = s.beside;
      s.beside = most;
      if (coloured) s.painter.range = [low, high];
      if (coloured || Math.max(other, s.largest) !== s.strongest) s.draw();
    }
  }

  /** Extremes of what is coloured begin anew. */
  forget(): void { this.painter.range = [Infinity, -Infinity]; }

  /** Takes a frame that is not shown into the extremes, so that colours mean the same in all of them. */
  widen(pack: Pack): void { this.painter.widen(pack, this.isSolid); }

  /** Fields that colour, of bodies and of nodes. */
  colouring(): string[] {
    const measure = this.measure();
    const twin = this.painter.twin(measure, this.isSolid);
    return measure ? [measure.field, ...(twin ? [twin] : [])].filter((f) => this.reel.field(f)) : [];
  }

  /** Whether bodies may cast shadows. */
  get shades(): boolean { return this.light.shades; }

  /** All of the run, from where it was seen first. */
  home(): void {
    this.fitted = false;
    this.fit();
    this.fitted = true;
  }

  /** The path of a body: places of its centre in many frames. */
  setTrail(body: number, points: Float64Array | null, width: number): void {
    this.trailed = points ? { body, points, width } : null;
  }

  private drawTrail(): void {
    this.trail.clear();
    if (this.trailed && this.options.trail) {
      const { points, width } = this.trailed;
      const colour = new Color('#e0572f');
      const at = (i: number) => [points[width * i], points[width * i + 1], width > 2 ? points[width * i + 2] : 0];
      for (let i = 1; i < points.length / width; i++) this.trail.add(at(i - 1), at(i), 0.004 * this.size, colour);
    }
    this.trail.done();
  }

  /** An arrow from a body to a place of the canvas: a force that is being chosen. */
  pull(to: { body: number; x: number; y: number } | null): void {
    this.hand.clear();
    const from = to ? this.position(to.body) : null;
    if (to && from) {
      const { clientWidth: w, clientHeight: h } = this.canvas;
      // As far from the eye as the body is.
      const depth = from.clone().project(this.camera).z;
      const tip = new Vector3((2 * to.x) / w - 1, 1 - (2 * to.y) / h, depth).unproject(this.camera);
      if (this.plane) tip.z = 0;
      arrow(this.hand, from.toArray(), tip.toArray(), 0.006 * this.size, new Color('#d6336c'));
    }
    this.hand.done();
  }

  private section(): void {
    const { section, place } = this.options;
    const cut = new Vector4(0, 0, 0, 1);
    this.renderer.clippingPlanes = [];
    if (section !== 'off') {
      const k = 'xyz'.indexOf(section);
      const n = new Vector3().setComponent(k, 1);
      const at = this.box.min.getComponent(k) + place * (this.box.max.getComponent(k) - this.box.min.getComponent(k));
      cut.set(n.x, n.y, n.z, at);
      this.renderer.clippingPlanes = [new Plane(n.clone().negate(), at)];
    }
    for (const o of [...this.props.rigid, this.forces, this.ties, this.trail]) o.cut(cut);
  }

  /** Half a model, and the other half of it. */
  private twinGroup: Group | null = null;
  private mirror(): void {
    if (this.twinGroup) { this.scene.remove(this.twinGroup); this.twinGroup = null; }
    const { mirror } = this.options;
    if (mirror === 'off') return;
    this.twinGroup = new Group();
    const k = 'xyz'.indexOf(mirror);
    this.twinGroup.scale.setComponent(k, -1);
    for (const s of this.props.solids) {
      for (const o of [s.mesh, s.wire, ...(s.beams ? [s.beams.mesh] : [])]) {
        const copy = o.clone();
        copy.visible = o.visible;
        this.twinGroup.add(copy);
      }
    }
    this.scene.add(this.twinGroup);
  }

  /** Looks at the whole run: where its bodies are in some other frames counts too. */
  refit(others: Pack[]): void {
    this.travelled = others;
    this.fitted = false;
    if (this.pack) { this.fit(); this.fitted = true; this.draw(); }
  }

  private travelled: Pack[] = [];

  private bounds(): Box3 {
    const { box, lowest } = boundsOf({
      reel: this.reel, shapes: this.shapes, solids: this.props.solids, plane: this.plane, travelled: this.travelled,
      places: this.pack?.arrays.get('bodies/position'), reach: (b) => this.props.reach[b] ?? 0,
    });
    this.lowest = lowest;
    box.union(this.reached);
    const k = 'xyz'.indexOf(this.options.mirror);
    if (k >= 0) {
      const [low, high] = [box.min.getComponent(k), box.max.getComponent(k)];
      box.min.setComponent(k, Math.min(low, -high));
      box.max.setComponent(k, Math.max(high, -low));
    }
    return box;
  }

  /** What is looked at where nothing is picked. */
  get whole(): Box3 { return this.box; }

  fit(around?: Box3): void {
    this.box = this.bounds();
    if (!this.fitted) this.size = Math.max(this.box.getSize(new Vector3()).length(), 2e-9);
    this.eye.fit(around ?? this.box, this.size, !this.fitted);
  }

  zoomToPicked(): void {
    const p = this.picked;
    if (!p) return this.fit();
    const at = p.kind === 'body' ? this.position(p.body) : new Vector3(p.point[0], p.point[1], p.point[2] ?? 0);
    const r = p.kind === 'body' ? (this.props.reach[p.body] || 0.2 * this.size) : 0.1 * this.size;
    if (at) this.fit(new Box3(at.clone().subScalar(2 * r), at.clone().addScalar(2 * r)));
  }

  private track(): void {
    const p = this.picked;
    const at = this.follow && p?.kind === 'body' ? this.position(p.body) : null;
    if (at && this.before) this.eye.move(at.clone().sub(this.before));
    this.before = at;
  }

  resize(): void {
    const { clientWidth: w, clientHeight: h } = this.canvas;
    if (w === 0 || h === 0) return;
    this.renderer.setSize(w, h, false);
    this.eye.resize(w, h);
  }

  render(): void {
    for (const b of this.props.balls) b.face(this.camera);
    const pixel = this.eye.pixel(this.controls.target);
    for (const b of [...this.props.blocks, ...this.props.heaps]) b.soften(pixel);
    const { reel, shapes, props, eye, pack, picked, plane } = this;
    this.halo.draw({ reel, shapes, props, eye, pack, picked, plane, place: (b) => this.position(b) });
    this.renderer.render(this.scene, this.camera);
  }

  /** What is at a place of the canvas, in pixels. */
  pick(x: number, y: number): Picked | null {
    const drawn = this.options.forces !== 'off' || this.options.contacts;
    const at = { camera: this.camera, canvas: this.canvas, plane: this.plane, x, y };
    return (drawn && this.pack ? pickContact(this.pack, at) : null) ?? pickBody(this.props, at);
  }

  /** Where a contact is on the canvas; for tests and for the keyboard. */
  project(point: number[]): [number, number] {
    const v = new Vector3(point[0], point[1], point[2] ?? 0).project(this.camera);
    return [((v.x + 1) / 2) * this.canvas.clientWidth, ((1 - v.y) / 2) * this.canvas.clientHeight];
  }

  dispose(): void {
    this.controls.dispose();
    this.renderer.dispose();
  }
}
