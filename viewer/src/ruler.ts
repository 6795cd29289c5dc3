// How long things are, and which way is which: a bar of a round length, and in space the axes.

import { Vector3 } from 'three';
import { h } from './dom';
import type { Stage } from './stage';

/** Shortest bar [pixels]; the longest is two and a half times that. */
const SHORT = 48;

const prefixes: [number, string][] = [[1e3, 'km'], [1, 'm'], [1e-2, 'cm'], [1e-3, 'mm'], [1e-6, 'µm'], [1e-9, 'nm']];

/** A round length in words. */
export function told(length: number): string {
  const [unit, name] = prefixes.find(([u]) => length >= 0.999 * u) ?? prefixes[prefixes.length - 1];
  return `${Number((length / unit).toPrecision(3))} ${name}`;
}

/** The least of 1, 2 and 5 times a power of ten that is not below a number. */
export function round(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((x) => x * power).find((x) => x >= 0.999 * least)!;
}

export class Ruler {
  private readonly text = h('span');
  private readonly bar = h('i');
  private readonly axes: SVGSVGElement | null;
  readonly element: HTMLElement;

  constructor(private readonly stage: Stage) {
    this.axes = stage.plane ? null : triad();
    this.element = h('div', { class: 'ruler', 'aria-hidden': 'true' }, ...(this.axes ? [this.axes] : []), h('div', {}, this.text, this.bar));
  }

  /** After the eye has moved. */
  update(): void {
    const { camera, controls, eye } = this.stage;
    // In space at the place that is looked at.
    const pixel = eye.pixel(controls.target);
    if (!(pixel > 0) || !Number.isFinite(pixel)) return;
    const length = round(SHORT * pixel);
    this.text.textContent = told(length);
    this.bar.style.width = `${length / pixel}px`;
    if (!this.axes) return;
    const turn = camera.quaternion.clone().invert();
    [new Vector3(1, 0, 0), new Vector3(0, 1, 0), new Vector3(0, 0, 1)].forEach((axis, k) => {
      const { x, y } = axis.applyQuaternion(turn);
      const [line, letter] = [this.axes!.children[2 * k], this.axes!.children[2 * k + 1]];
      line.setAttribute('x2', String(22 * x));
      line.setAttribute('y2', String(-22 * y));
      letter.setAttribute('x', String(29 * x));
      letter.setAttribute('y', String(-29 * y));
    });
  }
}

/** Three lines from one point, with their letters. */
function triad(): SVGSVGElement {
  const make = <K extends keyof SVGElementTagNameMap>(tag: K) => document.createElementNS('http://www.w3.org/2000/svg', tag);
  const svg = make('svg');
  svg.setAttribute('viewBox', '-36 -36 72 72');
  for (const name of ['x', 'y', 'z']) {
    const [line, letter] = [make('line'), make('text')];
    line.setAttribute('class', name);
    letter.textContent = name;
    svg.append(line, letter);
  }
  return svg;
}
