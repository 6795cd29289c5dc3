// What was clicked: its state, its law, its forces, now and over time.

import type { Act } from './act';
import type { App } from './app';
import { short } from './colours';
import { button, h, tick } from './dom';
import type { Picked } from './options';
import type { Pack } from './pack';
import { Plot } from './plots';
import { numbers } from './reel';
import { setOf, setPlot } from './sets';

/** Bodies of a list at most. */
const LISTED = 300;

const states = ['open', 'sticking', 'slipping'];

export class Inspector {
  private act: Act | null = null;
  private picked: Picked | null = null;
  private history: Plot[] = [];
  private table = h('div');
  private exactly = false;

  constructor(private readonly app: App) {}

  get selected(): Picked | null { return this.picked; }

  select(act: Act, picked: Picked | null): void {
    for (const a of this.app.acts) {
      a.stage.picked = a === act ? picked : null;
      if (!picked || picked.kind !== 'body') a.stage.follow = false;
      a.stage.setTrail(0, null, 2);
    }
    [this.act, this.picked] = [act, picked];
    this.app.refresh();
    if (picked) this.app.reveal('Selection');
    else if (this.app.tab === 'Selection') this.app.choose('Selection');
    if (picked?.kind === 'body') void this.trail();
  }

  follow(): void {
    if (!this.act || this.picked?.kind !== 'body') return;
    this.act.stage.follow = !this.act.stage.follow;
    this.app.refresh();
    if (this.app.tab === 'Selection') this.app.choose('Selection');
  }

  fill(sheet: HTMLElement): void {
    this.history = [];
    const { act, picked } = this;
    if (!act || !picked) {
      return this.offer(sheet);
    }
    const { reel, stage } = act;
    const title = picked.kind === 'body' ? reel.name(picked.body) : `${reel.name(picked.bodies[0])} – ${reel.name(picked.bodies[1])}`;
    const follow = button('follow', 'Follow (G)', () => this.follow(), 'Follow');
    follow.setAttribute('aria-pressed', String(stage.follow));
    const tools = h('div', { class: 'pick' }, button('fit', 'Zoom to it (F)', () => { stage.zoomToPicked(); this.app.touch(); }, 'Zoom'),
      ...(picked.kind === 'body' ? [follow] : []), button('close', 'Select nothing (Esc)', () => this.select(act, null), 'Clear'));
    this.table = h('div');
    const plots = h('div');
    sheet.replaceChildren(h('h3', {}, picked.kind === 'body' ? 'Body' : 'Contact'), h('strong', { id: 'picked' }, title), tools,
      ...(picked.kind === 'body' ? [tick('Trail', this.app.options.trail, (v) => { this.app.options.trail = v; this.app.refresh(); })] : []),
      this.table, plots);
    void this.values();
    void (picked.kind === 'body' ? this.bodyHistory(plots, picked.body, picked.node) : this.pairHistory(plots, picked.bodies));
  }

  /** Bodies to choose from, by name. */
  private offer(sheet: HTMLElement): void {
    const first = this.app.acts[0];
    const { reel } = first;
    const list = h('ul', { class: 'list long' });
    const find = h('input', { type: 'search', placeholder: 'Find a body by its name', 'aria-label': 'Find a body by its name', input: () => fill() });
    const fill = () => {
      const [wanted, items]: [string, HTMLElement[]] = [find.value.trim().toLowerCase(), []];
      const { roles } = reel.cast;
      for (let i = 0; i < roles.length && items.length < LISTED; i++) {
        if (wanted ? !reel.name(i).toLowerCase().includes(wanted) : roles[i] === 'fixed') continue;
        items.push(h('li', {}, h('button', { type: 'button', click: () => this.select(first, { kind: 'body', body: i }) },
          h('span', {}, reel.name(i)), h('span', { class: 'num' }, roles[i]))));
      }
      list.replaceChildren(...(items.length ? items : [h('li', { class: 'hint' }, wanted ? 'No body has such a name.' : 'The scene tells no bodies.')]));
    };
    fill();
    sheet.replaceChildren(h('p', { class: 'hint' }, 'Click a body, or a contact while forces or contact points are drawn; or choose a body here.'), find, list);
  }

  /** The clock moved: numbers of the new frame. */
  moved(act: Act): void {
    if (act !== this.act || !this.picked || this.app.tab !== 'Selection') return;
    for (const p of this.history) p.at(this.app.player.time);
    if (!this.app.player.playing) void this.values();
  }

