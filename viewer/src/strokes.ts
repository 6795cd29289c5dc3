// Thick lines that face the eye: forces, joints, springs, trails.

import {
  BufferAttribute, DynamicDrawUsage, InstancedBufferAttribute, InstancedBufferGeometry, Mesh, OrthographicCamera, ShaderMaterial, Vector4,
  type Color, type PerspectiveCamera,
} from 'three';

const vertex = `
in vec2 corner;
in vec3 from;
in vec3 to;
in vec4 look;
out vec3 paint;
out float across;
out vec3 world;
uniform float least;
void main() {
  vec4 a = modelViewMatrix * vec4(from, 1.0);
  vec4 b = modelViewMatrix * vec4(to, 1.0);
  vec3 along = b.xyz - a.xyz;
  vec3 p = mix(a.xyz, b.xyz, corner.x);
  vec3 eye = isOrthographic ? vec3(0.0, 0.0, 1.0) : -p;
  vec3 side = cross(along, eye);
  float l = length(side);
  side = l > 0.0 ? side / l : vec3(1.0, 0.0, 0.0);
  p += side * corner.y * 0.5 * max(look.x, isOrthographic ? least : -least * p.z);
  world = mix(from, to, corner.x);
  across = corner.y;
  paint = look.yzw;
  gl_Position = projectionMatrix * vec4(p, 1.0);
}`;
const fragment = `
precision highp float;
in vec3 paint;
in float across;
in vec3 world;
layout(location = 0) out vec4 result;
uniform float opacity;
uniform vec4 cut;
void main() {
  if (dot(cut.xyz, world) > cut.w) discard;
  result = vec4(paint * (1.0 - 0.25 * across * across), opacity);
  result = linearToOutputTexel(result);
}`;

/** Beyond the places of bodies in the order of drawing, which count up by outline. */
const ABOVE = 1_000_000;

export class Strokes {
  readonly mesh: Mesh<InstancedBufferGeometry, ShaderMaterial>;
  private room = 0;
  private count = 0;
  private data: Record<'from' | 'to' | 'look', Float32Array> = { from: new Float32Array(), to: new Float32Array(), look: new Float32Array() };

  /** `least`: pixels that no stroke is thinner than. */
  constructor(plane: boolean, through: boolean, order: number, least = 1.2) {
    const geometry = new InstancedBufferGeometry();
    geometry.setAttribute('corner', new BufferAttribute(new Float32Array([0, -1, 1, -1, 1, 1, 0, 1]), 2));
    geometry.setAttribute('position', new BufferAttribute(new Float32Array(12), 3));
    geometry.setIndex([0, 1, 2, 0, 2, 3]);
    geometry.instanceCount = 0;
    this.mesh = new Mesh(geometry, new ShaderMaterial({
      glslVersion: '300 es' as never, vertexShader: vertex, fragmentShader: fragment, transparent: true,
      depthTest: !through && !plane, depthWrite: false, side: 2,
      uniforms: { opacity: { value: 0.9 }, least: { value: 0 }, cut: { value: new Vector4(0, 0, 0, 1) } },
    }));
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = ABOVE + order;
    this.mesh.onBeforeRender = (renderer, _s, camera) => {
      // A pixel as a length, in space at the distance of one.
      const eye = camera as OrthographicCamera | PerspectiveCamera;
      const across = eye instanceof OrthographicCamera ? (eye.top - eye.bottom) / eye.zoom : 2 * Math.tan((eye.fov * Math.PI) / 360);
      this.mesh.material.uniforms.least.value = (least * across) / Math.max(renderer.domElement.clientHeight, 1);
    };
  }

  clear(): void { this.count = 0; }

  add(from: ArrayLike<number>, to: ArrayLike<number>, width: number, colour: Color): void {
    if (this.count === this.room) this.grow();
    const [i, { from: a, to: b, look }] = [this.count++, this.data];
    for (let k = 0; k < 3; k++) {
      a[3 * i + k] = from[k] ?? 0;
      b[3 * i + k] = to[k] ?? 0;
    }
    look[4 * i] = width;
    look[4 * i + 1] = colour.r;
    look[4 * i + 2] = colour.g;
    look[4 * i + 3] = colour.b;
  }

  private grow(): void {
    this.room = Math.max(64, 2 * this.room);
    const g = this.mesh.geometry;
    for (const [name, width] of [['from', 3], ['to', 3], ['look', 4]] as const) {
      const bigger = new Float32Array(width * this.room);
      bigger.set(this.data[name]);
      this.data[name] = bigger;
      const attribute = new InstancedBufferAttribute(bigger, width);
      attribute.setUsage(DynamicDrawUsage);
      g.setAttribute(name, attribute);
    }
    // Buffers of another size are made anew.
    g.dispose();
  }

  done(): void {
    this.mesh.geometry.instanceCount = this.count;
    this.mesh.visible = this.count > 0;
    for (const name of ['from', 'to', 'look']) {
      const a = this.mesh.geometry.getAttribute(name);
      if (a) a.needsUpdate = true;
    }
  }

  cut(plane: Vector4): void {
    this.mesh.material.uniforms.cut.value.copy(plane);
  }
}
