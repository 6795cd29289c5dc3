// A run that is being computed: how it stands, pause, step, push.

import type { Act } from './act';
import type { App } from './app';
import { told as inUnit } from './colours';
import { button, h } from './dom';
import { Vector3 } from 'three';

interface Status {
  step: number;
  steps: number;
  time: number;
  paused: boolean;
  over: boolean;
  pushes: number;
  real: boolean;
  refused: string | null;
}

export function join(app: App): void {
  const told = h('span', { class: 'chip', id: 'live' });
  const pause = button('pause', 'Pause the computation', () => void order({ pause: !paused }), 'Pause');
  const step = button('next', 'Compute until the next frame', () => void order({ step: 1 }), 'Step');
  const push = button('hand', 'Push: drag from a body', () => {
    pushing = !pushing;
    push.setAttribute('aria-pressed', String(pushing));
    for (const a of app.acts) a.stage.controls.enabled = !pushing;
  }, 'Push');
  const real = button('clock', 'Not faster than real time', () => void order({ real: real.getAttribute('aria-pressed') !== 'true' }), 'Real time');
  pause.id = 'live-pause';
  push.id = 'live-push';
  let [paused, pushing] = [false, false];
  let refused: string | null = null;
  app.live.append(told, h('div', { class: 'live', role: 'group', 'aria-label': 'Computation' }, pause, step, real, push));
  app.live.hidden = false;
  // It is said here better.
  app.extra.querySelector('.growing')?.remove();

  const show = (s: Status) => {
    paused = s.paused;
    told.textContent = s.over ? 'computed' : `${paused ? 'paused' : 'computing'} · step ${s.step} of ${s.steps} · ${inUnit(s.time, 's')}` + (s.pushes ? ` · ${s.pushes} push${s.pushes > 1 ? 'es' : ''}` : '');
    told.className = `chip ${s.over ? 'ok' : paused ? 'warn' : ''}`;
    pause.lastChild!.textContent = paused ? 'Go on' : 'Pause';
    real.setAttribute('aria-pressed', String(s.real));
    if (s.refused && s.refused !== refused) {
      app.message(app.acts[0], { title: 'The push is left out', text: s.refused.split('\n')[0] });
      setTimeout(() => app.message(app.acts[0], null), 5000);
    }
    refused = s.refused;
    for (const b of [pause, step, real, push]) b.disabled = s.over;
  };
  const order = async (what: unknown) => {
    const reply = await fetch('live', { method: 'POST', body: JSON.stringify(what) });
    const answer = await reply.json();
    if (reply.ok) show(answer); else app.message(app.acts[0], { title: 'Not done', text: answer.error });
  };
  const look = async () => {
    try {
      const s = (await (await fetch('live')).json()) as Status;
      show(s);
      if (!s.over) setTimeout(look, 400);
    } catch {
      told.textContent = 'the computation has ended';
    }
  };
  void look();
  for (const act of app.acts) grab(app, act, () => pushing, (body, force) => void order({ push: { body, force, for: 0.1 } }));
}

/** A drag that starts on a body is a force: its weight for a tenth of the picture. */
function grab(app: App, act: Act, on: () => boolean, push: (body: number, force: number[]) => void): void {
  const { stage, reel } = act;
  const { canvas } = stage;
  const tag = h('div', { class: 'tag', role: 'status' });
  let held: { body: number; x: number; y: number } | null = null;
  const forceOf = (e: PointerEvent, { body, x, y }: { body: number; x: number; y: number }) => {
    const way = new Vector3(e.offsetX - x, y - e.offsetY, 0).divideScalar(canvas.clientHeight).applyQuaternion(stage.camera.quaternion);
    const g = Math.hypot(...(reel.cast.gravity.length ? reel.cast.gravity : [9.81])) || 9.81;
    return way.multiplyScalar(10 * g * (reel.cast.masses[body] || 1));
  };
  const release = () => {
    held = null;
    stage.pull(null);
    tag.remove();
    app.touch();
  };
  canvas.addEventListener('pointerdown', (e) => {
    if (!on()) return;
    const picked = stage.pick(e.offsetX, e.offsetY);
    held = picked?.kind === 'body' && reel.role(picked.body) === 'free' ? { body: picked.body, x: e.offsetX, y: e.offsetY } : null;
    if (held) canvas.setPointerCapture(e.pointerId);
  });
  canvas.addEventListener('pointermove', (e) => {
    if (!held || !on()) return;
    stage.pull({ body: held.body, x: e.offsetX, y: e.offsetY });
    tag.textContent = `${inUnit(forceOf(e, held).length(), 'N')} on ${reel.name(held.body)}`;
    [tag.style.left, tag.style.top] = [`${e.offsetX + 14}px`, `${e.offsetY + 14}px`];
    if (!tag.isConnected) act.element.append(tag);
    app.touch();
  });
  canvas.addEventListener('pointercancel', release);
  canvas.addEventListener('pointerup', (e) => {
    if (!held || !on()) return;
    const [force, { body }] = [forceOf(e, held), held];
    release();
    if (force.length() > 0) push(body, stage.plane ? [force.x, force.y] : force.toArray());
  });
}