  private async values(): Promise<void> {
    const { act, picked } = this;
    if (!act || !picked) return;
    const { reel, stage } = act;
    const frame = stage.frame;
    const rows: [string, string, string][] = [];
    if (picked.kind === 'body') {
      rows.push(['role', reel.role(picked.body), '']);
      if (reel.material(picked.body)) rows.push(['material', reel.material(picked.body), '']);
      if (reel.cast.masses[picked.body]) rows.push(['mass', (this.exactly ? full : brief)(reel.cast.masses[picked.body]), 'kg']);
    } else {
      const law = reel.law(...picked.bodies);
      if (law) rows.push(['law', law, '']);
    }
    if (picked.kind === 'contact' && picked.contact < 0) {
      this.table.replaceChildren(h('p', { class: 'hint', 'data-value': 'apart' }, 'They do not touch in this frame.'));
      return;
    }
    const solid = picked.kind === 'body' && picked.node !== undefined;
    const [group, item] = picked.kind === 'contact' ? ['contacts', picked.contact] : solid ? ['nodes', picked.node!] : ['bodies', picked.body];
    const told = await this.read(frame, group, item);
    if (this.picked !== picked || stage.frame !== frame) return;
    if (solid) rows.push(['node', String(item), '']);
    for (const [name, { values, unit }] of Object.entries(told)) {
      // The bodies are the title, and the law stands above in words.
      if (group === 'contacts' && (name === 'bodies' || name === 'law')) continue;
      const text = name === 'status' ? states[values[0]] ?? String(values[0]) : values.map(this.exactly ? full : brief).join(', ');
      rows.push([name.replace(/_/g, ' '), text, unit === '1' ? '' : unit]);
    }
    if (group === 'contacts') rows.splice(1, 0, ...resolved(told));
    const table = h('table', { class: 'values' }, h('tbody', {}, ...rows.map(([name, text, unit]) =>
      h('tr', {}, h('th', { scope: 'row' }, name), h('td', { 'data-value': name }, text + (unit ? ` ${unit}` : ''))))));
    const more = picked.kind === 'body' && !solid ? await this.contactsOf(picked.body, frame) : this.possible(picked, told.force?.values);
    if (this.picked !== picked || stage.frame !== frame) return;
    const digits = tick('All digits', this.exactly, (v) => { this.exactly = v; void this.values(); });
    this.table.replaceChildren(table, ...(reel.source.exact ? [digits] : [h('p', { class: 'hint' }, 'Numbers of this page have seven digits; the run file has all of them.')]), ...more);
  }

  /** What the reaction can be, and where it is among that. */
  private possible(picked: Picked, force: number[] | undefined): HTMLElement[] {
    const { reel, stage } = this.act!;
    const set = setOf(reel, picked);
    if (!set || !stage.explored) return [];
    const now = force ? set.axes.map((a) => a.reduce((sum, x, k) => sum + x * force[k], 0)) : null;
    return [setPlot(set, reel.cast.explored!, now, Math.max(this.app.sheet.clientWidth - 28, 200))];
  }

  /** Numbers as the file has them; of a page with a run inside, as the picture has them. */
  private async read(frame: number, group: string, item: number): Promise<Record<string, { values: number[]; unit: string }>> {
    const { act } = this;
    const { reel, stage } = act!;
    if (reel.source.values) return reel.source.values(frame, group, item).catch((e) => ({ [String(e.message)]: { values: [], unit: '' } }));
    const out: Record<string, { values: number[]; unit: string }> = {};
    for (const f of reel.group(group)) {
      const column = stage.current?.arrays.get(f.name);
      if (column) out[f.name.split('/')[1]] = { values: Array.from({ length: f.width }, (_, k) => numbers(column)[f.width * item + k]), unit: f.unit };
    }
    return out;
  }

  private async contactsOf(body: number, frame: number): Promise<HTMLElement[]> {
    const { act } = this;
    if (!act?.reel.field('contacts/bodies')) return [];
    const fields = ['contacts/bodies', 'contacts/point', 'contacts/force', 'contacts/status'];
    const pack = await act.reel.frame(frame, fields).catch(() => null);
    if (!pack) return [];
    const [pairs, forces] = [numbers(pack.arrays.get('contacts/bodies')), pack.arrays.get('contacts/force')!];
    const [f, p, s, d] = [numbers(forces), numbers(pack.arrays.get('contacts/point')), numbers(pack.arrays.get('contacts/status')), forces.width];
    const items: HTMLElement[] = [];
    for (let i = 0; i < forces.count; i++) {
      const [a, b] = [pairs[2 * i], pairs[2 * i + 1]];
      if (a !== body && b !== body) continue;
      const size = Math.hypot(...Array.from({ length: d }, (_, k) => f[d * i + k]));
      const point = Array.from({ length: d }, (_, k) => p[d * i + k]);
      items.push(h('li', {}, h('button', { type: 'button', click: () => this.select(act, { kind: 'contact', contact: i, bodies: [a, b], point }) },
        h('span', {}, act.reel.name(a === body ? b : a)), h('span', { class: 'num' }, `${states[s[i]]} ${short(size)} N`))));
      if (items.length > 200) break;
    }
    return items.length ? [h('h3', {}, `Contacts (${items.length})`), h('ul', { class: 'list' }, ...items)] : [];
  }

