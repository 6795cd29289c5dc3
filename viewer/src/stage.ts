// One run in three dimensions: what is drawn of a frame, from where, and what is under the pointer.

import {
  AmbientLight, Box3, Color, DirectionalLight, Group, MOUSE, OrthographicCamera, PerspectiveCamera, Plane, Raycaster,
  Scene, TOUCH, Vector2, Vector3, Vector4, WebGLRenderer,
} from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { Balls, MANY } from './balls';
import { boundsOf } from './bounds';
import { Blocks } from './blocks';
import { neutral } from './colours';
import { Painter } from './painter';
import { drawSets } from './sets';
import { drawForces, drawTies, type Placed } from './marks';
import { measures, type Measure, type Options, type Picked } from './options';
import { outlines, type Outline } from './outline';
import type { Pack } from './pack';
import { numbers, type Reel } from './reel';
import { Solid } from './solids';
import { Strokes } from './strokes';

export class Stage {
  readonly renderer: WebGLRenderer;
  readonly scene = new Scene();
  readonly camera: PerspectiveCamera | OrthographicCamera;
  readonly controls: OrbitControls;
  readonly measures: Measure[];
  private readonly painter: Painter;
  readonly plane: boolean;
  /** Extremes of what is coloured, over the frames that were shown. */
  range: [number, number] = [Infinity, -Infinity];
  strongest = 0;
  frame = -1;
  picked: Picked | null = null;
  follow = false;
  private readonly shapes: Outline[];
  private balls: Balls[] = [];
  private blocks: Blocks[] = [];
  private solids: Solid[] = [];
  private readonly props = new Group();
  private readonly forces: Strokes;
  private readonly ties: Strokes;
  private readonly trail: Strokes;
  private readonly halo: Strokes;
  private readonly sets: Strokes;
  private pack: Pack | null = null;
  private reach = new Map<number, number>();
  private points: number[] = [];
  private ink = new Color('#20242c');
  private trailed: { body: number; points: Float64Array; width: number } | null = null;
  private size = 1;
  private middle = new Vector3();
  private box = new Box3();
  private fitted = false;
  private lowest = 0;
  private before: Vector3 | null = null;

  constructor(readonly reel: Reel, readonly canvas: HTMLCanvasElement, readonly options: Options) {
    this.plane = reel.dimension === 2;
    // Several samples for each pixel cost more than they show where bodies are many and small.
    const antialias = reel.shapes().shapes.length / 3 < MANY;
    this.renderer = new WebGLRenderer({ canvas, antialias, powerPreference: 'high-performance' });
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.camera = this.plane ? new OrthographicCamera() : new PerspectiveCamera(35, 1, 0.01, 1000);
    if (!this.plane) this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = false;
    this.controls.zoomToCursor = true;
    if (this.plane) {
      this.controls.enableRotate = false;
      this.controls.mouseButtons = { LEFT: MOUSE.PAN, MIDDLE: MOUSE.DOLLY, RIGHT: MOUSE.PAN };
      this.controls.touches = { ONE: TOUCH.PAN, TWO: TOUCH.DOLLY_PAN };
    }
    const sun = new DirectionalLight(0xffffff, 2.1);
    sun.position.set(0.35, -0.5, 0.8);
    const back = new DirectionalLight(0xffffff, 0.5);
    back.position.set(-0.6, 0.4, 0.1);
    this.scene.add(new AmbientLight(0xffffff, 1.25), sun, back, this.props);
    this.forces = new Strokes(this.plane, true, 20);
    this.ties = new Strokes(this.plane, true, 15);
    this.trail = new Strokes(this.plane, true, 14);
    this.halo = new Strokes(this.plane, true, 25);
    this.sets = new Strokes(this.plane, true, 30);
    this.scene.add(this.ties.mesh, this.trail.mesh, this.forces.mesh, this.halo.mesh, this.sets.mesh);
    this.measures = measures(reel.meta.fields);
    this.painter = new Painter(reel, options, this.measures);
    this.shapes = outlines(reel.geometry, reel.dimension);
    this.build();
  }

  /** A length that things drawn are measured by. */
  get extent(): number { return this.size; }

  /** Whether this is the frame that was explored. */
  get explored(): boolean {
    const { explored } = this.reel.cast;
    return !!explored && this.reel.at(explored.time) === this.frame;
  }

