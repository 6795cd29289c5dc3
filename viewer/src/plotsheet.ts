// Energies, residuals, iterations and whatever else was recorded once a frame.

import type { App } from './app';
import { choice, h } from './dom';
import { Plot, type Curves } from './plots';
import type { Reel } from './reel';

interface Wanted {
  title: string;
  unit: string;
  /** Names of series; one that ends with a slash means all below it. */
  fields: string[];
  /** Whether a logarithm suits them. */
  log?: boolean;
  /** Whether those that are nothing beside the largest are left out: the ledger has works at round-off. */
  some?: boolean;
}

/** What most runs have. */
const usual: Wanted[] = [
  { title: 'Energy', unit: 'J', fields: ['energy/'], some: true },
  { title: 'Work since the start', unit: 'J', fields: ['work/'], some: true },
  { title: 'Residual of the laws', unit: '', fields: ['step/residual', 'worst/residual'], log: true },
  { title: 'Iterations', unit: '', fields: ['step/iterations', 'step/newton'] },
  { title: 'Contacts', unit: '', fields: ['step/contacts', 'step/closed'] },
  { title: 'Penetration', unit: 'm', fields: ['step/penetration'], log: true },
];

const axes = ['x', 'y', 'z'];

export class PlotSheet {
  private plots: Plot[] = [];
  private added: string[] = [];
  private sheet: HTMLElement | null = null;
  private renewing = false;
  private due = false;

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
      if (name && !this.added.includes(name)) this.added.unshift(name);
      this.fill(sheet);
    });
    const place = h('div');
    sheet.replaceChildren(more, place, h('p', { class: 'hint' }, 'A click on a curve goes to that time.'));
    this.plots = [];
    void this.build(place);
  }

  private wanted(): Wanted[] {
    const { reel } = this.app.acts[0];
    const added = this.added.map((n): Wanted => ({ title: n, unit: reel.field(n)?.unit ?? '', fields: [n] }));
    return [...added, ...watched(reel), ...usual];
  }

  private async collect(wanted: Wanted): Promise<Curves | null> {
    const { acts } = this.app;
    const all = await Promise.all(acts.map((a) => curvesOf(a.reel, wanted, acts.length > 1)));
    // Runs of other frames are brought to those of the first; while it grows, some series may be longer than others.
    const least = Math.min(acts[0].reel.frames, ...(all[0] ?? []).map((c) => c.values.length));
    const times = acts[0].reel.meta.times.slice(0, least);
    const curves = all.flatMap((list, i) => list.map((c) => ({
      ...c, values: i === 0 ? Array.prototype.slice.call(c.values, 0, least) : times.map((t) => c.values[acts[i].reel.at(t)]),
    })));
    const { title, unit, log } = wanted;
    return curves.length > 0 ? { title, unit, log, times, curves } : null;
  }

  private async build(place: HTMLElement): Promise<void> {
    for (const wanted of this.wanted()) {
      const data = await this.collect(wanted);
      if (!data || !place.isConnected) continue;
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
  async renew(): Promise<void> {
    if (this.app.tab !== 'Plots' || !this.sheet) return;
    if (this.renewing) { this.due = true; return; }
    this.renewing = true;
    try {
      const told = (await Promise.all(this.wanted().map((w) => this.collect(w)))).filter((d) => d !== null);
      const labels = (all: Curves[]) => JSON.stringify(all.map((d) => [d.title, d.curves.map((c) => c.label)]));
      if (this.app.tab !== 'Plots') return;
      // A work that was zero until now is a new curve.
      if (labels(told) !== labels(this.plots.map((p) => p.curves))) return this.fill(this.sheet);
      this.plots.forEach((p, i) => p.renew(told[i]));
    } finally {
      this.renewing = false;
      if (this.due) { this.due = false; void this.renew(); }
    }
  }

  restyle(): void {
    for (const p of this.plots) p.draw();
  }
}

/** Series of the run: whatever else it observes, one plot for each name and unit. */
const observed = ['observe', 'probes', 'contact', 'flow', 'wear'];

function watched(reel: Reel): Wanted[] {
  const out = new Map<string, Wanted>();
  for (const f of reel.scalars()) {
    const parts = f.name.split('/');
    if (parts.length < 3 || !observed.includes(parts[0])) continue;
    const title = parts.slice(1, -1).join('/');
    const key = `${title} ${f.unit}`;
    const plot = out.get(key) ?? { title, unit: f.unit, fields: [] };
    plot.fields.push(f.name);
    out.set(key, plot);
  }
  return [...out.values()];
}

async function curvesOf(reel: Reel, { fields, some }: Wanted, named: boolean): Promise<{ label: string; values: ArrayLike<number> }[]> {
  const known = fields.flatMap((name) => (name.endsWith('/') ? reel.scalars().filter((f) => f.name.startsWith(name)) : [reel.field(name)].filter((f) => !!f)));
  const out: { label: string; values: ArrayLike<number> }[] = [];
  for (const { name, width } of known) {
    const all = await reel.series(name).catch(() => new Float64Array());
    const label = (named ? `${reel.source.name} ` : '') + name.slice(name.lastIndexOf('/') + 1).replace(/_/g, ' ');
    for (let k = 0; k < width; k++) {
      const values = width === 1 ? all : Array.from({ length: all.length / width }, (_, i) => all[width * i + k]);
      out.push({ label: width === 1 ? label : `${label} ${axes[k] ?? k}`, values });
    }
  }
  const size = ({ values }: { values: ArrayLike<number> }) => {
    let most = 0;
    for (let i = 0; i < values.length; i++) most = Math.max(most, Math.abs(values[i]) || 0);
    return most;
  };
  // Works at round-off are nothing beside the energies either.
  const energies = some ? await Promise.all(reel.scalars().filter((f) => f.name.startsWith('energy/')).map((f) => reel.series(f.name).catch(() => new Float64Array()))) : [];
  const least = some ? 1e-9 * Math.max(...[...out, ...energies.map((values) => ({ values }))].map(size), 0) : -1;
  return out.filter((c) => c.values.length > 0 && size(c) > least);
}
