// Discs and balls: one square each, or one point where they are many; the rest is done for each pixel. A million still turn.

import {
  BufferAttribute, BufferGeometry, DoubleSide, DynamicDrawUsage, InstancedBufferAttribute, InstancedBufferGeometry, Mesh, Points, ShaderMaterial, Vector4,
  type Camera, type Color, type Ray, Vector3,
} from 'three';
import { SUN } from './light';

const vertex = `
in vec2 corner;
in vec3 centre;
in vec4 turn;
in float radius;
in vec3 tint;
out vec3 seen;
out vec3 middle;
flat out vec4 spin;
flat out float size;
flat out vec3 paint;
uniform float flatness;
void main() {
  vec4 c = modelViewMatrix * vec4(centre, 1.0);
  middle = c.xyz;
  size = radius;
  spin = turn;
  paint = tint;
  float reach = radius;
  if (flatness == 0.0 && !isOrthographic) {
    float d = max(length(c.xyz), radius * 1.05);
    reach = radius * d / sqrt(d * d - radius * radius);
    vec3 away = normalize(c.xyz);
    vec3 side = normalize(cross(away, vec3(0.0, 1.0, 0.0001)));
    vec3 up = cross(side, away);
    seen = c.xyz + (side * corner.x + up * corner.y) * reach;
  } else {
    seen = c.xyz + vec3(corner * reach * 1.02, 0.0);
  }
  gl_Position = projectionMatrix * vec4(seen, 1.0);
}`;

const fragment = `
precision highp float;
in vec3 seen;
in vec3 middle;
flat in vec4 spin;
flat in float size;
flat in vec3 paint;
layout(location = 0) out vec4 result;
uniform float opacity;
uniform float flatness;
uniform vec4 cut;
uniform mat4 inverseView;
uniform mat4 projection;
uniform vec3 sun;
vec3 turned(vec4 q, vec3 v) { return v + 2.0 * cross(q.yzw, cross(q.yzw, v) + q.x * v); }
void main() {
  vec3 colour = paint;
  float alpha = opacity;
  if (flatness > 0.5) {
    vec2 p = (seen.xy - middle.xy) / size;
    float r = length(p);
    float soft = fwidth(r);
    alpha *= 1.0 - smoothstep(1.0 - soft, 1.0, r);
    // Two pixels, and not half of a small disc.
    float rim = smoothstep(1.0 - 2.2 * soft, 1.0 - 1.2 * soft, r) * (1.0 - smoothstep(0.12, 0.3, soft));
    // A radius that turns with the body.
    float angle = 2.0 * atan(spin.w, spin.x);
    vec2 q = vec2(cos(angle) * p.x + sin(angle) * p.y, -sin(angle) * p.x + cos(angle) * p.y);
    float mark = (1.0 - smoothstep(0.03, 0.03 + 1.5 * soft, abs(q.y))) * step(0.0, q.x) * step(r, 0.96);
    mark *= 1.0 - smoothstep(0.1, 0.25, soft);
    colour = mix(colour, colour * 0.45, max(rim, 0.7 * mark));
    vec3 world = (inverseView * vec4(seen, 1.0)).xyz;
    if (alpha < 0.01 || dot(cut.xyz, world) > cut.w) discard;
    gl_FragDepth = gl_FragCoord.z;
    result = vec4(colour, alpha);
  } else {
    vec3 from = isOrthographic ? vec3(seen.xy, 0.0) : vec3(0.0);
    vec3 ray = isOrthographic ? vec3(0.0, 0.0, -1.0) : normalize(seen);
    vec3 o = from - middle;
    float b = dot(o, ray);
    float disc = b * b - dot(o, o) + size * size;
    if (disc < 0.0) discard;
    float far = sqrt(disc);
    vec3 hit = from + ray * (-b - far);
    vec3 world = (inverseView * vec4(hit, 1.0)).xyz;
    bool inside = false;
    if (dot(cut.xyz, world) > cut.w) {
      // Cut open: its other half is seen from inside.
      hit = from + ray * (-b + far);
      world = (inverseView * vec4(hit, 1.0)).xyz;
      inside = true;
      if (dot(cut.xyz, world) > cut.w) discard;
    }
    vec3 n = (hit - middle) / size;
    vec3 wn = mat3(inverseView) * n;
    vec3 own = turned(vec4(spin.x, -spin.yzw), wn);
    // Octants, so that rolling is seen.
    float mark = own.x * own.y * own.z > 0.0 ? 1.0 : 0.82;
    if (inside) { wn = -wn; mark *= 0.75; }
    float light = 0.38 + 0.12 * wn.z + 0.55 * max(dot(wn, sun), 0.0);
    colour *= mark * light;
    vec4 clip = projection * vec4(hit, 1.0);
    gl_FragDepth = 0.5 * clip.z / clip.w + 0.5;
    result = vec4(colour, alpha);
  }
  result = linearToOutputTexel(result);
}`;