  private plot(place: HTMLElement, title: string, unit: string, frames: ArrayLike<number>, curves: { label: string; values: number[] }[]): void {
    const times = Array.from(frames, (f) => this.act!.reel.meta.times[f]);
    const plot = new Plot({ title, unit, times, curves }, (t) => this.app.player.jump(this.act!.reel.at(t)),
      () => Math.max(this.app.sheet.clientWidth - 28, 200));
    plot.at(this.app.player.time);
    this.history.push(plot);
    place.append(plot.element);
  }

  private async bodyHistory(place: HTMLElement, body: number, node?: number): Promise<void> {
    const { act } = this;
    if (!act) return;
    const [group, item] = node === undefined ? ['bodies', body] : ['nodes', node];
    for (const name of node === undefined ? ['position', 'velocity'] : ['displacement', 'von_mises']) {
      const field = act.reel.field(`${group}/${name}`);
      if (!field) continue;
      const pack = await act.reel.source.history(field.name, item).catch(() => null);
      if (!pack || this.act !== act || !place.isConnected) return;
      this.plot(place, name.replace('_', ' '), field.unit, numbers(pack.arrays.get('frames')), split(pack, field.width));
    }
    if (node !== undefined || !act.reel.field('contacts/force') || !act.reel.field('contacts/normal')) return;
    const pack = await act.reel.source.resultant(body).catch(() => null);
    if (!pack || this.act !== act || !place.isConnected) return;
    this.plot(place, 'Contact forces on it, resultant', 'N', numbers(pack.arrays.get('frames')), split(pack, act.reel.dimension));
  }

  private async pairHistory(place: HTMLElement, bodies: [number, number]): Promise<void> {
    const { act } = this;
    const pack = await act?.reel.source.pair(...bodies).catch(() => null);
    if (!pack || !place.isConnected) return;
    const all = split(pack, 3);
    all[0].label = 'normal';
    all[1].label = 'tangential';
    this.plot(place, 'Force between the two bodies', 'N', numbers(pack.arrays.get('frames')), all.slice(0, 2));
  }

  private async trail(): Promise<void> {
    const { act, picked } = this;
    if (!act?.reel.field('bodies/position') || picked?.kind !== 'body' || picked.node !== undefined) return;
    const pack = await act.reel.source.history('bodies/position', picked.body).catch(() => null);
    if (!pack || this.picked !== picked) return;
    act.stage.setTrail(picked.body, pack.arrays.get('values')!.data as Float64Array, act.reel.dimension);
    this.app.refresh();
  }
}

function split(pack: Pack, width: number): { label: string; values: number[] }[] {
  const all = numbers(pack.arrays.get('values'));
  const names = width === 1 ? [''] : ['x', 'y', 'z'];
  return Array.from({ length: width }, (_, k) => ({
    label: names[k] ?? String(k), values: Array.from({ length: all.length / width }, (_, i) => all[width * i + k]),
  }));
}

/** The force of a contact along its normal and across, and how much of the friction it may have it uses. */
function resolved(told: Record<string, { values: number[] }>): [string, string, string][] {
  const [force, normal, mu] = [told.force?.values, told.normal?.values, told.coefficient?.values[0]];
  if (!force || !normal || !force.every(Number.isFinite) || !normal.every(Number.isFinite)) return [];
  const along = force.reduce((sum, f, k) => sum + f * normal[k], 0);
  const across = Math.hypot(...force.map((f, k) => f - along * normal[k]));
  const rows: [string, string, string][] = [['normal force', brief(along), 'N'], ['tangential', brief(across), 'N']];
  if (mu && along > 0) rows.push(['friction used', `${Math.round((100 * across) / (mu * along))} %`, '']);
  return rows;
}

/** Six digits, for people. */
function brief(x: number | null): string {
  return x === null || !Number.isFinite(x) ? full(x) : full(Number(x.toPrecision(6)));
}

/** All digits: what is read here equals what is in the file. */
function full(x: number | null): string {
  // JSON has no word for what is not a number.
  if (x === null || !Number.isFinite(x)) return 'not a number';
  return Number.isInteger(x) ? String(x) : Math.abs(x) < 1e-4 || Math.abs(x) >= 1e7 ? x.toExponential() : String(x);
}
