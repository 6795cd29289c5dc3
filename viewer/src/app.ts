// The page: stages side by side, one clock, one panel.

import { perform, type Act } from './act';
import { short, told } from './colours';
import { button, h } from './dom';
import { exportPicture, exportVideo } from './export';
import { Inspector } from './inspector';
import { help, listen } from './keys';
import { legend } from './legend';
import { defaults, type Options } from './options';
import { PlotSheet } from './plotsheet';
import { Player } from './player';
import { Reel } from './reel';
import type { Source } from './source';
import { Stage } from './stage';
import { theme } from './theme';
import { judged, sceneOf } from './verdict';
import { ViewSheet } from './viewsheet';

/** Frames that stand for a run, as parts of it. */
const SURVEYED = [0.17, 0.33, 0.5, 0.67, 0.83, 1];

export class App {
  readonly options: Options = { ...defaults };
  readonly acts: Act[] = [];
  readonly player: Player;
  readonly middle = h('div', { class: 'middle' });
  private handled = false;
  readonly stages = h('section', { id: 'stages', 'aria-label': 'Picture' });
  readonly sheet = h('div', { class: 'sheet', role: 'tabpanel', id: 'sheet', tabindex: 0 });
  readonly header: HTMLElement;
  readonly chips = h('span', { class: 'live' });
  readonly extra = h('span', { class: 'live' });
  /** What governs a run that is being computed. */
  readonly live = h('div', { class: 'livebar', hidden: true });
  readonly inspector: Inspector;
  readonly plots: PlotSheet;
  readonly view: ViewSheet;
  private readonly tabs = new Map<string, { tab: HTMLButtonElement; fill: () => void }>();
  /** Milliseconds of this thread, and what they went into: frames made ready, pictures handed over. */
  readonly spent = { draw: 0, submit: 0, frames: 0, pictures: 0 };
  private open = 'View';
  /** Whether the next frame is looked at whole: it has something that the others have not. */
  reveals = false;
  private dirty = true;
  private title = h('h1');
  /** Whether the colour is not the user's choice. */
  suited = false;

  constructor(private readonly root: HTMLElement) {
    theme();
    this.player = new Player(() => this.show());
    this.inspector = new Inspector(this);
    this.plots = new PlotSheet(this);
    this.view = new ViewSheet(this);
    const panel = ofRun(button('panel', 'Show or hide the panel (P)', () => this.togglePanel()));
    this.header = h('header', {},
      h('div', { class: 'brand' }, h('i'), h('span', {}, 'Delassus')), this.title, this.chips, h('div', { class: 'space' }), this.extra,
      ofRun(button('camera', 'Save a picture (S)', () => exportPicture(this))),
      ofRun(button('film', 'Save a video', () => exportVideo(this))),
      button('theme', 'Dark or light (T)', () => this.turnTheme()),
      button('help', 'Keys (?)', help), panel);
    const bar = h('div', { class: 'tabs', role: 'tablist', 'aria-label': 'Panel' });
    const tab = (name: string, fill: () => void) => {
      const tab = h('button', { type: 'button', role: 'tab', 'aria-selected': 'false', 'aria-controls': 'sheet', click: () => this.choose(name) }, name);
      this.tabs.set(name, { tab, fill });
      bar.append(tab);
    };
    tab('View', () => this.view.fill(this.sheet));
    tab('Selection', () => this.inspector.fill(this.sheet));
    tab('Plots', () => this.plots.fill(this.sheet));
    tab('Scene', () => this.sheet.replaceChildren(...this.acts.map((a) => sceneOf(a.reel))));
    this.middle.append(this.stages, h('aside', { 'aria-label': 'Panel' }, bar, this.sheet));
    if (window.innerWidth < 760) this.middle.classList.add('closed');
    this.stages.append(h('div', { class: 'stage opening', role: 'status' }, h('div', { class: 'message' }, h('span', { class: 'wheel' }), 'Opening the run…')));
    root.replaceChildren(this.header, this.live, this.middle, this.player.element);
    listen(this);
    for (const what of ['pointerdown', 'wheel']) this.stages.addEventListener(what, () => { this.handled = true; }, true);
    const loop = (now: number) => {
      this.player.tick(now, this.acts.every((a) => a.ready));
      if (this.dirty) {
        this.dirty = false;
        const begin = performance.now();
        for (const a of this.acts) {
          a.stage.render();
          a.ruler.update();
        }
        this.spent.submit += performance.now() - begin;
        this.spent.pictures++;
      }
      requestAnimationFrame(loop);
    };
    requestAnimationFrame(loop);
  }

