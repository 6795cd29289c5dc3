// What is on the stage: bodies by their outline, as few things to draw as that allows.

import { Group, type Object3D } from 'three';
import { Balls } from './balls';
import { Blocks } from './blocks';
import { Heap } from './heap';
import type { Outline } from './outline';
import type { Reel } from './reel';
import { Solid } from './solids';

/** More shapes than this, each of fewer bodies than that, are drawn as one. */
const [SHAPES, FEW] = [48, 8];

export class Props {
  readonly group = new Group();
  readonly balls: Balls[] = [];
  readonly blocks: Blocks[] = [];
  readonly heaps: Heap[] = [];
  readonly solids: Solid[] = [];
  /** Distance of the farthest point of each body from its centre. */
  reach = new Float32Array();
  /** Bodies without a size. */
  readonly points: number[] = [];
  private order = 0;

  static readonly none = new Props(null, [], true);

  constructor(reel: Reel | null, private readonly outlines: Outline[], private readonly plane: boolean) {
    if (!reel) return;
    const { shapes, scales } = reel.shapes();
    const count = shapes.length / 3;
    const firstSolid = (reel.geometry.head.solids as number) ?? count;
    let bodies = 0;
    for (let i = 0; i < count; i++) bodies = Math.max(bodies, shapes[3 * i] + 1);
    this.reach = new Float32Array(bodies);
    // What stands before what is free; outlines in their order, balls after them.
    const groups = new Map<number, number[]>();
    const kinds = outlines.length + 1;
    for (let i = 0; i < firstSolid; i++) {
      const [body, outline] = [shapes[3 * i], shapes[3 * i + 1]];
      const o = outlines[outline];
      const reach = scales[i] * (o.ball || o.reach);
      if (!(reach > 0)) this.points.push(body);
      this.reach[body] = Math.max(this.reach[body], reach);
      const key = (reel.role(body) === 'free' ? kinds : 0) + (o.ball ? outlines.length : outline);
      const group = groups.get(key);
      if (group) group.push(i); else groups.set(key, [i]);
    }
    const isOdd = ([key, members]: [number, number[]]) => key >= kinds && key < kinds + outlines.length && members.length < FEW;
    const odd = [...groups].filter(isOdd);
    const stones = odd.length > SHAPES ? odd.flatMap(([key, members]) => { groups.delete(key); return members; }) : [];
    for (const [key, members] of [...groups].sort(([a], [b]) => a - b)) this.add(shapes, scales, members, key < kinds);
    if (stones.length > 0) {
      const member = (i: number) => ({ body: shapes[3 * i], outline: outlines[shapes[3 * i + 1]], scale: scales[i] });
      const heap = new Heap(stones.sort((a, b) => a - b).map(member), plane);
      this.heaps.push(heap);
      this.put(heap.mesh, heap.lines);
    }
    let node = 0;
    for (let i = firstSolid; i < count; i++) {
      const solid = new Solid(outlines[shapes[3 * i + 1]], shapes[3 * i], node, plane);
      node += solid.count;
      this.solids.push(solid);
      this.put(solid.mesh, solid.wire, solid.rest, ...(solid.beams ? [solid.beams.mesh] : []));
    }
  }

  /** Bodies that do not deform, however they are drawn. */
  get rigid(): (Balls | Blocks | Heap)[] { return [...this.balls, ...this.blocks, ...this.heaps]; }

  private put(...objects: Object3D[]): void {
    for (const o of objects) {
      o.renderOrder = this.order++;
      this.group.add(o);
    }
  }

  /** Bodies of one outline, or balls of any size. */
  private add(shapes: Uint32Array, scales: Float32Array, members: number[], fixed: boolean): void {
    const bodies = Uint32Array.from(members, (i) => shapes[3 * i]);
    const outline = this.outlines[shapes[3 * members[0] + 1]];
    if (outline.ball) {
      const radii = Float32Array.from(members, (i) => scales[i] * this.outlines[shapes[3 * i + 1]].ball);
      const balls = new Balls(bodies, radii, this.plane);
      this.balls.push(balls);
      this.put(balls.mesh);
      return;
    }
    const blocks = new Blocks(outline, bodies, Float32Array.from(members, (i) => scales[i]), this.plane, fixed);
    this.blocks.push(blocks);
    for (const o of [blocks.mesh, blocks.lines]) {
      if (!o) continue;
      o.renderOrder = fixed ? 0 : this.order++;
      this.group.add(o);
    }
  }

  dispose(): void {
    for (const o of [...this.rigid, ...this.solids]) o.dispose();
  }
}
