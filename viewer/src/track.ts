// A picked contact from frame to frame: its place in the table of contacts changes, its bodies and where it is on them do not.

import { Quaternion, Vector3 } from 'three';
import type { Picked } from './options';
import type { Pack } from './pack';
import { numbers, type Reel } from './reel';

/** How a body is turned in a frame. */
export function turned(pack: Pack | null, plane: boolean, body: number): Quaternion {
  const q = numbers(pack?.arrays.get('bodies/orientation'));
  return plane ? new Quaternion(0, 0, Math.sin(q[body] / 2), Math.cos(q[body] / 2))
    : new Quaternion(q[4 * body + 1], q[4 * body + 2], q[4 * body + 3], q[4 * body]);
}

export type Placing = (body: number) => Vector3 | null;

export class Track {
  private anchor: { of: Picked; body: number; at: Vector3 } | null = null;

  constructor(private readonly reel: Reel, private readonly plane: boolean) {}

  /** Before another frame comes: where the picked contact is on the body that moves. */
  keep(picked: Picked | null, pack: Pack | null, place: Placing): void {
    if (this.anchor?.of === picked) return;
    this.anchor = null;
    if (picked?.kind !== 'contact' || !pack) return;
    const body = picked.bodies.find((b) => this.reel.role(b) === 'free') ?? picked.bodies[0];
    const at = new Vector3(picked.point[0], picked.point[1], picked.point[2] ?? 0);
    const [centre, rigid] = [place(body), this.rigid(body, pack)];
    if (centre && rigid) at.sub(centre).applyQuaternion(turned(pack, this.plane, body).invert());
    this.anchor = { of: picked, body: rigid ? body : -1, at };
  }

  /** Finds it in the frame that came: the nearest contact of the same bodies; −1 where they do not touch. */
  find(picked: Picked | null, pack: Pack, place: Placing): void {
    const [points, pairs] = [pack.arrays.get('contacts/point'), pack.arrays.get('contacts/bodies')];
    if (picked?.kind !== 'contact' || this.anchor?.of !== picked || !points || !pairs) return;
    const { body, at } = this.anchor;
    const here = body < 0 ? at : at.clone().applyQuaternion(turned(pack, this.plane, body)).add(place(body) ?? new Vector3());
    const [p, b, d] = [numbers(points), numbers(pairs), points.width];
    const [first, second] = picked.bodies;
    let far = Infinity;
    picked.contact = -1;
    for (let i = 0; i < points.count; i++) {
      const [x, y] = [b[2 * i], b[2 * i + 1]];
      if (!((x === first && y === second) || (x === second && y === first))) continue;
      const away = Math.hypot(p[d * i] - here.x, p[d * i + 1] - here.y, d > 2 ? p[d * i + 2] - here.z : 0);
      if (away < far) [far, picked.contact] = [away, i];
    }
    picked.point = picked.contact < 0 ? here.toArray().slice(0, d) : Array.from({ length: d }, (_, k) => p[d * picked.contact + k]);
  }

  private rigid(body: number, pack: Pack): boolean {
    return this.reel.role(body) !== 'solid' && body < (pack.arrays.get('bodies/position')?.count ?? 0);
  }
}
