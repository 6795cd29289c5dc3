// A run in the page, or the runs of the server that sent it.

import './style.css';
import { App } from './app';
import { join } from './live';
import { hasWebGL, noWebGL } from './webgl';
import { InsideSource, type Inside } from './inside';
import { HttpSource } from './source';

async function start(): Promise<void> {
  const app = new App(document.getElementById('app')!);
  (window as unknown as Record<string, unknown>).delassus = app;
  try {
    const inside = document.getElementById('run');
    if (inside) {
      const run = JSON.parse(inside.textContent!) as Inside;
      await app.load([new InsideSource(run.meta.title, run)]);
      return;
    }
    const reply = await fetch('runs');
    const told = await reply.json();
    if (!reply.ok) throw new Error(told.error);
    await app.load((told.runs as string[]).map((name, i) => new HttpSource(name, `run/${i}`)));
    if (told.live) join(app);
  } catch (e) {
    // Asked only now: to try takes a third of a second where software draws.
    if (!hasWebGL()) app.fail(...noWebGL);
    else app.fail('This run cannot be shown', e instanceof Error ? e.message : String(e));
  }
}

void start();