  /** Opens runs side by side. */
  async load(sources: Source[]): Promise<void> {
    const reels = await Promise.all(sources.map((s) => Reel.open(s)));
    this.stages.querySelector('.opening')?.remove();
    this.clear();
    reels.forEach((reel, i) => this.add(reel, i, reels.length));
    const first = this.acts[0].reel;
    this.title.textContent = first.meta.title || sources[0].name;
    document.title = `${first.meta.title || sources[0].name} · Delassus`;
    this.suitOptions();
    this.player.set(first.meta.times, first.meta.steps);
    this.player.suit();
    this.choose(this.open);
    for (const act of this.acts) if (act.reel.frames === 0) this.empty(act);
    this.player.go(Math.min(this.player.frame, this.player.end));
    void this.certificate();
    // The picture first: what the scene tells may take a moment.
    for (const act of this.acts) {
      act.reel.source.cast().then((cast) => {
        if (cast.error || !cast.names) return;
        act.reel.cast = cast;
        if (cast.explored) this.offer(act, cast.explored.time);
        act.stage.build();
        this.suitOptions();
        act.stage.refit([]);
        this.choose(this.open);
        this.refresh();
        void this.survey(act);
      }).catch((e) => this.complain(act, e));
    }
  }

  /** A run without frames, yet or for good. */
  private empty(act: Act): void {
    act.ready = true;
    this.message(act, act.reel.meta.growing
      ? { title: 'No frame yet', text: 'The run is being written, and has not recorded its first frame. It is shown here as soon as it comes.' }
      : { title: 'This run has no frame', text: `${act.reel.meta.file ?? act.reel.source.name} ended before its first frame was recorded: run the scene again.` });
  }

  /** The way to the frame that was explored. */
  private offer(act: Act, time: number): void {
    const go = () => {
      this.options.contacts = true;
      this.reveals = true;
      this.player.jump(act.reel.at(time));
      this.refresh();
    };
    const chip = h('button', { type: 'button', class: 'chip', id: 'explored', click: go, title: 'Go to the frame whose reactions were explored' }, `explored at ${told(time, 's')}`);
    this.extra.querySelector('#explored')?.remove();
    this.extra.append(chip);
  }

  /** Frames far from each other, so that all of a motion fits into the picture. */
  private async survey(act: Act): Promise<void> {
    const n = act.reel.frames - 1;
    if (n < 2 || !act.reel.field('bodies/position')) return;
    const at = [...new Set(SURVEYED.map((x) => Math.round(x * n)))];
    const packs = await Promise.all(at.map((k) => act.reel.frame(k, ['bodies/position']).catch(() => null)));
    if (!this.acts.includes(act)) return;
    act.stage.refit(packs.filter((p) => p !== null));
    // The eye stays where it is once somebody points at something.
    if (!this.handled) this.frame();
  }

  /** After another number colours: its range over the run, and not over what was shown of it. */
  recolour(): void {
    for (const a of this.acts) {
      a.stage.forget();
      void this.gauge(a);
    }
    this.refresh();
  }

  /** Extremes of what colours, from frames far from each other. */
  private async gauge(act: Act): Promise<void> {
    const [{ reel, stage }, fields, colour] = [act, act.stage.colouring(), this.options.colour];
    const n = reel.frames - 1;
    if (n < 1 || fields.length === 0 || this.options.perFrame) return;
    const at = [...new Set(SURVEYED.map((x) => Math.round(x * n)))];
    for (const k of at) {
      const pack = await reel.frame(k, fields).catch(() => null);
      if (!this.acts.includes(act) || this.options.colour !== colour) return;
      if (pack) stage.widen(pack);
      // A million numbers a frame are enough.
      if ((pack?.arrays.get(fields[0])?.count ?? 0) > 100_000) break;
    }
    // Of what is strained nowhere, a rod that turns say, the displacement tells more.
    const other = stage.measures.find((m) => m.id === 'nodes/displacement:-1');
    if (this.suited && other && stage.measure()?.field === 'nodes/von_mises' && !(stage.known[1] > 0)) {
      this.options.colour = other.id;
      if (this.open === 'View') this.choose('View');
      return this.recolour();
    }
    this.refresh();
  }

