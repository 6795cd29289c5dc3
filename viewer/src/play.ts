// The playground: a scene at the left, the engine in the page, the picture at the right.

import './style.css';
import './play.css';
import { App } from './app';
import { short } from './colours';
import { button, choice, h, icon } from './dom';
import { Editor, type Fault } from './editor';
import { Ended, Engine, EngineSource, type Status } from './engine';
import { Polygons } from './polygons';
import { fromLink, toLink } from './share';
import { hasWebGL, noWebGL } from './webgl';

interface Example { name: string; about: string; text: string }

const engine = new Engine();
const app = new App(document.getElementById('app')!);
const told = h('output', { id: 'told', 'aria-live': 'polite' });
const progress = h('progress', { max: 1, value: 0, 'aria-label': 'Progress of the run' });
const figures = h('dl', { class: 'figures' });
const hash = h('output', { id: 'hash', title: 'Hash of the state: equal hashes, equal bits' });
const bits = h('span', { id: 'bits', title: 'The dense kernels of the command use fused operations of the processor, which WebAssembly does not have' });
const place = h('div', { class: 'text' });
const editor = new Editor(place, check, () => void run());
const runButton = button('play', 'Run the scene (Ctrl+Enter)', () => void (running ? stop() : run()), 'Run');
const polygons = new Polygons(app, engine);
let running = false;
let examples: Example[] = [];
let spent = 0;
runButton.id = 'run-scene';
runButton.classList.add('primary');

/** The scene of the gallery that is shown where none is asked for. */
const FIRST = 'card_house';

/** Milliseconds that a step may still take after Stop, and before another scene; then the engine is ended within it. */
const PATIENCE = { stop: 1000, run: 5000 };

function say(text: string, good: boolean): void {
  [told.textContent, told.className] = [text, good ? 'ok' : 'bad'];
}

/** Writes one figure of how the run stands. */
function figure(name: string, text: string): void {
  let value = figures.querySelector(`[data-figure=${name}]`);
  if (!value) figures.append(h('dt', {}, name), value = h('dd', { 'data-figure': name }));
  value.textContent = text;
}

function shows(isRunning: boolean): void {
  running = isRunning;
  runButton.lastChild!.textContent = isRunning ? 'Stop' : 'Run';
  runButton.replaceChild(icon(isRunning ? 'pause' : 'play'), runButton.firstChild!);
}

/** What is wrong with a text; nothing is said where the engine was ended meanwhile. */
async function check(text: string): Promise<Fault[]> {
  return engine.json<Fault[]>('check', text).catch(() => []);
}

/** Brings the engine to rest, whatever it is at; false where that ended it. */
async function halt(patience: number): Promise<boolean> {
  const stopped = engine.ask('stop').then(() => true, () => true);
  const late = new Promise<boolean>((done) => setTimeout(() => done(false), patience));
  if (await Promise.race([stopped, late])) return true;
  engine.restart();
  return false;
}

async function stop(): Promise<void> {
  const whole = await halt(PATIENCE.stop);
  shows(false);
  if (!whole) say('The engine was ended within a step that did not come to its end. Run begins again.', false);
}

/** A scene that takes long to check, or a step that takes long, can be ended. */
setInterval(() => {
  if (engine.silent < 2) return;
  say(`The engine has been at work for ${Math.round(engine.silent)} s; Stop ends it.`, true);
  shows(true);
}, 500);

/** Builds the scene, shows its start, and lets it run. */
async function run(): Promise<void> {
  await halt(PATIENCE.run);
  [hash.textContent, bits.textContent, spent] = ['', '', 0];
  say('The scene is being built…', true);
  figures.replaceChildren();
  progress.value = 0;
  polygons.clear();
  try {
    await engine.ask('open', editor.text);
  } catch (e) {
    if (e instanceof Ended) return;
    const faults = parsed((e as Error).message);
    shows(false);
    say(faults.map((f) => (f.line ? `line ${f.line}: ` : '') + f.message).join('\n'), false);
    return;
  }
  app.player.frame = 0;
  await app.load([new EngineSource(titleOf(editor.text), engine)]);
  shows(true);
  await engine.ask('run');
}

function parsed(text: string): Fault[] {
  try {
    return JSON.parse(text);
  } catch {
    return [{ severity: 'error', message: text, help: [], line: null, column: null, length: null }];
  }
}

