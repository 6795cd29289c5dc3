// Time: what is shown, how fast it goes, and the bar to move in it.

import { button, choice, h, icon } from './dom';
import { scaled } from './colours';

export class Player {
  readonly element: HTMLElement;
  frame = 0;
  playing = false;
  private times: number[] = [];
  private steps: number[] = [];
  private speed = 'whole:10';
  private again = false;
  private readonly speeds: [string, string][] = [
    ['whole:5', 'all in 5 s'], ['whole:10', 'all in 10 s'], ['whole:20', 'all in 20 s'], ['whole:60', 'all in 60 s'],
    ['real:10', '10 ×'], ['real:2', '2 ×'], ['real:1', 'real time'], ['real:0.5', '½ ×'], ['real:0.1', '0.1 ×'], ['real:0.01', '0.01 ×'],
  ];
  private readonly pace = choice('Speed', this.speeds, this.speed, (v) => { this.speed = v; });
  private readonly round = button('repeat', 'Play again and again (L)', () => this.repeat());
  private clock = 0;
  private last = 0;
  private readonly range = h('input', { type: 'range', min: 0, max: 0, step: 1, value: 0, id: 'time', 'aria-label': 'Frame' });
  private readonly marks = h('canvas', { class: 'marks', 'aria-hidden': 'true' });
  private readonly readout = h('output', { class: 'readout', id: 'readout' });
  private readonly toggle = button('play', 'Play (space)', () => this.play(!this.playing));
  private flagged: number[] = [];
  private readonly warn = h('span', { class: 'sr', id: 'flags' });

  constructor(private readonly shown: (frame: number) => void) {
    this.toggle.id = 'play';
    this.range.addEventListener('input', () => { this.play(false); this.go(Number(this.range.value)); });
    this.pace.classList.add('speed');
    this.repeat(false);
    this.element = h('footer', { class: 'player' },
      h('div', { class: 'keys', role: 'group', 'aria-label': 'Playback' },
        button('first', 'First frame (Home)', () => this.jump(0)),
        button('back', 'Frame back (←)', () => this.step(-1)),
        this.toggle,
        button('next', 'Frame on (→)', () => this.step(1)),
        button('last', 'Last frame (End)', () => this.jump(this.times.length - 1))),
      h('div', { class: 'track' }, this.range, this.marks, this.warn),
      this.readout, this.pace, this.round);
    new ResizeObserver(() => this.drawMarks()).observe(this.marks);
  }

  /** The frames there are. */
  set(times: number[], steps: number[]): void {
    [this.times, this.steps] = [times, steps];
    this.range.max = String(Math.max(times.length - 1, 0));
    this.drawMarks();
    this.tell();
  }

  /** Sets the pace that suits a run: real time where that is neither over at once nor endless. */
  suit(): void {
    const whole = (this.times[this.times.length - 1] ?? 0) - (this.times[0] ?? 0);
    this.run(whole >= 2 && whole <= 30 ? 'real:1' : 'whole:10');
  }

  private run(speed: string): void {
    this.speed = speed;
    this.pace.querySelector('select')!.value = speed;
  }

  /** The next pace that is faster, or slower, than this one. */
  faster(way: 1 | -1): void {
    const now = this.rate(this.speed);
    const others = this.speeds.map(([v]) => v).filter((v) => way * (this.rate(v) - now) > 1e-9 * now);
    others.sort((a, b) => way * (this.rate(a) - this.rate(b)));
    if (others.length > 0) this.run(others[0]);
  }

  /** Seconds of the run for one of the clock. */
  private rate(speed: string): number {
    const [kind, number] = speed.split(':');
    return kind === 'whole' ? (this.times[this.end] - this.times[0]) / Number(number) : Number(number);
  }

  /** Whether the end is followed by the start. */
  repeat(on = !this.again): boolean {
    const before = this.again;
    this.again = on;
    this.round.setAttribute('aria-pressed', String(on));
    return before;
  }

  flags(frames: number[]): void {
    this.flagged = frames;
    this.warn.textContent = frames.length ? `${frames.length} frames follow steps above the tolerance` : '';
    this.drawMarks();
  }

  /** To the next frame that follows a step above the tolerance, after the last one to the first. */
  nextFlag(): void {
    const next = this.flagged.find((f) => f > this.frame) ?? this.flagged[0];
    if (next !== undefined) this.jump(next);
  }

  get time(): number { return this.times[this.frame] ?? 0; }
  get end(): number { return this.times.length - 1; }

  play(on: boolean): void {
    if (on && this.frame >= this.end) this.go(0);
    this.playing = on;
    this.clock = this.time;
    this.last = performance.now();
    this.toggle.replaceChildren(icon(on ? 'pause' : 'play'));
    const label = on ? 'Pause (space)' : 'Play (space)';
    this.toggle.title = label;
    this.toggle.setAttribute('aria-label', label);
  }

  jump(frame: number): void { this.play(false); this.go(frame); }
  step(by: number): void { this.jump(this.frame + by); }

  go(frame: number): void {
    this.frame = Math.min(Math.max(frame, 0), Math.max(this.end, 0));
    this.range.value = String(this.frame);
    this.tell();
    this.shown(this.frame);
  }

  /** A time in the unit that suits the run, with as many places as its frames need: the text does not jump while it plays. */
  private clocked(time: number): string {
    const [start, end] = [this.times[0] ?? 0, this.times[this.end] ?? 0];
    const [factor, unit] = scaled(Math.max(Math.abs(start), Math.abs(end)), 's');
    const between = (end - start) / Math.max(this.end, 1) / factor;
    const places = between > 0 ? Math.min(Math.max(Math.ceil(-Math.log10(between) - 1e-6), 0), 6) : 0;
    return `${(time / factor).toFixed(places)} ${unit}`;
  }

  private tell(): void {
    const step = this.steps[this.frame] ?? 0;
    this.readout.textContent = `${this.clocked(this.time)} · step ${step} · frame ${this.frame}/${Math.max(this.end, 0)}`;
    this.range.setAttribute('aria-valuetext', this.clocked(this.time));
  }

  /** Moves on by the clock of the wall; true while playing. */
  tick(now: number, ready: boolean): void {
    if (!this.playing) return;
    const passed = Math.min((now - this.last) / 1000, 0.1);
    this.last = now;
    // Time waits for frames that are on their way.
    if (!ready) return;
    this.clock += passed * this.rate(this.speed);
    let next = this.frame;
    while (next < this.end && this.times[next + 1] <= this.clock) next++;
    if (next !== this.frame) this.go(next);
    if (this.frame < this.end) return;
    if (this.again && this.end > 0) this.play(true); else this.play(false);
  }

  private drawMarks(): void {
    const { marks } = this;
    const [w, hgt] = [marks.clientWidth, marks.clientHeight];
    if (w === 0) return;
    [marks.width, marks.height] = [w * devicePixelRatio, hgt * devicePixelRatio];
    const ctx = marks.getContext('2d')!;
    ctx.fillStyle = '#e5484d';
    for (const f of this.flagged) ctx.fillRect((f / Math.max(this.end, 1)) * (marks.width - 2), 0, 2 * devicePixelRatio, marks.height);
  }
}
