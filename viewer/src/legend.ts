// What colours and widths mean: beside the picture, and in one that is saved.

import { Color } from 'three';
import { gradient, nothing, ramp, scaled, short, status, told as inUnit } from './colours';
import { h } from './dom';
import type { Stage } from './stage';

/** Materials that a legend names at most. */
const MATERIALS = 8;

interface Told {
  kind: 'colour' | 'forces' | 'materials';
  title: string;
  /** Ends of the range of colours. */
  ends: [string, string] | null;
  keys: [Color, string][];
}

function told(stage: Stage): Told[] {
  const out: Told[] = [];
  const measure = stage.measure();
  if (measure && Number.isFinite(stage.range[0])) {
    const [low, high] = stage.range;
    const [factor, name] = scaled(Math.max(Math.abs(low), Math.abs(high)), measure.unit);
    const unit = measure.unit === '1' ? '' : ` [${name}]`;
    out.push({ kind: 'colour', title: measure.label + unit, ends: [short(low / factor), short(high / factor)], keys: stage.missing ? [[nothing, 'no number']] : [] });
  }
  if (!measure && stage.options.colour === 'material') {
    const keys = stage.materials();
    // One colour needs no key.
    if (keys.length > 1 && keys.length <= MATERIALS) out.push({ kind: 'materials', title: 'Material', ends: null, keys });
  }
  const { forces, contacts, threshold } = stage.options;
  if (forces !== 'off' || contacts) {
    const least = threshold > 0 ? `, drawn above ${inUnit(threshold * stage.strongest, 'N')}` : '';
    out.push({ kind: 'forces', title: `largest force ${inUnit(stage.strongest, 'N')}${least}`, ends: null, keys: [[status[1], 'sticks'], [status[2], 'slips'], [status[0], 'open']] });
  }
  return out;
}

function key(colour: Color, text: string): HTMLElement {
  const dot = h('i');
  dot.style.background = `#${colour.getHexString()}`;
  return h('span', {}, dot, text);
}

export function legend(element: HTMLElement, stage: Stage): void {
  element.replaceChildren(...told(stage).map(({ kind, title, ends, keys }) => {
    const bar = h('div', { class: 'bar' });
    bar.style.background = gradient;
    return h('div', { 'data-legend': kind }, h('div', {}, title),
      ...(ends ? [bar, h('div', { class: 'ends' }, ...ends.map((e) => h('span', {}, e)))] : []),
      ...(keys.length ? [h('div', { class: 'keys' }, ...keys.map(([c, text]) => key(c, text)))] : []));
  }));
}

/** The legend and the time on a picture that is saved, in a rectangle of the canvas; lengths in pixels of the page. */
export function inscribe(pen: CanvasRenderingContext2D, stage: Stage, line: string, x: number, height: number, ratio: number): void {
  const style = getComputedStyle(document.documentElement);
  const [ink, muted, ground] = ['--ink', '--muted', '--bg'].map((v) => style.getPropertyValue(v).trim() || '#555');
  pen.save();
  pen.translate(x, 0);
  pen.scale(ratio, ratio);
  pen.font = '12px system-ui, sans-serif';
  pen.textBaseline = 'middle';
  const write = (text: string, at: number, y: number, colour: string) => { pen.fillStyle = colour; pen.fillText(text, at, y); };
  const all = told(stage);
  const panel = (left: number, top: number, width: number, tall: number) => {
    pen.globalAlpha = 0.86;
    pen.fillStyle = ground;
    pen.beginPath();
    pen.roundRect(left, top, width, tall, 8);
    pen.fill();
    pen.globalAlpha = 1;
  };
  panel(8, 8, pen.measureText(line).width + 16, 24);
  write(line, 16, 21, ink);
  let y = height / ratio - 22;
  const tall = all.reduce((sum, { ends, keys }) => sum + 24 + (ends ? 32 : 0) + (keys.length ? 18 : 0), 0);
  if (tall > 0) panel(6, y + 8 - tall, Math.max(206, ...all.map((t) => pen.measureText(t.title).width + 16)), tall + 8);
  for (const { title, ends, keys } of all.reverse()) {
    let at = 14;
    for (const [colour, text] of keys) {
      pen.fillStyle = `#${colour.getHexString()}`;
      pen.fillRect(at, y - 5, 9, 9);
      write(text, at + 14, y, muted);
      at += 26 + pen.measureText(text).width;
    }
    if (keys.length) y -= 18;
    if (ends) {
      write(ends[0], 14, y, muted);
      write(ends[1], 204 - pen.measureText(ends[1]).width, y, muted);
      y -= 15;
      const [colour, cells] = [new Color(), 95];
      for (let k = 0; k < cells; k++) {
        pen.fillStyle = `#${ramp(k / (cells - 1), colour).getHexString()}`;
        pen.fillRect(14 + 2 * k, y - 5, 2.5, 9);
      }
      y -= 17;
    }
    write(title, 14, y, ink);
    y -= 24;
  }
  pen.restore();
}