/** As the sun sees a ball: a disc. */
const shadowVertex = `
in vec2 corner;
in vec3 centre;
in float radius;
out vec2 spot;
void main() {
  spot = corner;
  vec4 c = modelViewMatrix * vec4(centre, 1.0);
  gl_Position = projectionMatrix * vec4(c.xyz + vec3(corner * radius, 0.0), 1.0);
}`;
const shadowFragment = `
precision highp float;
in vec2 spot;
layout(location = 0) out vec4 result;
void main() {
  if (dot(spot, spot) > 1.0) discard;
  result = vec4(1.0);
}`;

/** Beyond so many, each is a point: one vertex, no depth of its own for each pixel, so that what is hidden costs nothing. */
export const MANY = 10_000;

const pointVertex = `
in vec3 centre;
in vec4 turn;
in float radius;
in vec3 tint;
flat out vec4 spin;
flat out vec3 paint;
uniform vec4 cut;
uniform float height;
void main() {
  spin = turn;
  paint = tint;
  vec4 c = modelViewMatrix * vec4(centre, 1.0);
  gl_Position = dot(cut.xyz, centre) > cut.w ? vec4(2.0, 2.0, 2.0, 1.0) : projectionMatrix * c;
  gl_PointSize = radius * projectionMatrix[1][1] * height / gl_Position.w;
  // On a ball of a few pixels nobody sees how it is turned.
  if (gl_PointSize < 6.0) spin = vec4(0.0);
}`;

const pointFragment = `
precision highp float;
flat in vec4 spin;
flat in vec3 paint;
layout(location = 0) out vec4 result;
uniform float opacity;
uniform float flatness;
uniform mat4 inverseView;
uniform vec3 sun;
vec3 turned(vec4 q, vec3 v) { return v + 2.0 * cross(q.yzw, cross(q.yzw, v) + q.x * v); }
void main() {
  vec2 spot = vec2(2.0 * gl_PointCoord.x - 1.0, 1.0 - 2.0 * gl_PointCoord.y);
  float r = dot(spot, spot);
  if (r > 1.0) discard;
  float shade = 0.92;
  if (flatness > 0.5) {
    // A rim, and a radius that turns with the body.
    shade = r > 0.75 ? 0.5 : 1.0;
    if (spin != vec4(0.0)) {
      vec3 own = turned(vec4(spin.x, -spin.yzw), vec3(spot, 0.0));
      if (own.x > 0.0 && abs(own.y) < 0.06) shade = 0.6;
    }
  } else {
    vec3 wn = mat3(inverseView) * vec3(spot, sqrt(1.0 - r));
    if (spin != vec4(0.0)) {
      vec3 own = turned(vec4(spin.x, -spin.yzw), wn);
      shade = own.x * own.y * own.z > 0.0 ? 1.0 : 0.82;
    }
    shade *= 0.38 + 0.12 * wn.z + 0.55 * max(dot(wn, sun), 0.0);
  }
  result = linearToOutputTexel(vec4(paint * shade, opacity));
}`;

/** Slices of depth that many balls are sorted into, and the turn of the eye after which they are sorted again. */
const [SLICES, TURNED] = [2048, Math.cos(0.2)];

