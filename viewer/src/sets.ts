// What reactions can be, where that was explored: sets and samples at the contacts, and one of them larger.

import { Box3, Color, Vector3 } from 'three';
import { short } from './colours';
import { h } from './dom';
import type { Picked } from './options';
import type { Reel } from './reel';
import type { Explored, Possible } from './source';
import type { Strokes } from './strokes';

const ink = { one: new Color('#2f9e6e'), set: new Color('#c026d3'), sample: new Color('#f59e0b') };
/** Length of the largest reaction, and of a sample, as shares of the picture. */
const [LONG, DOT] = [0.18, 0.0035];

const apart = (a: number[], b: number[]) => Math.hypot(...a.map((x, k) => x - b[k]));

/** Draws the sets of a frame at their contacts; the box that they reach into. */
export function drawSets(strokes: Strokes, explored: Explored | null | undefined, size: number): Box3 {
  const box = new Box3();
  strokes.clear();
  const sets = explored?.contacts ?? [];
  let largest = 1e-300;
  for (const s of sets) for (const v of [...s.vertices, ...s.samples]) largest = Math.max(largest, Math.hypot(...v));
  const scale = (LONG * size) / largest;
  for (const { point, axes, vertices, samples } of sets) {
    const at = (r: number[]) => point.map((x, k) => x + scale * r.reduce((sum, c, i) => sum + c * axes[i][k], 0));
    const corners = vertices.map(at);
    for (const [x, y, z = 0] of corners) if (Number.isFinite(x + y + z)) box.expandByPoint(new Vector3(x, y, z));
    for (const s of samples) {
      const [x, y, z = 0] = at(s);
      strokes.add([x - 0.5 * DOT * size, y, z], [x + 0.5 * DOT * size, y, z], DOT * size, ink.sample);
    }
    if (corners.length === 1) strokes.add(point, corners[0], 0.004 * size, ink.one);
    if (corners.length < 2) continue;
    if (point.length === 2) corners.forEach((c, i) => strokes.add(c, corners[(i + 1) % corners.length], 0.004 * size, ink.set));
    // In the plane one thread to the contact, in space a fan.
    const near = corners.reduce((a, c) => (apart(c, point) < apart(a, point) ? c : a));
    for (const c of point.length === 2 ? [near] : corners) strokes.add(point, c, 0.002 * size, ink.set);
  }
  strokes.done();
  return box;
}

/** The explored contact that a picked one is: the same bodies, the nearest point. */
export function setOf(reel: Reel, picked: Picked): Possible | null {
  if (picked.kind !== 'contact') return null;
  let best: Possible | null = null;
  let far = Infinity;
  for (const set of reel.cast.explored?.contacts ?? []) {
    const [a, b] = set.bodies.map((x) => x ?? -1);
    const [p, q] = picked.bodies;
    if (!((a === p && b === q) || (a === q && b === p))) continue;
    const away = Math.hypot(...set.point.map((x, k) => x - (picked.point[k] ?? 0)));
    if (away < far) [best, far] = [set, away];
  }
  return best;
}

/** Corners of the hull of points of the plane, in order. */
function hull(points: [number, number][]): [number, number][] {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const half = (list: [number, number][]) => {
    const out: [number, number][] = [];
    for (const p of list) {
      const turns = () => {
        const [a, b] = [out[out.length - 2], out[out.length - 1]];
        return (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]) > 0;
      };
      while (out.length > 1 && !turns()) out.pop();
      out.push(p);
    }
    return out.slice(0, -1);
  };
  return sorted.length < 3 ? sorted : [...half(sorted), ...half(sorted.reverse())];
}

