// Bodies of any other shape: one surface for each outline, moved for each body that has it.

import {
  BufferAttribute, DoubleSide, InstancedBufferGeometry, InstancedMesh, LineSegments, Matrix4, MeshBasicMaterial,
  MeshLambertMaterial, Quaternion, Raycaster, ShaderMaterial, Vector3, Vector4, type Color,
} from 'three';
import { edges, surface, type Outline } from './outline';

const lineVertex = `
in mat4 instanceMatrix;
out vec3 world;
void main() {
  vec4 p = modelMatrix * instanceMatrix * vec4(position, 1.0);
  world = p.xyz;
  vec4 v = viewMatrix * p;
  // A little nearer to the eye than the faces that they bound.
  if (!isOrthographic) v.xyz *= 0.998;
  gl_Position = projectionMatrix * v;
}`;
const lineFragment = `
precision highp float;
in vec3 world;
layout(location = 0) out vec4 result;
uniform vec3 ink;
uniform float opacity;
uniform vec4 cut;
void main() {
  if (dot(cut.xyz, world) > cut.w) discard;
  result = linearToOutputTexel(vec4(ink, opacity));
}`;

/** The least width of an outline. */
export function thinnest({ half }: Outline, plane: boolean): number {
  return 2 * Math.min(...half.slice(0, plane ? 2 : 3));
}

/** How much is seen of edges of something so wide, where a pixel is so long. */
export function shown(width: number, pixel: number): number {
  return pixel > 0 ? Math.min(Math.max((width / pixel - 2) / 5, 0), 1) : 1;
}

export class Blocks {
  readonly mesh: InstancedMesh | null = null;
  readonly lines: LineSegments<InstancedBufferGeometry, ShaderMaterial> | null = null;
  private readonly matrix: Float32Array;
  private dark = 1;
  /** Width of the thinnest of its bodies. */
  private readonly thin: number;

  constructor(readonly outline: Outline, readonly bodies: Uint32Array, private readonly scales: Float32Array,
    readonly plane: boolean, readonly fixed: boolean) {
    const geometry = surface(outline, plane ? 2 : 3);
    const material = plane
      ? new MeshBasicMaterial({ side: DoubleSide })
      : new MeshLambertMaterial({ side: DoubleSide, flatShading: true });
    const mesh = new InstancedMesh(geometry, material, bodies.length);
    mesh.frustumCulled = false;
    this.thin = thinnest(outline, plane) * scales.reduce((a, b) => Math.min(a, b), Infinity);
    this.matrix = mesh.instanceMatrix.array as Float32Array;
    mesh.receiveShadow = !plane;
    if (geometry.getAttribute('position').count > 0) this.mesh = mesh;
    const sides = edges(outline, false);
    if (sides.length > 0) {
      const wire = new InstancedBufferGeometry();
      const points = new Float32Array(3 * sides.length);
      sides.forEach((v, i) => points.set(outline.points.subarray(3 * v, 3 * v + 3), 3 * i));
      wire.setAttribute('position', new BufferAttribute(points, 3));
      wire.setAttribute('instanceMatrix', mesh.instanceMatrix);
      wire.instanceCount = bodies.length;
      this.lines = new LineSegments(wire, new ShaderMaterial({
        glslVersion: '300 es' as never, vertexShader: lineVertex, fragmentShader: lineFragment, transparent: true,
        uniforms: { ink: { value: new Vector3() }, opacity: { value: 0.8 }, cut: { value: new Vector4(0, 0, 0, 1) } },
      }));
      this.lines.frustumCulled = false;
    }
  }

  place(position: ArrayLike<number>, orientation: ArrayLike<number>): void {
    const [m, x, q, s] = [new Matrix4(), new Vector3(), new Quaternion(), new Vector3()];
    this.bodies.forEach((b, i) => {
      if (this.plane) {
        x.set(position[2 * b] ?? 0, position[2 * b + 1] ?? 0, 0);
        q.set(0, 0, Math.sin((orientation[b] ?? 0) / 2), Math.cos((orientation[b] ?? 0) / 2));
      } else {
        x.set(position[3 * b], position[3 * b + 1], position[3 * b + 2]);
        q.set(orientation[4 * b + 1], orientation[4 * b + 2], orientation[4 * b + 3], orientation[4 * b]);
      }
      s.setScalar(this.scales[i]);
      m.compose(x, q, s).toArray(this.matrix, 16 * i);
    });
    if (this.mesh) {
      this.mesh.instanceMatrix.needsUpdate = true;
      this.mesh.boundingSphere = null;
    }
    const shared = this.lines?.geometry.getAttribute('instanceMatrix');
    if (shared) shared.needsUpdate = true;
  }

  paint(colour: (body: number) => Color): void {
    if (!this.mesh) return;
    this.bodies.forEach((b, i) => this.mesh!.setColorAt(i, colour(b)));
    if (this.mesh.instanceColor) this.mesh.instanceColor.needsUpdate = true;
  }

  fade(opacity: number, ink: Color): void {
    const m = this.mesh?.material as MeshLambertMaterial | undefined;
    if (m) {
      m.opacity = opacity;
      m.transparent = opacity < 1;
      m.depthWrite = !this.plane && opacity >= 1;
      m.depthTest = !this.plane;
      this.mesh!.castShadow = !this.plane && opacity >= 1;
    }
    if (this.lines) {
      const u = this.lines.material.uniforms;
      u.ink.value.set(ink.r, ink.g, ink.b);
      this.dark = this.fixed ? 0.35 : 0.3 + 0.5 * opacity;
      u.opacity.value = this.dark;
      this.lines.material.depthTest = !this.plane;
    }
  }

  /** Edges of what is a few pixels wide would be all that is seen of it. */
  soften(pixel: number): void {
    if (!this.lines || this.fixed || !this.mesh) return;
    this.lines.material.uniforms.opacity.value = this.dark * shown(this.thin, pixel);
  }

  cut(plane: Vector4): void {
    this.lines?.material.uniforms.cut.value.copy(plane);
  }

  pick(caster: Raycaster): { body: number; distance: number } | null {
    if (!this.mesh) return null;
    const hit = caster.intersectObject(this.mesh, false)[0];
    return hit && hit.instanceId !== undefined ? { body: this.bodies[hit.instanceId], distance: hit.distance } : null;
  }

  dispose(): void {
    this.mesh?.geometry.dispose();
    this.mesh?.dispose();
    this.lines?.geometry.dispose();
  }
}
