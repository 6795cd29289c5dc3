// Forces between bodies, and what ties them: joints, springs, supports.

import { Color, Vector3 } from 'three';
import { palette, status } from './colours';
import type { Options } from './options';
import type { Pack } from './pack';
import { numbers, type Reel } from './reel';
import type { Strokes } from './strokes';
import { turned } from './track';

export interface Placed {
  reel: Reel;
  pack: Pack;
  plane: boolean;
  size: number;
  options: Options;
  ink: Color;
  /** Bodies without a size. */
  points: number[];
  place(body: number): Vector3 | null;
  reach(body: number): number;
  /** Largest force of a run beside this one [N]. */
  beside: number;
}

/** Draws the forces of a frame; returns the largest of them [N]. */
export function drawForces(strokes: Strokes, placed: Placed): number {
  const { pack, size, options, reel } = placed;
  strokes.clear();
  const [points, forces] = [pack.arrays.get('contacts/point'), pack.arrays.get('contacts/force')];
  const [pairs, state] = [numbers(pack.arrays.get('contacts/bodies')), numbers(pack.arrays.get('contacts/status'))];
  let most = 0;
  if (points && forces && (options.forces !== 'off' || options.contacts)) {
    const [p, f, d] = [numbers(points), numbers(forces), forces.width];
    const lengths = new Float64Array(forces.count);
    for (let i = 0; i < forces.count; i++) {
      const size = Math.hypot(f[d * i], f[d * i + 1], d > 2 ? f[d * i + 2] : 0);
      lengths[i] = Number.isFinite(size) ? size : 0;
      most = Math.max(most, lengths[i]);
    }
    const scale = Math.max(most, placed.beside);
    const least = options.threshold * scale;
    const widest = 0.014 * size * options.width;
    const x = numbers(pack.arrays.get('bodies/position'));
    // There may be hundreds of thousands: no array for each.
    const [here, centre] = [[0, 0, 0], [0, 0, 0]];
    for (let i = 0; i < forces.count; i++) {
      for (let k = 0; k < d; k++) here[k] = p[d * i + k];
      const colour = status[Math.min(state[i] ?? 0, 2)];
      if (options.contacts) dot(strokes, here, 0.008 * size, colour);
      if (options.forces === 'off' || lengths[i] === 0 || lengths[i] < least) continue;
      const share = lengths[i] / scale;
      const width = Math.max(widest * share, 0.0008 * size);
      if (options.forces === 'vectors') {
        const long = (0.16 * size * options.width * share) / lengths[i];
        const tip = here.map((x, k) => x + (k < d ? f[d * i + k] * long : 0));
        arrow(strokes, here, tip, Math.max(0.35 * width, 0.0015 * size), colour);
        continue;
      }
      for (let side = 0; side < 2; side++) {
        const body = pairs[2 * i + side];
        if (reel.role(body) !== 'free' || d * body >= x.length) continue;
        for (let k = 0; k < d; k++) centre[k] = x[d * body + k];
        strokes.add(here, nearest(centre, here, reel), width, colour);
      }
    }
  }
  strokes.done();
  return most;
}

/** Moves a point to its image that is nearest to another, in a periodic cell. */
function nearest(at: number[], to: number[], reel: Reel): number[] {
  reel.cast.cell.forEach(([, period], k) => {
    if (period) at[k] -= Math.round((at[k] - to[k]) / period) * period;
  });
  return at;
}

function dot(strokes: Strokes, at: number[], size: number, colour: Color): void {
  strokes.add([at[0] - size / 2, at[1], at[2]], [at[0] + size / 2, at[1], at[2]], size, colour);
}

/** An arrow of three strokes. */
export function arrow(strokes: Strokes, from: number[], to: number[], width: number, colour: Color): void {
  const along = to.map((x, k) => x - from[k]);
  const neck = to.map((x, k) => x - 0.25 * along[k]);
  strokes.add(from, to, width, colour);
  // A head of two strokes.
  const across = Math.abs(along[2]) < Math.hypot(along[0], along[1]) ? [-along[1], along[0], 0] : [0, -along[2], along[1]];
  for (const side of [1, -1]) strokes.add(to, neck.map((x, k) => x + 0.14 * side * across[k]), width, colour);
}

