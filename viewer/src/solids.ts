// Deformable solids: nodes that move, fields as colours, the mesh at rest as an outline.

import {
  BufferAttribute, BufferGeometry, Color, DoubleSide, DynamicDrawUsage, LineBasicMaterial, LineSegments, Mesh,
  MeshBasicMaterial, MeshLambertMaterial, type Raycaster,
} from 'three';
import { nothing, ramp } from './colours';
import { edges, triangles, type Outline } from './outline';

export class Solid {
  readonly mesh: Mesh<BufferGeometry, MeshBasicMaterial | MeshLambertMaterial>;
  readonly wire: LineSegments<BufferGeometry, LineBasicMaterial>;
  readonly rest: LineSegments<BufferGeometry, LineBasicMaterial>;
  private readonly place0: Float32Array;
  private readonly index: number[];

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
    lines.setIndex(edges(outline, true));
    this.wire = new LineSegments(lines, new LineBasicMaterial({ transparent: true, opacity: this.index.length ? 0.35 : 1 }));
    const still = new BufferGeometry();
    still.setAttribute('position', new BufferAttribute(this.place0, 3));
    still.setIndex(outlineOf(outline));
    this.rest = new LineSegments(still, new LineBasicMaterial({ transparent: true, opacity: 0.6, depthTest: false }));
    for (const o of [this.mesh, this.wire, this.rest]) o.frustumCulled = false;
    if (plane) material.depthTest = this.wire.material.depthTest = false;
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
  }

  fade(opacity: number, ink: Color): void {
    const m = this.mesh.material;
    m.opacity = opacity;
    m.transparent = opacity < 1;
    m.depthWrite = !this.plane && opacity >= 1;
    this.wire.material.color.copy(ink);
    this.rest.material.color.copy(ink);
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
