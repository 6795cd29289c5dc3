// Deformable solids: nodes that move, fields as colours, the mesh at rest as an outline.

import {
  BufferAttribute, BufferGeometry, Color, DoubleSide, DynamicDrawUsage, LineBasicMaterial, LineSegments, Mesh,
  MeshBasicMaterial, MeshLambertMaterial, type Raycaster,
} from 'three';
import { nothing, ramp } from './colours';
import { edges, triangles, type Outline } from './outline';
import { Strokes } from './strokes';

/** Pixels of the width of what has none: beams, bars. */
const BEAM = 4;

export class Solid {
  readonly mesh: Mesh<BufferGeometry, MeshBasicMaterial | MeshLambertMaterial>;
  readonly wire: LineSegments<BufferGeometry, LineBasicMaterial>;
  readonly rest: LineSegments<BufferGeometry, LineBasicMaterial>;
  private readonly place0: Float32Array;
  private readonly index: number[];
  /** What is no more than lines, a beam say, is drawn wide enough to be seen, and coloured. */
  readonly beams: Strokes | null = null;
  private readonly sides: number[];

  /** `first`: its first node among those of all solids. */
  constructor(outline: Outline, readonly body: number, readonly first: number, private readonly plane: boolean) {
    this.place0 = Float32Array.from(outline.points);
    this.index = triangles(outline, plane ? 2 : 3);
    const geometry = new BufferGeometry();
    const dynamic = (width: number) => {
      const a = new BufferAttribute(new Float32Array(width * this.count), width);
      a.setUsage(DynamicDrawUsage);
      return a;
    };
    geometry.setAttribute('position', dynamic(3));
    geometry.setAttribute('color', dynamic(3));
    geometry.setIndex(this.index);
    const material = plane
      ? new MeshBasicMaterial({ side: DoubleSide, vertexColors: true })
      : new MeshLambertMaterial({ side: DoubleSide, vertexColors: true, flatShading: true });
    this.mesh = new Mesh(geometry, material);
    const lines = new BufferGeometry();
    lines.setAttribute('position', geometry.getAttribute('position'));
    this.sides = edges(outline, true);
    lines.setIndex(this.sides);
    this.wire = new LineSegments(lines, new LineBasicMaterial({ transparent: true, opacity: 0.35 }));
    const still = new BufferGeometry();
    still.setAttribute('position', new BufferAttribute(this.place0, 3));
    still.setIndex(outlineOf(outline));
    this.rest = new LineSegments(still, new LineBasicMaterial({ transparent: true, opacity: 0.6, depthTest: false }));
    for (const o of [this.mesh, this.wire, this.rest]) o.frustumCulled = false;
    if (plane) material.depthTest = this.wire.material.depthTest = false;
    if (this.index.length === 0) {
      this.beams = new Strokes(plane, false, 0, BEAM);
      this.mesh.visible = false;
    } else if (!plane) this.mesh.castShadow = this.mesh.receiveShadow = true;
  }

  private stretch(): void {
    const [{ beams, sides }, p, c] = [this, this.mesh.geometry.getAttribute('position').array, this.mesh.geometry.getAttribute('color').array];
    if (!beams) return;
    const colour = new Color();
    beams.clear();
    for (let k = 0; k < sides.length; k += 2) {
      const [a, b] = [3 * sides[k], 3 * sides[k + 1]];
      colour.setRGB((c[a] + c[b]) / 2, (c[a + 1] + c[b + 1]) / 2, (c[a + 2] + c[b + 2]) / 2);
      beams.add([p[a], p[a + 1], p[a + 2]], [p[b], p[b + 1], p[b + 2]], 0, colour);
    }
    beams.done();
  }

  get count(): number { return this.place0.length / 3; }