engine.onstatus = async (s: Status) => {
  spent += s.seconds;
  const rate = s.step / Math.max(spent, 1e-9);
  say(s.flagged ? `${s.flagged} steps above the tolerance` : s.over ? 'Done: every step certified' : 'Running: every step certified', !s.flagged);
  progress.value = s.step / Math.max(s.steps, 1);
  figure('step', `${s.step} of ${s.steps}`);
  figure('contacts', String(s.contacts));
  figure('residual', `${s.residual.toExponential(1)}, worst ${s.worst.toExponential(1)}`);
  figure('speed', `${rate.toFixed(0)} steps/s, ${short(spent)} s in all`);
  const act = app.acts[0];
  if (act && s.frames !== act.reel.frames) {
    const grown = await act.reel.source.grown!(0);
    const atEnd = app.player.frame >= app.player.end;
    act.reel.replace(grown.times, grown.steps);
    app.player.set(act.reel.meta.times, act.reel.meta.steps);
    if (atEnd && !app.player.playing) app.player.go(app.player.end);
    void app.plots.renew();
    void app.certificate();
  }
  if (s.over) {
    shows(false);
    const same = s.factored === 0;
    hash.textContent = `state ${s.hash!.slice(0, 16)}`;
    bits.textContent = same ? 'as “delassus run” prints it: sweeps solved every step'
      : `last digits may differ from those of “delassus run”: factors took part in ${s.factored} steps`;
    void app.certificate();
    void app.plots.renew();
    app.recolour();
  }
};
engine.onfailed = (message) => {
  shows(false);
  say(message, false);
};

const kinds = ['Bodies in the plane', 'Bodies in space', 'Deformable solids'];

function kindOf(text: string): string {
  if (/^\[\[?(solid|beam|mesh)\b/m.test(text)) return kinds[2];
  return /^\s*dimension\s*=\s*3/m.test(text) ? kinds[1] : kinds[0];
}

function titleOf(text: string): string {
  return /^\s*title\s*=\s*"([^"]*)"/m.exec(text)?.[1] ?? 'scene';
}

async function share(): Promise<void> {
  location.hash = `scene=${await toLink(editor.text)}`;
  await navigator.clipboard?.writeText(location.href).catch(() => undefined);
  say('The address of this page now holds the scene; it is copied.', true);
}

async function start(): Promise<void> {
  if (!hasWebGL()) return app.fail(...noWebGL);
  try {
    const [all, schema] = await Promise.all([engine.json<Example[]>('scenes'), engine.ask<string>('schema')]);
    examples = all;
    editor.know(schema);
  } catch (e) {
    return app.fail('The engine could not be started', (e as Error).message);
  }
  const gallery = choice('Scene', [], '', (name) => { location.hash = `gallery=${name}`; });
  const select = gallery.querySelector('select')!;
  select.id = 'gallery';
  for (const kind of kinds) {
    const own = examples.filter((e) => kindOf(e.text) === kind);
    if (own.length) select.append(h('optgroup', { label: kind }, ...own.map((e) => h('option', { value: e.name }, `${titleOf(e.text)} (${e.name})`))));
  }
  const about = h('p', { class: 'hint about' });
  document.getElementById('editor')!.append(
    h('div', { class: 'bar' }, gallery, runButton, button('link', 'Share: the scene in the address', () => void share())),
    about, place, h('div', { class: 'state' }, progress, told, figures, h('div', { class: 'end' }, hash, bits)));
  app.extra.append(polygons.button);
  const follow = async () => {
    const [kind, value] = location.hash.slice(1).split('=');
    const named = (name: string) => examples.find((e) => e.name === name);
    const example = named(value) ?? named(FIRST) ?? examples[0];
    if (kind === 'scene' && value) {
      try { editor.text = await fromLink(value); } catch { return say('The address does not hold a scene: it may have been cut. Choose one of the gallery.', false); }
      about.textContent = '';
    } else {
      editor.text = example.text;
      about.textContent = example.about;
      select.value = example.name;
    }
    await run();
  };
  window.addEventListener('hashchange', () => { if (!location.hash.startsWith('#scene=')) void follow(); });
  await follow();
}

// A question that the engine was ended on has no answer, and nobody waits for one.
window.addEventListener('unhandledrejection', (e) => { if (e.reason instanceof Ended) e.preventDefault(); });
Object.assign(window, { delassus: app, playground: { editor, engine, run } });
void start();
