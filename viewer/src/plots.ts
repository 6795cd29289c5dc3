// Curves against time; a click goes there.

import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { palette, short } from './colours';
import { h } from './dom';

export interface Curve {
  label: string;
  values: ArrayLike<number>;
}

export interface Curves {
  title: string;
  unit: string;
  log?: boolean;
  times: ArrayLike<number>;
  curves: Curve[];
}

export class Plot {
  readonly element = h('figure', { class: 'plot' });
  private plot: uPlot | null = null;
  private time = 0;

  constructor(public curves: Curves, private readonly seek: (time: number) => void, private readonly width: () => number) {
    this.element.setAttribute('role', 'img');
    this.element.setAttribute('aria-label', `${curves.title} against time`);
    this.draw();
  }

  draw(): void {
    this.plot?.destroy();
    const style = getComputedStyle(document.documentElement);
    const [ink, grid] = [style.getPropertyValue('--muted').trim(), style.getPropertyValue('--line').trim()];
    const { curves, log } = this.curves;
    const axis = { stroke: ink, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid, width: 1 }, font: '11px system-ui, sans-serif' };
    this.plot = new uPlot({
      width: this.width(), height: 150,
      title: this.curves.title + (this.curves.unit && this.curves.unit !== '1' ? ` [${this.curves.unit}]` : ''),
      scales: { x: { time: false }, y: { range: (_u, low, high) => around(low, high) } },
      series: [
        { label: 't', value: (_u, v) => (v === null ? '' : `${short(v)} s`) },
        ...curves.map((c, i) => ({
          label: c.label, stroke: `#${palette[i % palette.length].getHexString()}`, width: 1.5,
          value: (_u: uPlot, v: number | null) => (v === null ? '–' : short(log ? 10 ** v : v)),
        })),
      ],
      axes: [{ ...axis, size: 26 }, {
        ...axis, size: 58, incrs: log ? [1, 2, 4, 8, 16, 32] : undefined,
        values: (_u, all) => all.map((v) => (v === null ? '' : log ? `1e${v}` : short(v))),
      }],
      legend: { live: true },
      cursor: { drag: { x: false, y: false }, points: { size: 5 } },
      hooks: { draw: [(u) => this.mark(u)], setCursor: [(u) => { if (u.cursor.idx == null) this.tell(); }] },
    }, this.data(), this.element);
    this.plot.over.addEventListener('click', (e) => {
      if (this.plot) this.seek(this.plot.posToVal(e.offsetX, 'x'));
    });
  }

  private data(): uPlot.AlignedData {
    const { times, curves, log } = this.curves;
    // What a logarithm does not have is left out.
    const clean = (v: ArrayLike<number>) => Array.from(v, (x) => (!Number.isFinite(x) || (log && x <= 0) ? null : log ? Math.log10(x) : x));
    return [Array.from(times), ...curves.map((c) => clean(c.values))] as uPlot.AlignedData;
  }

  /** The same curves with more numbers. */
  renew(curves: Curves): void {
    this.curves = curves;
    this.plot?.setData(this.data());
    this.at(this.time);
  }

  private mark(u: uPlot): void {
    const x = u.valToPos(this.time, 'x', true);
    if (x < u.bbox.left || x > u.bbox.left + u.bbox.width) return;
    u.ctx.save();
    u.ctx.strokeStyle = '#ff8a00';
    u.ctx.lineWidth = 1.5 * devicePixelRatio;
    u.ctx.beginPath();
    u.ctx.moveTo(x, u.bbox.top);
    u.ctx.lineTo(x, u.bbox.top + u.bbox.height);
    u.ctx.stroke();
    u.ctx.restore();
  }

  at(time: number): void {
    this.time = time;
    this.plot?.redraw(false, false);
    if (this.plot?.cursor.idx == null) this.tell();
  }

  /** The numbers of now, where the pointer is not over the curves. */
  private tell(): void {
    const { times } = this.curves;
    let idx = 0;
    while (idx + 1 < times.length && Math.abs(times[idx + 1] - this.time) <= Math.abs(times[idx] - this.time)) idx++;
    this.plot?.setLegend({ idx }, false);
  }

  resize(): void {
    this.plot?.setSize({ width: this.width(), height: 150 });
  }
}

/** Ends of an axis: curves that do not change are in its middle. */
function around(low: number | null, high: number | null): [number, number] {
  if (low === null || high === null) return [0, 1];
  if (high - low > 1e-12 * Math.max(Math.abs(low), Math.abs(high))) return uPlot.rangeNum(low, high, 0.1, true) as [number, number];
  const half = 0.1 * Math.abs(low) || 1;
  return [low - half, high + half];
}
