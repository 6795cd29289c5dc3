// The box that a picture shows: what moves, and what stands around it and is not much larger.

import { Box3, Vector3 } from 'three';
import type { Outline } from './outline';
import type { Column, Pack } from './pack';
import { numbers, type Reel } from './reel';
import type { Solid } from './solids';

export interface Bounded {
  reel: Reel;
  shapes: Outline[];
  solids: Solid[];
  plane: boolean;
  /** Other frames of the run. */
  travelled: Pack[];
  /** Where bodies are now. */
  places: Column | undefined;
  reach(body: number): number;
}

function grow(box: Box3, at: Vector3, by: Vector3): void {
  // A body that is nowhere, by a file that says so, is not in the picture.
  if (!Number.isFinite(at.x + at.y + at.z)) return;
  for (const k of ['x', 'y', 'z'] as const) {
    box.min[k] = Math.min(box.min[k], at[k] - by[k]);
    box.max[k] = Math.max(box.max[k], at[k] + by[k]);
  }
}

/** The box, and where the lowest of what moves is: the centre of a body, a point of a solid. */
export function boundsOf(of: Bounded): { box: Box3; lowest: number } {
  const { reel, shapes: outlines, solids, plane } = of;
  const [free, all] = [new Box3(), new Box3()];
  const { shapes, scales } = reel.shapes();
  const first = (reel.geometry.head.solids as number) ?? shapes.length / 3;
  const standing: [Vector3, Vector3][] = [];
  let lowest = Infinity;
  const [x, width, here, by] = [numbers(of.places), of.places?.width ?? 0, new Vector3(), new Vector3()];
  for (let i = 0; i < first && of.places; i++) {
    const [body, outline] = [shapes[3 * i], outlines[shapes[3 * i + 1]]];
    here.set(x[width * body], x[width * body + 1], plane ? 0 : x[width * body + 2]);
    by.setScalar(scales[i] * (outline.ball || outline.reach));
    if (reel.role(body) === 'free') {
      // Half the diagonal of a box is more than it reaches; the radius of a ball is not.
      grow(free, here, by.multiplyScalar(outline.ball ? 1 : 0.8));
      lowest = Math.min(lowest, here.z);
      continue;
    }
    const [at, r] = [here.clone(), by.clone()];
    if (!outline.ball) {
      at.add(new Vector3(...outline.middle));
      r.set(...outline.half).multiplyScalar(scales[i]);
    }
    grow(all, at, r);
    standing.push([at, r]);
  }
  for (const s of solids) {
    s.mesh.geometry.computeBoundingBox();
    const mine = s.mesh.geometry.boundingBox!;
    free.union(mine);
    lowest = Math.min(lowest, mine.min.z);
  }
  lowest = Math.min(lowest, travel(free, of));
  if (free.isEmpty()) {
    return { box: all.isEmpty() ? new Box3(new Vector3(-1, -1, -1), new Vector3(1, 1, 1)) : all, lowest };
  }
  const around = all.isEmpty() ? 0 : all.getSize(new Vector3()).length();
  // Points have no size: a part of what stands around them, or a decimetre.
  if (free.getSize(new Vector3()).length() < 1e-6 * Math.max(around, 1e-3)) free.expandByScalar(Math.min(0.05 * around, 1) || 0.1);
  const size = free.getSize(new Vector3()).length();
  for (const [at, r] of standing) {
    const largest = 2 * Math.max(r.x, r.y, r.z);
    if (largest < (plane ? 1.6 : 1.1) * size && free.distanceToPoint(at) < 0.5 * size) grow(free, at, r);
  }
  return { box: free, lowest };
}

/** Where bodies go later, and the lowest there; what flies away does not make the rest small. */
function travel(free: Box3, { reel, plane, travelled, reach }: Bounded): number {
  let lowest = Infinity;
  const start = free.getSize(new Vector3()).length();
  for (const pack of travelled) {
    const p = pack.arrays.get('bodies/position');
    if (!p || free.isEmpty()) continue;
    const [x, at, r] = [numbers(p), new Vector3(), new Vector3()];
    for (let b = 0; b < p.count; b++) {
      if (reel.role(b) !== 'free') continue;
      at.set(x[p.width * b], x[p.width * b + 1], plane ? 0 : x[p.width * b + 2]);
      if (!(free.distanceToPoint(at) < 0.7 * start)) continue;
      grow(free, at, r.setScalar(0.8 * reach(b)));
      lowest = Math.min(lowest, at.z);
    }
  }
  return lowest;
}
