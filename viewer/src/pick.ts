// What is under the pointer.

import { Raycaster, Vector2, Vector3, type Camera } from 'three';
import type { Picked } from './options';
import type { Pack } from './pack';
import type { Props } from './props';
import { numbers } from './reel';

/** A place of a canvas [pixels], and from where it is seen. */
export interface Spot {
  camera: Camera;
  canvas: HTMLCanvasElement;
  plane: boolean;
  x: number;
  y: number;
}

export function pickBody(props: Props, { camera, canvas, plane, x, y }: Spot): Picked | null {
  const caster = new Raycaster();
  caster.setFromCamera(new Vector2((2 * x) / canvas.clientWidth - 1, 1 - (2 * y) / canvas.clientHeight), camera);
  const hits: { body: number; distance: number; node?: number; rank: number }[] = [];
  for (const b of props.balls) { const hit = b.pick(caster.ray); if (hit) hits.push({ ...hit, rank: 0 }); }
  for (const b of props.blocks) { const hit = b.pick(caster); if (hit) hits.push({ ...hit, rank: b.fixed ? 1 : 0 }); }
  for (const b of props.heaps) { const hit = b.pick(caster); if (hit) hits.push({ ...hit, rank: 0 }); }
  const far = fromPointer(camera, canvas, x, y);
  for (const s of props.solids) {
    const hit = s.pick(caster);
    if (hit) hits.push({ ...hit, rank: 0 });
    // A beam has no width: whoever points at it means it.
    const node = s.pickBeam(far);
    if (node !== null) hits.push({ body: s.body, distance: 0, node, rank: 0 });
  }
  // What moves lies above what stands in the plane.
  hits.sort((a, b) => (plane ? a.rank - b.rank : 0) || a.distance - b.distance);
  return hits[0] ? { kind: 'body', body: hits[0].body, node: hits[0].node } : null;
}

/** Pixels between the pointer and a place in space. */
function fromPointer(camera: Camera, canvas: HTMLCanvasElement, x: number, y: number): (a: number, b: number, c: number) => number {
  const [v, { clientWidth: w, clientHeight: h }] = [new Vector3(), canvas];
  return (a, b, c) => {
    v.set(a, b, c).project(camera);
    return Math.hypot(((v.x + 1) / 2) * w - x, ((1 - v.y) / 2) * h - y);
  };
}

/** The contact that is nearest on the canvas, and not far. */
export function pickContact(pack: Pack, { camera, canvas, plane, x, y }: Spot): Picked | null {
  const [points, bodies] = [pack.arrays.get('contacts/point'), pack.arrays.get('contacts/bodies')];
  if (!points || !bodies) return null;
  const [p, from] = [numbers(points), fromPointer(camera, canvas, x, y)];
  let best = { i: -1, far: 9 };
  for (let i = 0; i < points.count; i++) {
    const far = from(p[points.width * i], p[points.width * i + 1], plane ? 0 : p[points.width * i + 2]);
    if (far < best.far) best = { i, far };
  }
  if (best.i < 0) return null;
  const b = numbers(bodies);
  const at = Array.from({ length: points.width }, (_, k) => p[points.width * best.i + k]);
  return { kind: 'contact', contact: best.i, bodies: [b[2 * best.i], b[2 * best.i + 1]], point: at };
}
