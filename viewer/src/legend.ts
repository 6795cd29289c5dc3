// What colours and widths mean.

import { gradient, short, status } from './colours';
import { h } from './dom';
import type { Stage } from './stage';

export function legend(element: HTMLElement, stage: Stage): void {
  const parts: HTMLElement[] = [];
  const measure = stage.measure();
  if (measure && Number.isFinite(stage.range[0])) {
    const bar = h('div', { class: 'bar' });
    bar.style.background = gradient;
    const unit = measure.unit === '1' ? '' : ` [${measure.unit}]`;
    parts.push(h('div', { 'data-legend': 'colour' }, h('div', {}, measure.label + unit), bar,
      h('div', { class: 'ends' }, h('span', {}, short(stage.range[0])), h('span', {}, short(stage.range[1])))));
  }
  if (stage.options.forces !== 'off' || stage.options.contacts) {
    const key = (i: number, text: string) => {
      const dot = h('i');
      dot.style.background = `#${status[i].getHexString()}`;
      return h('span', {}, dot, text);
    };
    parts.push(h('div', { 'data-legend': 'forces' }, h('div', {}, `largest force ${short(stage.strongest)} N`),
      h('div', { class: 'keys' }, key(1, 'sticks'), key(2, 'slips'), key(0, 'open'))));
  }
  element.replaceChildren(...parts);
}
