// The engine on a thread of its own: asked by number, answered by number.

import init, { Engine, check_scene, scenes, schema } from './delassus_web.js';

/** Milliseconds between two words about a run. */
const SLICE = 60;

let engine: Engine | null = null;
let running = false;
const ready = init({ module_or_path: new URL('delassus_web_bg.wasm', import.meta.url) });

function go(): void {
  if (!engine || !running) return;
  const begin = performance.now();
  let steps = 1;
  let told: string;
  try {
    do {
      told = engine.advance(steps);
      steps = Math.min(2 * steps, 256);
    } while (performance.now() - begin < SLICE && !JSON.parse(told).over);
  } catch (e) {
    running = false;
    postMessage({ failed: message(e), broken: typeof e !== 'string' });
    return;
  }
  const status = JSON.parse(told);
  if (status.over) {
    running = false;
    status.hash = engine.hash();
  }
  postMessage({ status: { ...status, running, seconds: (performance.now() - begin) / 1000 } });
  // Lets questions of the page in between.
  if (running) setTimeout(go, 0);
}

function message(e: unknown): string {
  if (typeof e === 'string') return e;
  const text = e instanceof Error ? e.message : String(e);
  if (/memory|allocat/i.test(text)) return 'the scene needs more memory than a page may have: try a smaller one, or the command “delassus run”';
  return `internal error, please report it with the scene: ${text}`;
}

/** The engine with a scene in it. */
function opened(): Engine {
  // A plain text is an answer; anything else would be taken for a defect.
  if (!engine) throw 'no scene is open: run one';
  return engine;
}

function answer(what: string, a: never[]): unknown {
  switch (what) {
    case 'scenes': return scenes();
    case 'schema': return schema();
    case 'check': return check_scene(a[0]);
    case 'open':
      running = false;
      engine?.free();
      engine = null;
      engine = new Engine(a[0]);
      return engine.status();
    case 'run':
      if (!running && engine) { running = true; setTimeout(go, 0); }
      return null;
    case 'stop': running = false; return null;
    case 'step': return opened().advance(a[0]);
    case 'hash': return opened().hash();
    case 'meta': return opened().meta();
    case 'cast': return opened().cast();
    case 'geometry': return opened().geometry();
    case 'frame': return opened().frame(a[0], a[1]);
    case 'series': return opened().series(a[0]);
    case 'history': return opened().history(a[0], a[1]);
    case 'pair': return opened().pair(a[0], a[1]);
    case 'resultant': return opened().resultant(a[0]);
    case 'values': return opened().values(a[0], a[1], a[2]);
    case 'explore': return opened().explore();
    default: throw new Error(`no such question: ${what}`);
  }
}

self.onmessage = async (e: MessageEvent<{ id: number; what: string; args: never[] }>) => {
  const { id, what, args } = e.data;
  try {
    await ready;
    postMessage({ id, value: answer(what, args) });
  } catch (error) {
    postMessage({ id, error: message(error), broken: typeof error !== 'string' });
  }
};