  get isSolid(): boolean { return this.solids.length > 0; }

  /** Bodies by their outline; made again when roles are known. */
  build(): void {
    for (const o of [...this.balls, ...this.blocks, ...this.solids]) o.dispose();
    this.props.clear();
    [this.balls, this.blocks, this.solids] = [[], [], []];
    const { shapes, scales } = this.reel.shapes();
    const count = shapes.length / 3;
    const firstSolid = (this.reel.geometry.head.solids as number) ?? count;
    const groups = new Map<string, number[]>();
    for (let i = 0; i < firstSolid; i++) {
      const [body, outline] = [shapes[3 * i], shapes[3 * i + 1]];
      const o = this.shapes[outline];
      this.reach.set(body, Math.max(this.reach.get(body) ?? 0, scales[i] * (o.ball || o.reach)));
      const key = `${this.reel.role(body) === 'free' ? 'b' : 'a'} ${o.ball ? 'ball' : outline}`;
      const group = groups.get(key);
      if (group) group.push(i); else groups.set(key, [i]);
    }
    this.points = [...this.reach].filter(([, reach]) => !(reach > 0)).map(([body]) => body);
    let order = 0;
    for (const [key, members] of [...groups].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const bodies = Uint32Array.from(members, (i) => shapes[3 * i]);
      const fixed = key.startsWith('a');
      const outline = this.shapes[shapes[3 * members[0] + 1]];
      if (outline.ball) {
        const radii = Float32Array.from(members, (i) => scales[i] * this.shapes[shapes[3 * i + 1]].ball);
        const balls = new Balls(bodies, radii, this.plane);
        balls.mesh.renderOrder = order++;
        this.balls.push(balls);
        this.props.add(balls.mesh);
      } else {
        const blocks = new Blocks(outline, bodies, Float32Array.from(members, (i) => scales[i]), this.plane, fixed);
        this.blocks.push(blocks);
        for (const o of [blocks.mesh, blocks.lines]) if (o) { o.renderOrder = fixed ? 0 : order++; this.props.add(o); }
      }
    }
    let node = 0;
    for (let i = firstSolid; i < count; i++) {
      const outline = this.shapes[shapes[3 * i + 1]];
      const solid = new Solid(outline, shapes[3 * i], node, this.plane);
      node += solid.count;
      solid.mesh.renderOrder = order++;
      solid.wire.renderOrder = order++;
      solid.rest.renderOrder = order++;
      this.solids.push(solid);
      this.props.add(solid.mesh, solid.wire, solid.rest);
    }
    if (this.pack) this.draw();
  }

  /** Fields that the picture needs now. */
  wanted(): string[] {
    const all = ['bodies/position', 'bodies/orientation'];
    if (this.isSolid) all.push('nodes/displacement');
    if (this.options.forces !== 'off' || this.options.contacts || this.picked?.kind === 'contact') {
      all.push('contacts/bodies', 'contacts/point', 'contacts/force', 'contacts/status');
    }
    const measure = this.measure();
    if (measure) all.push(measure.field);
    const speed = this.painter.twin(measure, this.isSolid);
    if (speed) all.push(speed);
    return [...new Set(all)].filter((f) => this.reel.field(f));
  }

  measure(): Measure | undefined { return this.painter.measure(); }

  show(pack: Pack, frame: number): void {
    [this.pack, this.frame] = [this.gathered(pack), frame];
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
    const solid = this.solids.length > 0 ? this.solids.find((s) => s.body === body) : undefined;
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
    for (const o of [...this.balls, ...this.blocks]) o.place(x, q);
    for (const s of this.solids) {
      s.place(u, options.enlarged);
      s.wire.visible = options.edges;
      s.rest.visible = options.rest;
    }
    this.paint();
    const ghost = !this.plane && options.forces !== 'off' && options.opacity === 1 ? 0.22 : options.opacity;
    const fixedOf = (o: { bodies: Uint32Array }) => this.reel.role(o.bodies[0]) !== 'free';
    for (const b of this.balls) b.fade(fixedOf(b) ? options.fixedOpacity : ghost);
    for (const b of this.blocks) {
      // Walls in space would hide what they hold.
      const wall = this.plane || this.isFloor(b) ? options.fixedOpacity : 0.14 * options.fixedOpacity;
      b.fade(b.fixed ? wall : ghost, this.ink);
      if (b.lines) b.lines.visible = options.edges || !b.mesh;
    }
    for (const s of this.solids) s.fade(ghost, this.ink);
    if (!this.fitted) { this.fit(); this.fitted = true; }
    const placed: Placed = {
      reel: this.reel, pack, plane: this.plane, size: this.size, options, ink: this.ink, points: this.points,
      place: (b) => this.position(b), reach: (b) => this.reach.get(b) ?? 0,
    };
    this.strongest = drawForces(this.forces, placed);
    drawTies(this.ties, placed, this.reel.meta.times[this.frame] ?? 0);
    drawSets(this.sets, this.explored && options.sets ? this.reel.cast.explored : null, this.size);
    this.drawTrail();
    this.drawHalo();
    this.section();
    this.mirror();
    this.track();
  }

