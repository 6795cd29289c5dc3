// A run that is being computed: how it stands, pause, step, push.

import type { Act, App } from './app';
import { short } from './colours';
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
  const push = button('follow', 'Push: drag from a body', () => {
    pushing = !pushing;
    push.setAttribute('aria-pressed', String(pushing));
    for (const a of app.acts) a.stage.controls.enabled = !pushing;
  }, 'Push');
  const real = button('first', 'Not faster than real time', () => void order({ real: real.getAttribute('aria-pressed') !== 'true' }), 'Real time');
  pause.id = 'live-pause';
  push.id = 'live-push';
  let [paused, pushing] = [false, false];
  let refused: string | null = null;
  app.extra.append(h('span', { class: 'live' }, told, pause, step, real, push));

  const show = (s: Status) => {
    paused = s.paused;
    told.textContent = s.over ? 'computed' : `${paused ? 'paused' : 'computing'} · step ${s.step} of ${s.steps} · ${short(s.time)} s` + (s.pushes ? ` · ${s.pushes} pushes` : '');
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
  const { canvas } = act.stage;
  let held: { body: number; x: number; y: number } | null = null;
  canvas.addEventListener('pointerdown', (e) => {
    if (!on()) return;
    const picked = act.stage.pick(e.offsetX, e.offsetY);
    held = picked?.kind === 'body' ? { body: picked.body, x: e.offsetX, y: e.offsetY } : null;
  });
  canvas.addEventListener('pointerup', (e) => {
    if (!held || !on()) return;
    const { camera, plane } = act.stage;
    const way = new Vector3(e.offsetX - held.x, held.y - e.offsetY, 0).divideScalar(canvas.clientHeight).applyQuaternion(camera.quaternion);
    const g = Math.hypot(...(act.reel.cast.gravity.length ? act.reel.cast.gravity : [9.81])) || 9.81;
    const force = way.multiplyScalar(10 * g * (act.reel.cast.masses[held.body] || 1));
    if (force.length() > 0) push(held.body, plane ? [force.x, force.y] : force.toArray());
    held = null;
    app.touch();
  });
}
