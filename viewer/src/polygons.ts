// What each reaction of the coming step can be: exact polygons, drawn at their contacts.

import { Color } from 'three';
import type { App } from './app';
import { button } from './dom';
import type { Engine } from './engine';
import { Strokes } from './strokes';

interface Possible {
  contact: number;
  point: number[];
  frame: number[];
  polygon: [number, number][];
  bounded: boolean;
}

export class Polygons {
  readonly button: HTMLButtonElement;
  private strokes: Strokes | null = null;

  constructor(private readonly app: App, private readonly engine: Engine) {
    this.button = button('fit', 'What the reactions of the coming step can be, exactly (the plane)', () => void this.explore(), 'Explore');
    this.button.id = 'explore';
  }

  clear(): void {
    if (this.strokes) this.strokes.mesh.removeFromParent();
    this.strokes = null;
    this.button.setAttribute('aria-pressed', 'false');
  }

  private async explore(): Promise<void> {
    if (this.strokes) { this.clear(); this.app.touch(); return; }
    const act = this.app.acts[0];
    await this.engine.ask('stop');
    let sets: Possible[];
    try {
      sets = await this.engine.json<Possible[]>('explore');
    } catch (e) {
      this.app.message(act, { title: 'Nothing to explore here', text: (e as Error).message });
      setTimeout(() => this.app.message(act, null), 6000);
      return;
    }
    this.app.player.jump(this.app.player.end);
    const size = act.stage.extent;
    const largest = Math.max(...sets.flatMap((s) => s.polygon.map(([n, t]) => Math.hypot(n, t))), 1e-300);
    const strokes = new Strokes(true, true, 30);
    const [point, set] = [new Color('#2f9e6e'), new Color('#c026d3')];
    for (const { point: x, frame, polygon } of sets) {
      // Rows of the frame: normal towards the first body, then the tangent.
      const at = ([n, t]: [number, number]) => [0, 1].map((k) => x[k] + (0.18 * size / largest) * (n * frame[k] + t * frame[2 + k]));
      const corners = polygon.map(at);
      if (corners.length === 1) strokes.add(x, corners[0], 0.004 * size, point);
      else corners.forEach((c, i) => strokes.add(c, corners[(i + 1) % corners.length], 0.004 * size, set));
      for (const c of corners.length > 1 ? corners : []) strokes.add(x, c, 0.0012 * size, set);
    }
    strokes.done();
    this.strokes = strokes;
    act.stage.scene.add(strokes.mesh);
    this.button.setAttribute('aria-pressed', 'true');
    this.button.dataset.sets = String(sets.filter((s) => s.polygon.length > 1).length);
    this.app.touch();
  }
}