  /** Whether what stands lies below what moves. */
  private isFloor(blocks: Blocks): boolean {
    if (this.box.isEmpty()) this.box = this.bounds();
    const lowest = this.lowest + 0.15 * Math.max(this.box.max.z - this.lowest, 0);
    return blocks.bodies.every((b) => (this.position(b)?.z ?? 0) + blocks.outline.height <= lowest);
  }

  private paint(): void {
    this.painter.paint(this.pack!, [...this.balls, ...this.blocks], this.solids);
    this.range = this.painter.range;
  }

  /** Extremes of what is coloured, over the frames that were shown. */
  forget(): void { this.painter.range = [Infinity, -Infinity]; }

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

  /** A mark around what is picked. */
  private drawHalo(): void {
    this.halo.clear();
    const p = this.picked;
    const colour = new Color('#ff8a00');
    if (p) {
      const at = p.kind === 'body' ? this.position(p.body) : new Vector3(p.point[0], p.point[1], p.point[2] ?? 0);
      const reach = p.kind === 'body' ? (this.reach.get(p.body) ?? 0.02 * this.size) : 0.012 * this.size;
      if (at) {
        const r = Math.min(1.15 * reach, 0.6 * this.size);
        const side = new Vector3(1, 0, 0).applyQuaternion(this.camera.quaternion).multiplyScalar(r);
        const up = new Vector3(0, 1, 0).applyQuaternion(this.camera.quaternion).multiplyScalar(r);
        const n = 32;
        const corner = (i: number) => at.clone().addScaledVector(side, Math.cos((2 * Math.PI * i) / n)).addScaledVector(up, Math.sin((2 * Math.PI * i) / n)).toArray();
        for (let i = 0; i < n; i++) this.halo.add(corner(i), corner(i + 1), Math.max(0.003 * this.size, 0.025 * r), colour);
      }
    }
    this.halo.done();
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
    for (const o of [...this.balls, ...this.blocks, this.forces, this.ties, this.trail]) o.cut(cut);
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
    for (const s of this.solids) {
      for (const o of [s.mesh, s.wire]) {
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
      reel: this.reel, shapes: this.shapes, solids: this.solids, plane: this.plane, travelled: this.travelled,
      position: (b) => this.position(b), reach: (b) => this.reach.get(b) ?? 0,
    });
    this.lowest = lowest;
    return box;
  }

  fit(around?: Box3): void {
    this.box = this.bounds();
    const box = around ?? this.box;
    const sphere = { centre: box.getCenter(new Vector3()), radius: 0.5 * Math.max(box.getSize(new Vector3()).length(), 1e-9) };
    if (!this.fitted) {
      this.size = 2 * sphere.radius;
      this.middle.copy(sphere.centre);
    }
    const { camera } = this;
    if (camera instanceof OrthographicCamera) {
      const s = box.getSize(new Vector3());
      const aspect = this.canvas.clientWidth / Math.max(this.canvas.clientHeight, 1);
      const half = 0.56 * Math.max(s.y, s.x / aspect, 1e-9);
      [camera.top, camera.bottom, camera.left, camera.right] = [half, -half, -half * aspect, half * aspect];
      [camera.near, camera.far, camera.zoom] = [-1e3 * this.size, 1e3 * this.size, 1];
      camera.position.set(sphere.centre.x, sphere.centre.y, 10 * this.size);
      this.controls.target.set(sphere.centre.x, sphere.centre.y, 0);
    } else {
      const away = (1.12 * sphere.radius) / Math.sin((camera.fov * Math.PI) / 360) / Math.min(1, camera.aspect);
      const from = this.fitted ? camera.position.clone().sub(this.controls.target).normalize() : new Vector3(0.55, -0.78, 0.36).normalize();
      camera.position.copy(sphere.centre).addScaledVector(from, away);
      [camera.near, camera.far] = [this.size / 500, 200 * this.size];
      this.controls.target.copy(sphere.centre);
    }
    camera.updateProjectionMatrix();
    this.controls.update();
  }

