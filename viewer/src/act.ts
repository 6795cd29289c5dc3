// A run on the page: its canvas, what lies over it, and what the pointer does there.

import type { App } from './app';
import { button, h } from './dom';
import type { Picked } from './options';
import type { Reel } from './reel';
import { Ruler } from './ruler';
import { Stage } from './stage';

export interface Act {
  reel: Reel;
  stage: Stage;
  element: HTMLElement;
  legend: HTMLElement;
  ruler: Ruler;
  /** Frame that was asked for, how often one was, and whether it is here. */
  wanted: number;
  ticket: number;
  ready: boolean;
}

/** Bodies beyond which the pointer does not tell what it is over: looking takes too long. */
const HOVERED = 5000;

export function perform(app: App, reel: Reel, of: number): Act {
  const canvas = h('canvas', { tabindex: 0, role: 'img', 'aria-label': `Picture of ${reel.meta.title || reel.source.name}` });
  const stage = new Stage(reel, canvas, app.options);
  const look = (name: string, from: [number, number, number], key: string) => h('button', {
    type: 'button', class: 'icon', title: `Look along ${name} (${key})`, 'aria-label': `Look along ${name} (${key})`,
    click: () => { stage.eye.lookFrom(from); app.touch(); },
  }, name);
  const tools = h('div', { class: 'tools', role: 'group', 'aria-label': 'Eye' },
    ...(stage.plane ? [] : [look('x', [1, 0, 0], '1'), look('y', [0, -1, 0], '2'), look('z', [0, 0, 1], '3')]),
    button('fit', 'Zoom to all, or to the selection (F)', () => app.focus()));
  const legend = h('div', { class: 'legend', 'aria-live': 'off' });
  const ruler = new Ruler(stage);
  const label = of > 1 ? [h('div', { class: 'label' }, reel.source.name)] : [];
  const element = h('div', { class: 'stage' }, canvas, tools, legend, ruler.element, ...label);
  const act: Act = { reel, stage, element, legend, ruler, wanted: -1, ticket: 0, ready: false };
  new ResizeObserver(() => { stage.resize(); app.touch(); }).observe(canvas);
  stage.controls.addEventListener('change', () => {
    // All eyes look alike where there are several runs.
    for (const other of app.acts) {
      if (other === act || other.stage.plane !== stage.plane) continue;
      other.stage.camera.copy(stage.camera as never, false);
      other.stage.resize();
      other.stage.controls.target.copy(stage.controls.target);
    }
    app.touch();
  });
  let down: [number, number] | null = null;
  canvas.addEventListener('pointerdown', (e) => { down = [e.offsetX, e.offsetY]; });
  canvas.addEventListener('pointerup', (e) => {
    const from = down;
    down = null;
    if (!from || Math.hypot(e.offsetX - from[0], e.offsetY - from[1]) > 4 || e.button !== 0) return;
    app.inspector.select(act, stage.pick(e.offsetX, e.offsetY));
  });
  hover(app, act, () => down !== null);
  return act;
}

/** The name of what the pointer is over. */
function hover(app: App, { element, stage, reel }: Act, dragging: () => boolean): void {
  const { canvas } = stage;
  const tag = h('div', { class: 'tag' });
  const name = (p: Picked) => (p.kind === 'body' ? reel.name(p.body) : `${reel.name(p.bodies[0])} – ${reel.name(p.bodies[1])}`);
  let wait = 0;
  canvas.addEventListener('pointerleave', () => { clearTimeout(wait); tag.remove(); });
  canvas.addEventListener('pointermove', (e) => {
    clearTimeout(wait);
    if (dragging() || app.player.playing || e.pointerType === 'touch' || reel.shapes().shapes.length / 3 > HOVERED) return tag.remove();
    wait = window.setTimeout(() => {
      const picked = stage.pick(e.offsetX, e.offsetY);
      canvas.style.cursor = picked ? 'pointer' : '';
      if (!picked) return tag.remove();
      tag.textContent = name(picked);
      // To the other side of the pointer where there is no room.
      const left = e.offsetX + 14 + 8 * tag.textContent.length < canvas.clientWidth;
      [tag.style.left, tag.style.right] = left ? [`${e.offsetX + 14}px`, 'auto'] : ['auto', `${canvas.clientWidth - e.offsetX + 10}px`];
      tag.style.top = `${Math.min(e.offsetY + 14, canvas.clientHeight - 28)}px`;
      element.append(tag);
    }, 40);
  });
}