/** Forces that the scene puts on bodies, as arrows that end at them; the largest of the run has a given length. */
function drawLoads(strokes: Strokes, { reel, size, place }: Placed, time: number): void {
  const { loads } = reel.cast;
  const most = loads.reduce((a, l) => l.forces.reduce((b, f) => Math.max(b, Math.hypot(...f)), a), 0);
  const colour = new Color('#d6336c');
  for (const { body, times, forces } of loads) {
    const at = place(body);
    if (!at) continue;
    if (times.length === 0) { cross(strokes, at, 0.015 * size, colour); continue; }
    const step = (times[times.length - 1] - times[0]) / Math.max(times.length - 1, 1);
    const x = step > 0 ? Math.min(Math.max((time - times[0]) / step, 0), times.length - 1) : 0;
    const [i, j] = [Math.floor(x), Math.min(Math.floor(x) + 1, times.length - 1)];
    const force = forces[i].map((f, k) => f + (x - i) * (forces[j][k] - f));
    if (!(Math.hypot(...force) > 1e-6 * most)) continue;
    const tip = at.toArray();
    const tail = tip.map((p, k) => p - ((0.14 * size) / most) * (force[k] ?? 0));
    arrow(strokes, tail, tip, 0.006 * size, colour);
  }
}

/** Joints as short crosses and bars, springs as zigzags, held nodes as ticks, loads as arrows. */
export function drawTies(strokes: Strokes, placed: Placed, time: number): void {
  const { reel, size, options, plane, pack } = placed;
  strokes.clear();
  const ends = (tie: { bodies: (number | null)[]; anchors: number[][] }) => [0, 1].map((side) => {
    const anchor = new Vector3(tie.anchors[side][0], tie.anchors[side][1], tie.anchors[side][2] ?? 0);
    const body = tie.bodies[side];
    return body === null ? anchor : moved(placed, body, anchor);
  });
  if (options.ties) {
    const colour = new Color('#7b5cd6');
    for (const joint of reel.cast.joints) {
      const [a, b] = ends(joint);
      if (a.distanceTo(b) > 1e-3 * size) strokes.add(a.toArray(), b.toArray(), 0.005 * size, colour);
      for (const end of [a, b]) cross(strokes, end, 0.012 * size, colour);
    }
    for (const spring of reel.cast.springs) {
      const [a, b] = ends(spring);
      zigzag(strokes, a, b, 0.012 * size, new Color('#2b9aa8'));
    }
  }
  for (const body of placed.points) {
    const at = placed.place(body);
    if (at) dot(strokes, at.toArray(), 0.015 * size, palette[0]);
  }
  if (options.loads) drawLoads(strokes, placed, time);
  if (options.supports && reel.cast.supports.length > 0 && reel.cast.supports.length < 20000) {
    const displacement = pack.arrays.get('nodes/displacement');
    const [u, nodes] = [numbers(displacement), restOf(reel)];
    const d = plane ? 2 : 3;
    const colour = new Color('#b8860b');
    for (const n of reel.cast.supports) {
      const at = [0, 1, 2].map((k) => (nodes[3 * n + k] ?? 0) + (k < d ? options.enlarged * (u[d * n + k] ?? 0) : 0));
      dot(strokes, at, 0.008 * size, colour);
    }
  }
  strokes.done();
}

/** Places of the nodes at rest, those of all solids one after the other. */
function restOf(reel: Reel): Float32Array {
  const points = reel.geometry.arrays.get('points')!;
  const field = reel.field('nodes/displacement');
  const count = typeof field?.extent === 'object' && 'fixed' in field.extent ? field.extent.fixed : 0;
  return (points.data as Float32Array).subarray(3 * (points.count - count));
}

function moved(placed: Placed, body: number, anchor: Vector3): Vector3 {
  return anchor.applyQuaternion(turned(placed.pack, placed.plane, body)).add(placed.place(body) ?? new Vector3());
}

function cross(strokes: Strokes, at: Vector3, size: number, colour: Color): void {
  const [a, b] = [new Vector3(size, size, 0).multiplyScalar(0.5), new Vector3(size, -size, 0).multiplyScalar(0.5)];
  for (const way of [a, b]) {
    strokes.add(at.clone().sub(way).toArray(), at.clone().add(way).toArray(), 0.3 * size, colour);
  }
}

function zigzag(strokes: Strokes, a: Vector3, b: Vector3, size: number, colour: Color): void {
  const along = b.clone().sub(a);
  const side = new Vector3(-along.y, along.x, 0);
  if (side.length() === 0) side.set(1, 0, 0);
  side.normalize().multiplyScalar(size);
  const turns = 10;
  let last = a.clone();
  for (let i = 1; i <= turns; i++) {
    const next = a.clone().addScaledVector(along, i / turns);
    if (i < turns) next.addScaledVector(side, i % 2 ? 1 : -1);
    strokes.add(last.toArray(), next.toArray(), 0.25 * size, colour);
    last = next;
  }
}