/** One square for each of so many. */
function squares(count: number): BufferGeometry {
  const geometry = new InstancedBufferGeometry();
  geometry.instanceCount = count;
  geometry.setAttribute('corner', new BufferAttribute(new Float32Array([-1, -1, 1, -1, 1, 1, -1, 1]), 2));
  geometry.setAttribute('position', new BufferAttribute(new Float32Array(12), 3));
  geometry.setIndex([0, 1, 2, 0, 2, 3]);
  return geometry;
}

export class Balls {
  readonly mesh: Mesh<BufferGeometry, ShaderMaterial> | Points<BufferGeometry, ShaderMaterial>;
  private readonly centre: BufferAttribute;
  private readonly turn: BufferAttribute;
  private readonly tint: BufferAttribute;
  private readonly radius: BufferAttribute;
  private readonly many: boolean;
  /** Which ball each place of the arrays holds. Of many, the nearest first: what they hide is not shaded. */
  private readonly order: Uint32Array;
  private readonly tints: Float32Array;
  private now: { position: ArrayLike<number>; orientation: ArrayLike<number> } | null = null;
  private readonly sorted = { along: new Vector3(), age: Infinity };

  constructor(readonly bodies: Uint32Array, private readonly radii: Float32Array, readonly plane: boolean) {
    this.many = bodies.length > MANY;
    const geometry = this.many ? new BufferGeometry() : squares(bodies.length);
    const add = (name: string, width: number) => {
      const numbers = new Float32Array(width * bodies.length);
      const attribute = this.many ? new BufferAttribute(numbers, width) : new InstancedBufferAttribute(numbers, width);
      attribute.setUsage(DynamicDrawUsage);
      geometry.setAttribute(name, attribute);
      return attribute;
    };
    this.centre = add('centre', 3);
    this.turn = add('turn', 4);
    this.tint = add('tint', 3);
    this.radius = add('radius', 1);
    (this.radius.array as Float32Array).set(radii);
    // Three counts vertices by this one.
    if (this.many) geometry.setAttribute('position', this.centre);
    this.order = Uint32Array.from(bodies, (_, i) => i);
    this.tints = this.many ? new Float32Array(3 * bodies.length) : (this.tint.array as Float32Array);
    const material = new ShaderMaterial({
      glslVersion: '300 es' as never,
      vertexShader: this.many ? pointVertex : vertex,
      fragmentShader: this.many ? pointFragment : fragment,
      uniforms: {
        opacity: { value: 1 }, flatness: { value: plane ? 1 : 0 }, cut: { value: new Vector4(0, 0, 0, 1) },
        inverseView: { value: null }, projection: { value: null }, height: { value: 1 },
        sun: { value: SUN },
      },
      transparent: plane,
    });
    this.mesh = this.many ? new Points(geometry, material) : new Mesh(geometry, material);
    this.mesh.frustumCulled = false;
    if (!this.many && !plane) {
      this.mesh.castShadow = true;
      material.shadowSide = DoubleSide;
      this.mesh.customDepthMaterial = new ShaderMaterial({ glslVersion: '300 es' as never, vertexShader: shadowVertex, fragmentShader: shadowFragment });
    }
    this.mesh.onBeforeRender = (renderer, _s, camera) => {
      material.uniforms.inverseView.value = camera.matrixWorld;
      material.uniforms.projection.value = camera.projectionMatrix;
      material.uniforms.height.value = renderer.domElement.height;
    };
  }

  place(position: ArrayLike<number>, orientation: ArrayLike<number>): void {
    this.now = { position, orientation };
    this.sorted.age++;
    this.fill();
  }

  private fill(): void {
    if (!this.now) return;
    const [c, q] = [this.centre.array as Float32Array, this.turn.array as Float32Array];
    const { bodies, order, now: { position, orientation } } = this;
    if (this.plane) {
      for (let i = 0; i < bodies.length; i++) {
        const b = bodies[i];
        c[3 * i] = position[2 * b];
        c[3 * i + 1] = position[2 * b + 1];
        q[4 * i] = Math.cos(orientation[b] / 2);
        q[4 * i + 3] = Math.sin(orientation[b] / 2);
      }
    } else {
      for (let i = 0; i < bodies.length; i++) {
        const b = bodies[order[i]];
        for (let k = 0; k < 3; k++) c[3 * i + k] = position[3 * b + k];
        for (let k = 0; k < 4; k++) q[4 * i + k] = orientation[4 * b + k];
      }
    }
    this.centre.needsUpdate = this.turn.needsUpdate = true;
  }

