// What is drawn, and how.

import type { App } from './app';
import { choice, h, slider, tick } from './dom';
import type { Options } from './options';

export class ViewSheet {
  constructor(private readonly app: App) {}

  private set<K extends keyof Options>(key: K, value: Options[K]): void {
    this.app.options[key] = value;
    if (key === 'colour' || key === 'perFrame') for (const a of this.app.acts) a.stage.forget();
    this.app.refresh();
  }

  private colours(): [string, string][] {
    const all = new Map<string, string>([['material', 'material'], ['body', 'body']]);
    for (const a of this.app.acts) {
      for (const m of a.stage.measures) all.set(m.id, (a.stage.isSolid ? `${m.group}: ` : '') + m.label);
    }
    return [...all];
  }

  fill(sheet: HTMLElement): void {
    const { options, acts } = this.app;
    const solid = acts.some((a) => a.stage.isSolid);
    const space = acts.some((a) => !a.stage.plane);
    const percent = (v: number) => `${Math.round(100 * v)} %`;
    const ties = acts.some((a) => a.reel.cast.joints.length + a.reel.cast.springs.length > 0);
    const held = acts.some((a) => a.reel.cast.supports.length > 0);
    const axes: [string, string][] = [['off', 'off'], ['x', 'x'], ['y', 'y'], ['z', 'z']];
    if (!space) axes.pop();
    sheet.replaceChildren(
      h('h3', {}, 'Colour'),
      choice('Colour by', this.colours(), options.colour, (v) => this.set('colour', v)),
      tick('Range of this frame alone', options.perFrame, (v) => this.set('perFrame', v)),
      h('h3', {}, 'Forces'),
      choice('Forces', [['off', 'off'], ['network', 'network'], ['vectors', 'vectors']], options.forces, (v) => this.set('forces', v as Options['forces'])),
      slider('Only above', [0, 1, 0.01], options.threshold, (v) => this.set('threshold', v), percent),
      slider('Width', [0.2, 4, 0.1], options.width, (v) => this.set('width', v), (v) => `× ${v}`),
      tick('Contact points', options.contacts, (v) => this.set('contacts', v)),
      ...(acts.some((a) => a.reel.cast.explored) ? [tick('Sets of reactions, where explored', options.sets, (v) => this.set('sets', v))] : []),
      h('h3', {}, 'Bodies'),
      slider('Opacity', [0.05, 1, 0.05], options.opacity, (v) => this.set('opacity', v), percent),
      slider('Fixed bodies', [0, 1, 0.05], options.fixedOpacity, (v) => this.set('fixedOpacity', v), percent),
      tick('Edges', options.edges, (v) => this.set('edges', v)),
      ...(acts.some((a) => a.reel.cast.loads.length > 0) ? [tick('Loads', options.loads, (v) => this.set('loads', v))] : []),
      ...(ties ? [tick('Joints and springs', options.ties, (v) => this.set('ties', v))] : []),
      ...(solid ? [
        h('h3', {}, 'Solids'),
        slider('Enlarged', [0, 3, 0.05], Math.log10(options.enlarged || 1), (v) => this.set('enlarged', 10 ** v), (v) => `× ${Number((10 ** v).toPrecision(3))}`),
        tick('Outline at rest', options.rest, (v) => this.set('rest', v)),
        choice('Mirrored', axes, options.mirror, (v) => { this.set('mirror', v as Options['mirror']); this.app.frame(); }),
        ...(held ? [tick('Held nodes', options.supports, (v) => this.set('supports', v))] : []),
      ] : []),
      h('h3', {}, 'Section'),
      choice('Cut along', axes, options.section, (v) => this.set('section', v as Options['section'])),
      slider('Place', [0, 1, 0.01], options.place, (v) => this.set('place', v), percent),
      h('p', { class: 'hint' }, 'Click a body or a contact for its numbers. ', h('kbd', {}, '?'), ' lists the keys.'),
    );
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