  /** All runs in the picture, and side by side from the same eye. */
  frame(): void {
    const drawn = this.acts.filter((a) => a.stage.frame >= 0);
    for (const a of drawn) a.stage.fit();
    const same = drawn.filter((a) => a.stage.plane === drawn[0].stage.plane);
    if (same.length > 1) {
      const all = same.reduce((box, a) => box.union(a.stage.whole), same[0].stage.whole.clone());
      for (const a of same) a.stage.fit(all);
    }
    this.touch();
  }

  clear(): void {
    for (const a of this.acts) { a.stage.dispose(); a.element.remove(); }
    this.acts.length = 0;
  }

  private add(reel: Reel, i: number, of: number): void {
    const act = perform(this, reel, of);
    this.stages.append(act.element);
    this.acts.push(act);
    act.stage.resize();
    if (i === 0 && reel.meta.growing) this.watch(act);
  }

  /** What suits the run, until the user says otherwise. */
  private suitOptions(): void {
    const stage = this.acts[0].stage;
    // What coloured another run may be no number of this one.
    if (this.options.colour !== 'body' && !this.acts.some((a) => a.stage.measure())) this.options.colour = defaults.colour;
    if (this.options.colour !== defaults.colour) return;
    if (stage.isSolid) {
      const stress = stage.measures.find((m) => m.field === 'nodes/von_mises');
      if (stress) {
        this.options.colour = stress.id;
        this.suited = true;
        this.recolour();
      }
    }
  }

  /** The steps of each run in one word, and the frames that follow flagged ones. */
  async certificate(): Promise<void> {
    const told = await Promise.all(this.acts.map(({ reel }) => judged(reel)));
    this.chips.replaceChildren();
    const flagged = new Set<number>();
    this.acts.forEach((act, i) => {
      const verdict = told[i];
      if (!verdict) return;
      const { worst, count, frames } = verdict;
      const word = count > 0 ? `${count} steps above the tolerance` : 'every step certified';
      const sentence = `${word}, residual ≤ ${short(worst)}`;
      const chip = count === 0 ? h('span', { class: 'chip ok wide', title: 'Largest relative residual of the laws in any step' }, sentence)
        : h('button', { type: 'button', class: 'chip bad wide', title: 'Go to the next frame that follows such a step', click: () => this.player.nextFlag() }, sentence);
      if (i === 0) chip.id = 'certificate';
      // Of several runs each has its own, beside its name.
      const label = act.element.querySelector('.label');
      label?.querySelector('.chip')?.remove();
      (label ?? this.chips).append(chip);
      for (const f of frames) flagged.add(i === 0 ? f : this.acts[0].reel.at(act.reel.meta.times[f]));
    });
    this.player.flags([...flagged].sort((a, b) => a - b));
  }

  /** Shows the frame of the clock. */
  show(): void {
    const time = this.player.time;
    this.acts.forEach((act, i) => {
      const frame = i === 0 ? this.player.frame : act.reel.at(time);
      void this.bring(act, frame);
    });
    this.plots.at(time);
  }

  private async bring(act: Act, frame: number): Promise<void> {
    if (act.reel.frames === 0) return;
    act.wanted = frame;
    const ticket = ++act.ticket;
    act.ready = false;
    const fields = act.stage.wanted();
    const slow = setTimeout(() => act.element.classList.add('waiting'), 250);
    try {
      const pack = await act.reel.frame(frame, fields);
      if (act.ticket !== ticket) return;
      const begin = performance.now();
      act.stage.show(pack, frame);
      if (this.reveals && act.stage.explored) {
        this.reveals = false;
        this.frame();
      }
      this.spent.draw += performance.now() - begin;
      this.spent.frames++;
      act.ready = true;
      this.message(act, null);
      Stage.level(this.acts.map((a) => a.stage), this.options.perFrame);
      for (const a of this.acts) legend(a.legend, a.stage);
      this.inspector.moved(act);
      this.touch();
      if (this.player.playing) for (let k = 1; k <= 4; k++) if (frame + k < act.reel.frames) void act.reel.frame(frame + k, fields).catch(() => undefined);
    } catch (e) {
      if (act.ticket !== ticket) return;
      this.complain(act, e);
      act.ready = true;
    } finally {
      clearTimeout(slow);
      if (act.ticket === ticket) act.element.classList.remove('waiting');
    }
  }