  /** Sorts many balls by their distance from the eye, where it has turned since, or they have moved for a while. */
  face(camera: Camera): void {
    if (!this.many || this.plane || !this.now) return;
    const along = camera.getWorldDirection(new Vector3());
    if (along.dot(this.sorted.along) > TURNED && this.sorted.age < 30) return;
    this.sorted.age = 0;
    this.sorted.along.copy(along);
    const { bodies, order, now: { position } } = this;
    const depth = new Float32Array(bodies.length);
    let [low, high] = [Infinity, -Infinity];
    for (let i = 0; i < bodies.length; i++) {
      const b = 3 * bodies[i];
      const d = along.x * position[b] + along.y * position[b + 1] + along.z * position[b + 2];
      depth[i] = d;
      if (d < low) low = d;
      if (d > high) high = d;
    }
    // Sorted by counting: what is in one slice may stand in any order.
    const slice = (i: number) => Math.min(Math.max(Math.floor(((depth[i] - low) / Math.max(high - low, 1e-300)) * SLICES), 0), SLICES - 1) || 0;
    const next = new Uint32Array(SLICES + 1);
    for (let i = 0; i < bodies.length; i++) next[slice(i) + 1]++;
    for (let k = 1; k <= SLICES; k++) next[k] += next[k - 1];
    for (let i = 0; i < bodies.length; i++) order[next[slice(i)]++] = i;
    const r = this.radius.array as Float32Array;
    for (let i = 0; i < order.length; i++) r[i] = this.radii[order[i]];
    this.radius.needsUpdate = true;
    this.fill();
    this.dye();
  }

  paint(colour: (body: number) => Color): void {
    const t = this.tints;
    for (let i = 0; i < this.bodies.length; i++) {
      const c = colour(this.bodies[i]);
      t[3 * i] = c.r;
      t[3 * i + 1] = c.g;
      t[3 * i + 2] = c.b;
    }
    this.dye();
  }

  /** Colours in the order of the places. */
  private dye(): void {
    const [t, from, order] = [this.tint.array as Float32Array, this.tints, this.order];
    if (t !== from) for (let i = 0; i < order.length; i++) for (let k = 0; k < 3; k++) t[3 * i + k] = from[3 * order[i] + k];
    this.tint.needsUpdate = true;
  }

  fade(opacity: number): void {
    const m = this.mesh.material;
    m.uniforms.opacity.value = opacity;
    m.transparent = this.plane || opacity < 1;
    m.depthWrite = !this.plane && opacity >= 1;
    m.depthTest = !this.plane;
    this.mesh.castShadow = !!this.mesh.customDepthMaterial && opacity >= 1;
  }

  cut(plane: Vector4): void {
    this.mesh.material.uniforms.cut.value.copy(plane);
  }

  /** The nearest ball that a ray meets. */
  pick(ray: Ray): { body: number; distance: number } | null {
    const [c, r] = [this.centre.array, this.radius.array];
    let best: { body: number; distance: number } | null = null;
    const [o, d] = [ray.origin, ray.direction];
    for (let i = 0; i < this.bodies.length; i++) {
      const [x, y, z] = [o.x - c[3 * i], o.y - c[3 * i + 1], o.z - c[3 * i + 2]];
      const b = x * d.x + y * d.y + z * d.z;
      const disc = b * b - (x * x + y * y + z * z) + r[i] * r[i];
      if (disc < 0) continue;
      const distance = -b - Math.sqrt(disc);
      if (distance > 0 && (!best || distance < best.distance)) best = { body: this.bodies[this.order[i]], distance };
    }
    return best;
  }

  dispose(): void {
    this.mesh.geometry.dispose();
    this.mesh.material.dispose();
  }
}
