// Bodies that are all of other shapes, as broken stones are: one mesh of all of them. Where each is, how it is turned and
// its colour are three texels of a texture, so that thousands of shapes are two calls and not thousands.

import {
  BufferAttribute, BufferGeometry, DataTexture, DoubleSide, FloatType, LineSegments, Mesh, Quaternion, RGBAFormat, ShaderMaterial,
  Vector3, Vector4, type Color, type Raycaster,
} from 'three';
import { shown, thinnest } from './blocks';
import { BACK, SUN } from './light';
import { edges, triangles, type Outline } from './outline';

/** Bodies in a row of the texture. */
const ROW = 1024;

const vertex = `
precision highp float;
precision highp sampler2D;
in float item;
out vec3 seen;
out vec3 world;
flat out vec3 paint;
uniform sampler2D states;
uniform float nearer;
void main() {
  int i = int(item);
  ivec2 at = ivec2(3 * (i % ${ROW}), i / ${ROW});
  vec4 place = texelFetch(states, at, 0);
  vec4 q = texelFetch(states, at + ivec2(1, 0), 0);
  paint = texelFetch(states, at + ivec2(2, 0), 0).rgb;
  vec3 p = place.w * position;
  p += 2.0 * cross(q.xyz, cross(q.xyz, p) + q.w * p);
  world = p + place.xyz;
  vec4 v = viewMatrix * vec4(world, 1.0);
  // Edges are a little nearer to the eye than the faces that they bound.
  if (!isOrthographic) v.xyz *= nearer;
  seen = v.xyz;
  gl_Position = projectionMatrix * v;
}`;

// Lights as those of the scene, with Lambert's law.
const faces = `
precision highp float;
in vec3 seen;
in vec3 world;
flat in vec3 paint;
layout(location = 0) out vec4 result;
uniform float opacity;
uniform float flatness;
uniform vec4 cut;
uniform mat4 inverseView;
uniform vec3 sun;
uniform vec3 back;
void main() {
  if (dot(cut.xyz, world) > cut.w) discard;
  vec3 n = mat3(inverseView) * normalize(cross(dFdx(seen), dFdy(seen)));
  float light = flatness > 0.5 ? 1.0 : (1.25 + 2.1 * max(dot(n, sun), 0.0) + 0.5 * max(dot(n, back), 0.0)) / 3.14159265;
  result = linearToOutputTexel(vec4(paint * light, opacity));
}`;

const sides = `
precision highp float;
in vec3 seen;
in vec3 world;
flat in vec3 paint;
layout(location = 0) out vec4 result;
uniform float opacity;
uniform vec3 ink;
uniform vec4 cut;
void main() {
  if (dot(cut.xyz, world) > cut.w) discard;
  result = linearToOutputTexel(vec4(ink, opacity));
}`;

export interface Member {
  body: number;
  outline: Outline;
  scale: number;
}

export class Heap {
  readonly bodies: Uint32Array;
  readonly fixed = false;
  readonly mesh: Mesh<BufferGeometry, ShaderMaterial>;
  readonly lines: LineSegments<BufferGeometry, ShaderMaterial>;
  private readonly states: DataTexture;
  private readonly numbers: Float32Array;
  private readonly faces: number[][];
  private dark = 1;
  private readonly thin: number;

  constructor(private readonly members: Member[], readonly plane: boolean) {
    this.thin = members.reduce((a, m) => Math.min(a, m.scale * thinnest(m.outline, plane)), Infinity);
    this.bodies = Uint32Array.from(members, (m) => m.body);
    this.numbers = new Float32Array(12 * ROW * Math.ceil(members.length / ROW));
    this.states = new DataTexture(this.numbers, 3 * ROW, Math.ceil(members.length / ROW), RGBAFormat, FloatType);
    const points = members.reduce((n, m) => n + m.outline.points.length / 3, 0);
    const [position, item] = [new Float32Array(3 * points), new Float32Array(points)];
    const [index, wire]: number[][] = [[], []];
    this.faces = [];
    let first = 0;
    members.forEach(({ outline }, i) => {
      position.set(outline.points, 3 * first);
      item.fill(i, first, first + outline.points.length / 3);
      const own = triangles(outline, plane ? 2 : 3);
      this.faces.push(own);
      for (const v of own) index.push(first + v);
      for (const v of edges(outline, false)) wire.push(first + v);
      first += outline.points.length / 3;
    });
    const geometry = (of: number[]) => {
      const g = new BufferGeometry();
      g.setAttribute('position', new BufferAttribute(position, 3));
      g.setAttribute('item', new BufferAttribute(item, 1));
      g.setIndex(of);
      return g;
    };
    const material = (fragmentShader: string, nearer: number) => new ShaderMaterial({
      glslVersion: '300 es' as never, vertexShader: vertex, fragmentShader, side: DoubleSide,
      uniforms: {
        states: { value: this.states }, nearer: { value: nearer }, opacity: { value: 1 }, flatness: { value: plane ? 1 : 0 },
        ink: { value: new Vector3() }, cut: { value: new Vector4(0, 0, 0, 1) }, inverseView: { value: null },
        sun: { value: SUN }, back: { value: BACK },
      },
    });
    this.mesh = new Mesh(geometry(index), material(faces, 1));
    this.mesh.customDepthMaterial = material('layout(location = 0) out lowp vec4 result;\nvoid main() { result = vec4(1.0); }', 1);
    this.lines = new LineSegments(geometry(wire), material(sides, 0.998));
    this.lines.material.transparent = true;
    this.mesh.frustumCulled = this.lines.frustumCulled = false;
    this.mesh.onBeforeRender = (_r, _s, camera) => { this.mesh.material.uniforms.inverseView.value = camera.matrixWorld; };
  }

