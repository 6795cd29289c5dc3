// Energies, residuals, iterations and whatever else was recorded once a frame.

import type { App } from './app';
import { choice, h } from './dom';
import { Plot, type Curves } from './plots';
import type { Reel } from './reel';

/** Curves that most runs have: title, unit, fields, whether a logarithm suits them. */
const usual: [string, string, string[], boolean][] = [
  ['Energy', 'J', ['energy/kinetic', 'energy/potential', 'energy/strain'], false],
  ['Residual of the laws', '', ['step/residual', 'worst/residual'], true],
  ['Iterations', '', ['step/iterations', 'step/newton'], false],
  ['Contacts', '', ['step/contacts', 'step/closed'], false],
  ['Penetration', 'm', ['step/penetration'], true],
];

export class PlotSheet {
  private plots: Plot[] = [];
  private added: string[] = [];
  private sheet: HTMLElement | null = null;

  constructor(private readonly app: App) {}

  private seek = (time: number) => {
    const reel = this.app.acts[0].reel;
    this.app.player.jump(reel.at(time));
  };

  fill(sheet: HTMLElement): void {
    this.sheet = sheet;
    const { acts } = this.app;
    const names = acts[0].reel.scalars().map((f): [string, string] => [f.name, `${f.name} [${f.unit}]`]);
    const more = choice('Add', [['', 'a recorded series…'], ...names], '', (name) => {
      if (name) this.added.push(name);
      this.fill(sheet);
    });
    const place = h('div');
    sheet.replaceChildren(more, place, h('p', { class: 'hint' }, 'A click on a curve goes to that time.'));
    this.plots = [];
    void this.build(place);
  }

  private async build(place: HTMLElement): Promise<void> {
    const { acts } = this.app;
    const wanted = [...this.added.map((n): [string, string, string[], boolean] => [n, acts[0].reel.field(n)?.unit ?? '', [n], false]), ...usual];
    for (const [title, unit, fields, log] of wanted) {
      const all = await Promise.all(acts.map((a) => curvesOf(a.reel, fields, acts.length > 1)));
      // Runs of other frames are brought to those of the first.
      const first = acts[0].reel.meta.times;
      const curves = all.flatMap((list, i) => list.map((c) => ({
        ...c, values: i === 0 ? c.values : Array.from(first, (t) => c.values[acts[i].reel.at(t)]),
      })));
      if (curves.length === 0 || !place.isConnected) continue;
      const data: Curves = { title, unit, log, times: first, curves };
      const plot = new Plot(data, this.seek, () => Math.max((this.sheet?.clientWidth ?? 320) - 28, 200));
      plot.at(this.app.player.time);
      this.plots.push(plot);
      place.append(plot.element);
    }
  }

  at(time: number): void {
    if (this.app.tab === 'Plots') for (const p of this.plots) p.at(time);
  }

  /** After frames were added. */
  refill(): void {
    if (this.app.tab === 'Plots' && this.sheet) this.fill(this.sheet);
  }

  restyle(): void {
    for (const p of this.plots) p.draw();
  }
}

async function curvesOf(reel: Reel, fields: string[], named: boolean): Promise<{ label: string; values: Float64Array }[]> {
  const known = fields.filter((f) => reel.field(f));
  const values = await Promise.all(known.map((f) => reel.series(f).catch(() => new Float64Array())));
  const out = known.map((f, i) => ({ label: (named ? `${reel.source.name} ` : '') + f.replace(/^energy\//, ''), values: values[i] }));
  return out.filter((c) => c.values.length > 0);
}