/** One set, larger: normal upwards, tangential across; in space once for each tangent. */
export function setPlot(set: Possible, explored: Explored, now: number[] | null, width: number): HTMLElement {
  const unit = /\[(.*)\]/.exec(explored.quantity)?.[1] ?? 'N';
  const names = ['normal', 'tangential', 'tangential 2'];
  const range = (k: number) => {
    const all = (set.vertices.length ? set.vertices : set.samples).map((v) => v[k]);
    const [low, high] = [Math.min(...all), Math.max(...all)];
    const end = set.unbounded ? ', and on' : '';
    return high - low <= 1e-9 * Math.max(Math.abs(low), Math.abs(high)) ? `${short(low)} ${unit}${end}` : `${short(low)} … ${short(high)} ${unit}${end}`;
  };
  const rows = set.axes.map((_, k) => h('tr', {}, h('th', { scope: 'row' }, names[k]), h('td', { 'data-set': names[k] }, range(k))));
  const about = set.samples.length ? `${set.samples.length} samples` : '';
  return h('div', { class: 'sets' }, h('h3', {}, 'What it can be'), h('p', { class: 'hint' }, `${explored.source}${about ? `; ${about}` : ''}`),
    ...set.axes.slice(1).map((_, k) => picture(set, k + 1, now, width)),
    h('table', { class: 'values' }, h('tbody', {}, ...rows)));
}

function picture(set: Possible, tangent: number, now: number[] | null, width: number): HTMLElement {
  const ratio = window.devicePixelRatio;
  const height = 200;
  const canvas = h('canvas', { width: width * ratio, height: height * ratio, role: 'img', 'aria-label': `Possible reactions, normal over tangential ${tangent}` });
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const flat = (v: number[]): [number, number] => [v[tangent], v[0]];
  const [corners, cloud] = [hull(set.vertices.map(flat)), set.samples.map(flat)];
  const here = now ? flat(now) : null;
  const all: [number, number][] = [[0, 0], ...corners, ...cloud, ...(here ? [here] : [])];
  const ends = (k: 0 | 1) => all.reduce(([a, b], p) => [Math.min(a, p[k]), Math.max(b, p[k])], [0, 0]);
  const [[left, right], [low, high]] = [ends(0), ends(1)];
  const scale = Math.min((width - 24) / Math.max(right - left, 1e-300), (height - 24) / Math.max(high - low, 1e-300));
  const at = ([x, y]: [number, number]): [number, number] => [width / 2 + (x - (left + right) / 2) * scale, height / 2 - (y - (low + high) / 2) * scale];
  const pen = canvas.getContext('2d')!;
  pen.scale(ratio, ratio);
  const style = getComputedStyle(document.documentElement);
  const line = (points: [number, number][], colour: string, close = false) => {
    pen.strokeStyle = colour;
    pen.beginPath();
    points.map(at).forEach(([x, y], i) => (i ? pen.lineTo(x, y) : pen.moveTo(x, y)));
    if (close) pen.closePath();
    pen.stroke();
  };
  pen.lineWidth = 1;
  const muted = style.getPropertyValue('--muted').trim() || '#888';
  pen.setLineDash([4, 4]);
  // The edges of the cone.
  for (const side of [-1, 1]) line([[0, 0], [side * set.friction * high, high]], muted);
  pen.setLineDash([]);
  pen.fillStyle = `#${ink.sample.getHexString()}`;
  for (const p of cloud) { const [x, y] = at(p); pen.fillRect(x - 1, y - 1, 2, 2); }
  if (corners.length) {
    pen.lineWidth = 2;
    pen.fillStyle = `#${ink.set.getHexString()}22`;
    line(corners, `#${ink.set.getHexString()}`, true);
    pen.fill();
    if (corners.length === 1) { const [x, y] = at(corners[0]); pen.fillRect(x - 3, y - 3, 6, 6); }
  }
  if (here) {
    const [x, y] = at(here);
    pen.fillStyle = `#${ink.one.getHexString()}`;
    pen.beginPath();
    pen.arc(x, y, 4, 0, 2 * Math.PI);
    pen.fill();
  }
  return canvas;
}
