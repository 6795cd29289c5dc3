// What is drawn, and how.

import type { App } from './app';
import { choice, h, slider, tick } from './dom';
import type { Options } from './options';

const percent = (v: number) => `${Math.round(100 * v)} %`;

export class ViewSheet {
  constructor(private readonly app: App) {}

  private set<K extends keyof Options>(key: K, value: Options[K]): void {
    this.app.options[key] = value;
    if (key === 'colour') this.app.suited = false;
    if (key === 'colour' || key === 'perFrame') this.app.recolour();
    else this.app.refresh();
    this.settle();
  }

  private colours(): [string, string][] {
    const all = new Map<string, string>([['material', 'material'], ['body', 'body']]);
    for (const a of this.app.acts) {
      for (const m of a.stage.measures) all.set(m.id, (a.stage.isSolid ? `${m.group}: ` : '') + m.label);
    }
    return [...all];
  }

  /** Controls that mean something only while another has some value. */
  private dependent: [HTMLElement, () => boolean][] = [];

  private when<E extends HTMLElement>(means: () => boolean, element: E): E {
    this.dependent.push([element, means]);
    return element;
  }

  private settle(): void {
    for (const [element, means] of this.dependent) element.hidden = !means();
  }

  fill(sheet: HTMLElement): void {
    this.dependent = [];
    sheet.replaceChildren(...this.numbers(), ...this.bodies(), ...this.solids(), ...this.cut(),
      h('p', { class: 'hint' }, 'Click a body or a contact for its numbers. ', h('kbd', {}, '?'), ' lists the keys.'));
    this.settle();
  }

  /** What colours and lines tell. */
  private numbers(): HTMLElement[] {
    const { options, acts } = this.app;
    const [coloured, drawn] = [() => acts.some((a) => a.stage.measure()), () => options.forces !== 'off'];
    const most: HTMLElement[] = acts.some((a) => a.reel.cast.explored)
      ? [tick('Sets of reactions, where explored', options.sets, (v) => this.set('sets', v))] : [];
    return [
      h('h3', {}, 'Colour'),
      choice('Colour by', this.colours(), options.colour, (v) => this.set('colour', v)),
      this.when(coloured, tick('Range of this frame alone', options.perFrame, (v) => this.set('perFrame', v))),
      h('h3', {}, 'Forces'),
      choice('Forces', [['off', 'off'], ['network', 'network'], ['vectors', 'vectors']], options.forces, (v) => this.set('forces', v as Options['forces'])),
      this.when(drawn, slider('Only above', [0, 1, 0.01], options.threshold, (v) => this.set('threshold', v), percent)),
      this.when(drawn, slider('Width', [0.2, 4, 0.1], options.width, (v) => this.set('width', v), (v) => `× ${v}`)),
      tick('Contact points', options.contacts, (v) => this.set('contacts', v)),
      ...most,
    ];
  }

  private bodies(): HTMLElement[] {
    const { options, acts } = this.app;
    const ties = acts.some((a) => a.reel.cast.joints.length + a.reel.cast.springs.length > 0);
    const stands = acts.some((a) => a.reel.cast.roles.some((r) => r === 'fixed' || r === 'moved'));
    return [
      h('h3', {}, 'Bodies'),
      slider('Opacity', [0.05, 1, 0.05], options.opacity, (v) => this.set('opacity', v), percent),
      ...(stands ? [slider('Fixed bodies', [0, 1, 0.05], options.fixedOpacity, (v) => this.set('fixedOpacity', v), percent)] : []),
      tick('Edges', options.edges, (v) => this.set('edges', v)),
      ...(acts.some((a) => a.stage.shades) ? [tick('Shadows', options.shadows, (v) => this.set('shadows', v))] : []),
      ...(acts.some((a) => a.reel.cast.loads.length > 0) ? [tick('Loads', options.loads, (v) => this.set('loads', v))] : []),
      ...(ties ? [tick('Joints and springs', options.ties, (v) => this.set('ties', v))] : []),
    ];
  }

  private solids(): HTMLElement[] {
    const { options, acts } = this.app;
    if (!acts.some((a) => a.stage.isSolid)) return [];
    return [
      h('h3', {}, 'Solids'),
      slider('Enlarged', [0, 3, 0.05], Math.log10(options.enlarged || 1), (v) => this.set('enlarged', 10 ** v), (v) => `× ${Number((10 ** v).toPrecision(3))}`),
      tick('Outline at rest', options.rest, (v) => this.set('rest', v)),
      choice('Mirrored', this.axes(), options.mirror, (v) => { this.set('mirror', v as Options['mirror']); this.app.frame(); }),
      ...(acts.some((a) => a.reel.cast.supports.length > 0) ? [tick('Held nodes', options.supports, (v) => this.set('supports', v))] : []),
    ];
  }

  private cut(): HTMLElement[] {
    const { options } = this.app;
    return [
      h('h3', {}, 'Section'),
      choice('Cut along', this.axes(), options.section, (v) => this.set('section', v as Options['section'])),
      this.when(() => options.section !== 'off', slider('Place', [0, 1, 0.01], options.place, (v) => this.set('place', v), percent)),
    ];
  }

  private axes(): [string, string][] {
    const all: [string, string][] = [['off', 'off'], ['x', 'x'], ['y', 'y'], ['z', 'z']];
    return this.app.acts.some((a) => !a.stage.plane) ? all : all.slice(0, 3);
  }

  cycleForces(): void {
    const order: Options['forces'][] = ['off', 'network', 'vectors'];
    this.set('forces', order[(order.indexOf(this.app.options.forces) + 1) % 3]);
    if (this.app.tab === 'View') this.app.choose('View');
  }

  cycleColour(): void {
    const all = this.colours().map(([id]) => id);
    this.set('colour', all[(all.indexOf(this.app.options.colour) + 1) % all.length]);
    if (this.app.tab === 'View') this.app.choose('View');
  }
}
