// The mark around what is picked: the edges of a body, or a ring; as wide from near as from afar.

import { Color, Vector3 } from 'three';
import type { Eye } from './eye';
import type { Picked } from './options';
import { edges, type Outline } from './outline';
import type { Pack } from './pack';
import type { Props } from './props';
import type { Reel } from './reel';
import { Strokes } from './strokes';
import { turned } from './track';

const COLOUR = new Color('#ff8a00');
/** Pixels. */
const WIDTH = 3;

/** What is picked, and where things are. */
export interface Marked {
  reel: Reel;
  shapes: Outline[];
  props: Props;
  eye: Eye;
  pack: Pack | null;
  picked: Picked | null;
  plane: boolean;
  place(body: number): Vector3 | null;
}

export class Halo {
  readonly strokes: Strokes;

  constructor(plane: boolean) {
    this.strokes = new Strokes(plane, true, 25);
  }

  draw(of: Marked): void {
    const { strokes } = this;
    const { picked: p, eye, props } = of;
    strokes.clear();
    const at = p && !(p.kind === 'contact' && p.contact < 0) && (p.kind === 'body' ? of.place(p.body) : new Vector3(p.point[0], p.point[1], p.point[2] ?? 0));
    const pixel = at ? eye.pixel(at) : 0;
    if (p && at && pixel > 0) {
      const shape = p.kind === 'body' ? edgesOf(of, p.body, at) : [];
      for (let i = 0; i < shape.length; i += 2) strokes.add(shape[i], shape[i + 1], WIDTH * pixel, COLOUR);
      const reach = p.kind === 'body' ? 1.05 * (props.reach[p.body] || 0) : 0;
      if (shape.length === 0) this.ring(eye, at, Math.max(reach, 3 * WIDTH * pixel), WIDTH * pixel);
    }
    strokes.done();
  }

  private ring(eye: Eye, at: Vector3, r: number, width: number): void {
    const side = new Vector3(1, 0, 0).applyQuaternion(eye.camera.quaternion).multiplyScalar(r);
    const up = new Vector3(0, 1, 0).applyQuaternion(eye.camera.quaternion).multiplyScalar(r);
    const n = 48;
    const corner = (i: number) => at.clone().addScaledVector(side, Math.cos((2 * Math.PI * i) / n)).addScaledVector(up, Math.sin((2 * Math.PI * i) / n)).toArray();
    for (let i = 0; i < n; i++) this.strokes.add(corner(i), corner(i + 1), width, COLOUR);
  }
}

/** Ends of the edges of a body where it is now; none of a ball, of a solid, and of what has too many. */
function edgesOf({ reel, shapes: outlines, props, pack, plane }: Marked, body: number, at: Vector3): number[][] {
  const { shapes, scales } = reel.shapes();
  const out: number[][] = [];
  if (props.solids.some((s) => s.body === body)) return out;
  const turn = turned(pack, plane, body);
  for (let i = 0; i < shapes.length / 3; i++) {
    if (shapes[3 * i] !== body) continue;
    const outline = outlines[shapes[3 * i + 1]];
    if (outline.ball) continue;
    const sides = edges(outline, false);
    if (sides.length > 4000) continue;
    for (const v of sides) out.push(new Vector3().fromArray(outline.points, 3 * v).multiplyScalar(scales[i]).applyQuaternion(turn).add(at).toArray());
  }
  return out;
}