  place(position: ArrayLike<number>, orientation: ArrayLike<number>): void {
    const s = this.numbers;
    for (let i = 0; i < this.members.length; i++) {
      const [{ body: b, scale }, at] = [this.members[i], 12 * i];
      s[at + 3] = scale;
      if (this.plane) {
        s[at] = position[2 * b];
        s[at + 1] = position[2 * b + 1];
        s[at + 6] = Math.sin(orientation[b] / 2);
        s[at + 7] = Math.cos(orientation[b] / 2);
      } else {
        for (let k = 0; k < 3; k++) s[at + k] = position[3 * b + k];
        for (let k = 0; k < 3; k++) s[at + 4 + k] = orientation[4 * b + 1 + k];
        s[at + 7] = orientation[4 * b];
      }
    }
    this.states.needsUpdate = true;
  }

  paint(colour: (body: number) => Color): void {
    for (let i = 0; i < this.members.length; i++) {
      const c = colour(this.members[i].body);
      this.numbers[12 * i + 8] = c.r;
      this.numbers[12 * i + 9] = c.g;
      this.numbers[12 * i + 10] = c.b;
    }
    this.states.needsUpdate = true;
  }

  fade(opacity: number, ink: Color): void {
    const m = this.mesh.material;
    m.uniforms.opacity.value = opacity;
    m.transparent = opacity < 1;
    m.depthWrite = !this.plane && opacity >= 1;
    m.depthTest = this.lines.material.depthTest = !this.plane;
    this.mesh.castShadow = !this.plane && opacity >= 1;
    const u = this.lines.material.uniforms;
    u.ink.value.set(ink.r, ink.g, ink.b);
    this.dark = 0.3 + 0.5 * opacity;
    u.opacity.value = this.dark;
  }

  /** As of the same name of blocks. */
  soften(pixel: number): void {
    this.lines.material.uniforms.opacity.value = this.dark * shown(this.thin, pixel);
  }

  cut(plane: Vector4): void {
    for (const o of [this.mesh, this.lines]) o.material.uniforms.cut.value.copy(plane);
  }

  /** The nearest one that a ray meets: by the sphere around each, then by its triangles. */
  pick(caster: Raycaster): { body: number; distance: number } | null {
    let best: { body: number; distance: number } | null = null;
    const [centre, turn, ray, hit] = [new Vector3(), new Quaternion(), caster.ray.clone(), new Vector3()];
    const [a, b, c] = [new Vector3(), new Vector3(), new Vector3()];
    this.members.forEach(({ body, outline, scale }, i) => {
      const s = this.numbers.subarray(12 * i, 12 * i + 8);
      centre.set(s[0], s[1], s[2]);
      const reach = scale * (outline.reach + Math.hypot(...outline.middle));
      if (caster.ray.distanceSqToPoint(centre) > reach * reach) return;
      turn.set(s[4], s[5], s[6], s[7]).conjugate();
      // The ray as the body sees it.
      ray.origin.copy(caster.ray.origin).sub(centre).applyQuaternion(turn).divideScalar(scale);
      ray.direction.copy(caster.ray.direction).applyQuaternion(turn);
      const [p, t] = [outline.points, this.faces[i]];
      for (let k = 0; k < t.length; k += 3) {
        [a, b, c].forEach((v, j) => v.fromArray(p, 3 * t[k + j]));
        if (!ray.intersectTriangle(a, b, c, false, hit)) continue;
        const distance = scale * hit.distanceTo(ray.origin);
        if (!best || distance < best.distance) best = { body, distance };
      }
    });
    return best;
  }

  dispose(): void {
    for (const o of [this.mesh, this.lines]) {
      o.geometry.dispose();
      o.material.dispose();
    }
    this.states.dispose();
  }
}
