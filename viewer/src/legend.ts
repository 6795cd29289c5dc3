// What colours and widths mean.

import type { Color } from 'three';
import { gradient, nothing, short, status } from './colours';
import { h } from './dom';
import type { Stage } from './stage';

function key(colour: Color, text: string): HTMLElement {
  const dot = h('i');
  dot.style.background = `#${colour.getHexString()}`;
  return h('span', {}, dot, text);
}

export function legend(element: HTMLElement, stage: Stage): void {
  const parts: HTMLElement[] = [];
  const measure = stage.measure();
  if (measure && Number.isFinite(stage.range[0])) {
    const bar = h('div', { class: 'bar' });
    bar.style.background = gradient;
    const unit = measure.unit === '1' ? '' : ` [${measure.unit}]`;
    parts.push(h('div', { 'data-legend': 'colour' }, h('div', {}, measure.label + unit), bar,
      h('div', { class: 'ends' }, h('span', {}, short(stage.range[0])), h('span', {}, short(stage.range[1]))),
      ...(stage.missing ? [h('div', { class: 'keys' }, key(nothing, 'no number'))] : [])));
  }
  if (stage.options.forces !== 'off' || stage.options.contacts) {
    parts.push(h('div', { 'data-legend': 'forces' }, h('div', {}, `largest force ${short(stage.strongest)} N`),
      h('div', { class: 'keys' }, key(status[1], 'sticks'), key(status[2], 'slips'), key(status[0], 'open'))));
  }
  element.replaceChildren(...parts);
}