  zoomToPicked(): void {
    const p = this.picked;
    if (!p) return this.fit();
    const at = p.kind === 'body' ? this.position(p.body) : new Vector3(p.point[0], p.point[1], p.point[2] ?? 0);
    const r = p.kind === 'body' ? (this.reach.get(p.body) ?? 0.2 * this.size) : 0.1 * this.size;
    if (at) this.fit(new Box3(at.clone().subScalar(2 * r), at.clone().addScalar(2 * r)));
  }

  private track(): void {
    const p = this.picked;
    const at = this.follow && p?.kind === 'body' ? this.position(p.body) : null;
    if (at && this.before) {
      const by = at.clone().sub(this.before);
      this.camera.position.add(by);
      this.controls.target.add(by);
      this.controls.update();
    }
    this.before = at;
  }

  resize(): void {
    const { clientWidth: w, clientHeight: h } = this.canvas;
    if (w === 0 || h === 0) return;
    this.renderer.setSize(w, h, false);
    const { camera } = this;
    if (camera instanceof OrthographicCamera) {
      const half = camera.top;
      [camera.left, camera.right] = [(-half * w) / h, (half * w) / h];
    } else camera.aspect = w / h;
    camera.updateProjectionMatrix();
  }

  render(): void { this.renderer.render(this.scene, this.camera); }

  /** What is at a place of the canvas, in pixels. */
  pick(x: number, y: number): Picked | null {
    const contact = this.pickContact(x, y);
    if (contact) return contact;
    const { clientWidth: w, clientHeight: h } = this.canvas;
    const caster = new Raycaster();
    caster.setFromCamera(new Vector2((2 * x) / w - 1, 1 - (2 * y) / h), this.camera);
    const hits: { body: number; distance: number; node?: number; rank: number }[] = [];
    for (const b of this.balls) { const hit = b.pick(caster.ray); if (hit) hits.push({ ...hit, rank: 0 }); }
    for (const b of this.blocks) { const hit = b.pick(caster); if (hit) hits.push({ ...hit, rank: b.fixed ? 1 : 0 }); }
    for (const s of this.solids) { const hit = s.pick(caster); if (hit) hits.push({ ...hit, rank: 0 }); }
    // What moves lies above what stands in the plane.
    hits.sort((a, b) => (this.plane ? a.rank - b.rank : 0) || a.distance - b.distance);
    return hits[0] ? { kind: 'body', body: hits[0].body, node: hits[0].node } : null;
  }

  /** Places of the contacts on the canvas, nearest first. */
  private pickContact(x: number, y: number): Picked | null {
    if (this.options.forces === 'off' && !this.options.contacts) return null;
    const [points, bodies] = [this.pack?.arrays.get('contacts/point'), this.pack?.arrays.get('contacts/bodies')];
    if (!points || !bodies) return null;
    const { clientWidth: w, clientHeight: h } = this.canvas;
    const [p, v] = [numbers(points), new Vector3()];
    let best = { i: -1, far: 9 };
    for (let i = 0; i < points.count; i++) {
      v.set(p[points.width * i], p[points.width * i + 1], this.plane ? 0 : p[points.width * i + 2]).project(this.camera);
      const far = Math.hypot(((v.x + 1) / 2) * w - x, ((1 - v.y) / 2) * h - y);
      if (far < best.far) best = { i, far };
    }
    if (best.i < 0) return null;
    const b = numbers(bodies);
    const at = Array.from({ length: points.width }, (_, k) => p[points.width * best.i + k]);
    return { kind: 'contact', contact: best.i, bodies: [b[2 * best.i], b[2 * best.i + 1]], point: at };
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