  place(displacement: ArrayLike<number>, enlarged: number): void {
    const p = this.mesh.geometry.getAttribute('position') as BufferAttribute;
    const d = this.plane ? 2 : 3;
    for (let i = 0; i < this.count; i++) {
      for (let k = 0; k < 3; k++) {
        const u = k < d ? displacement[d * (this.first + i) + k] ?? 0 : 0;
        p.array[3 * i + k] = this.place0[3 * i + k] + enlarged * (Number.isFinite(u) ? u : 0);
      }
    }
    p.needsUpdate = true;
    this.mesh.geometry.boundingSphere = null;
    this.stretch();
  }

  paint(value: ((node: number) => number) | null, [low, high]: [number, number], plain: Color): void {
    const c = this.mesh.geometry.getAttribute('color') as BufferAttribute;
    const colour = new Color();
    for (let i = 0; i < this.count; i++) {
      const v = value?.(this.first + i);
      if (v === undefined) colour.copy(plain);
      else if (Number.isFinite(v)) ramp((v - low) / Math.max(high - low, 1e-300), colour);
      else colour.copy(nothing);
      c.setXYZ(i, colour.r, colour.g, colour.b);
    }
    c.needsUpdate = true;
    this.stretch();
  }

  fade(opacity: number, ink: Color): void {
    const m = this.mesh.material;
    m.opacity = opacity;
    m.transparent = opacity < 1;
    m.depthWrite = !this.plane && opacity >= 1;
    if (this.beams) this.beams.mesh.material.uniforms.opacity.value = opacity;
    else this.mesh.castShadow = !this.plane && opacity >= 1;
    this.wire.material.color.copy(ink);
    this.rest.material.color.copy(ink);
  }

  /** The node of a beam that is nearest on the canvas, within some pixels; `far` measures from a place in space. */
  pickBeam(far: (x: number, y: number, z: number) => number): number | null {
    const p = this.mesh.geometry.getAttribute('position').array;
    let best = { node: -1, far: 2 * BEAM };
    const at = (i: number) => far(p[3 * i], p[3 * i + 1], p[3 * i + 2]);
    const [mix, parts] = [(a: number, b: number, t: number) => a + t * (b - a), 16];
    for (let k = 0; this.beams && k < this.sides.length; k += 2) {
      const [a, b] = [this.sides[k], this.sides[k + 1]];
      for (let t = 0; t <= parts; t++) {
        const d = far(mix(p[3 * a], p[3 * b], t / parts), mix(p[3 * a + 1], p[3 * b + 1], t / parts), mix(p[3 * a + 2], p[3 * b + 2], t / parts));
        if (d < best.far) best = { node: at(a) < at(b) ? a : b, far: d };
      }
    }
    return best.node < 0 ? null : this.first + best.node;
  }

  pick(caster: Raycaster): { body: number; distance: number; node: number } | null {
    const hit = caster.intersectObject(this.mesh, false)[0];
    if (!hit?.face) return null;
    // The nearest corner of the triangle.
    const p = this.mesh.geometry.getAttribute('position');
    const far = (i: number) => Math.hypot(p.getX(i) - hit.point.x, p.getY(i) - hit.point.y, p.getZ(i) - hit.point.z);
    const node = [hit.face.a, hit.face.b, hit.face.c].sort((a, b) => far(a) - far(b))[0];
    return { body: this.body, distance: hit.distance, node: this.first + node };
  }

  dispose(): void {
    for (const o of [this.mesh, this.wire, this.rest]) o.geometry.dispose();
    this.beams?.mesh.geometry.dispose();
  }
}

/** Sides that belong to one polygon alone: the outline in the plane, sharp edges in space. */
function outlineOf(outline: Outline): number[] {
  const seen = new Map<string, [number, number] | null>();
  for (const polygon of outline.polygons) {
    for (let i = 0; i < polygon.length; i++) {
      const [a, b] = [polygon[i], polygon[(i + 1) % polygon.length]];
      const key = a < b ? `${a},${b}` : `${b},${a}`;
      seen.set(key, seen.has(key) ? null : [a, b]);
    }
  }
  const sides = [...seen.values()].filter((s) => s !== null).flat() as number[];
  return sides.length > 0 ? sides : edges(outline, false);
}