  /** After a change of options: maybe other fields, surely another picture. */
  refresh(): void {
    for (const a of this.acts) if (a.wanted >= 0) void this.bring(a, a.wanted);
  }

  touch(): void { this.dirty = true; }

  turnTheme(): void {
    theme(true);
    this.restyle();
  }

  restyle(): void {
    this.refresh();
    this.plots.restyle();
  }

  complain(act: Act, error: unknown): void {
    this.player.play(false);
    this.message(act, { title: 'This run cannot be shown', text: error instanceof Error ? error.message : String(error) });
  }

  message(act: Act, told: { title: string; text: string } | null): void {
    act.element.querySelector('.message')?.remove();
    if (told) act.element.append(h('div', { class: 'message', role: 'alert' }, h('div', {}, h('h2', {}, told.title), h('p', {}, told.text))));
  }

  choose(name: string): void {
    this.open = name;
    for (const [key, { tab }] of this.tabs) tab.setAttribute('aria-selected', String(key === name));
    if (this.acts.length > 0) this.tabs.get(name)!.fill();
  }

  get tab(): string { return this.open; }

  reveal(name: string): void {
    if (window.innerWidth >= 760) this.middle.classList.remove('closed');
    this.choose(name);
  }

  togglePanel(): void {
    this.middle.classList.toggle('closed');
    for (const a of this.acts) a.stage.resize();
    this.touch();
  }

  /** A run that is being written: looks again every second. */
  private watch(act: Act): void {
    const look = async () => {
      try {
        const told = await act.reel.source.grown!(act.reel.frames);
        if (told.times.length > 0) {
          const atEnd = this.player.frame >= this.player.end;
          act.reel.grow(told.times, told.steps);
          this.player.set(act.reel.meta.times, act.reel.meta.steps);
          if (atEnd && !this.player.playing) this.player.go(this.player.end);
          void this.plots.renew();
          void this.certificate();
        }
        if (told.growing) setTimeout(look, 1000);
        else this.extra.querySelector('.growing')?.remove();
      } catch (e) {
        this.complain(act, e);
      }
    };
    this.extra.append(h('span', { class: 'chip warn growing' }, 'being written'));
    setTimeout(look, 500);
  }

  /** To the selection, or to all. */
  focus(): void {
    if (!this.inspector.selected) return this.frame();
    for (const a of this.acts) if (a.stage.picked) a.stage.zoomToPicked();
    this.touch();
  }

  /** As it was seen first. */
  home(): void {
    for (const a of this.acts) a.stage.home();
    this.frame();
  }

  look(from: [number, number, number]): void {
    for (const a of this.acts) if (!a.stage.plane) a.stage.eye.lookFrom(from);
    this.touch();
  }

  /** Around what is looked at [rad]. */
  turn(across: number, up: number): void {
    for (const a of this.acts) if (!a.stage.plane) a.stage.eye.turn(across, up);
    this.touch();
  }

  zoom(by: number): void {
    for (const a of this.acts) a.stage.eye.zoom(by);
    this.touch();
  }

  /** A message in place of everything. */
  fail(title: string, text: string): void {
    document.title = `${title} · Delassus`;
    // There is nothing to save, and no panel.
    for (const b of this.header.querySelectorAll('[data-of=run]')) b.remove();
    this.root.replaceChildren(this.header, h('div', { class: 'middle closed' }, h('div', { class: 'stage' },
      h('div', { class: 'message', role: 'alert' }, h('div', {}, h('h2', {}, title), h('p', {}, text))))));
  }
}

/** Marks a button that means nothing without a run. */
function ofRun(button: HTMLButtonElement): HTMLButtonElement {
  button.dataset.of = 'run';
  return button;
}
