// Elements, shortly.

type Attributes = Record<string, string | number | boolean | ((e: never) => void) | undefined>;

export function h<K extends keyof HTMLElementTagNameMap>(tag: K, attributes: Attributes = {}, ...children: (Node | string)[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (typeof value === 'function') element.addEventListener(name, value as never);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  element.append(...children);
  return element;
}

const icons: Record<string, string> = {
  play: 'M7 4.5v15l12-7.5z',
  pause: 'M6 4.5h4.2v15H6zM13.8 4.5H18v15h-4.2z',
  first: 'M5 5h2.4v14H5zM19 5v14L9 12z',
  last: 'M16.6 5H19v14h-2.4zM5 5v14l10-7z',
  back: 'M15.5 5v14L6 12z',
  next: 'M8.5 5v14L18 12z',
  repeat: 'M7 6h8V3l5 4.500L15 12V9H8v3H5V8a2 2 0 012-2zm10 12H9v3l-5-4.500L9 12v3h7v-3h3v4a2 2 0 01-2 2z',
  fit: 'M4 9V4h5v2H6v3zm11-5h5v5h-2V6h-3zM4 15h2v3h3v2H4zm14 0h2v5h-5v-2h3z',
  theme: 'M12 3a9 9 0 100 18V3z',
  help: 'M12 2a10 10 0 100 20 10 10 0 000-20zm1 16h-2v-2h2zm1.8-7.4-.9.9c-.7.7-.9 1.2-.9 2.5h-2v-.5c0-1 .3-1.800 1.100-2.600l1.200-1.300c.4-.3.6-.8.6-1.300a2 2 0 00-4 0H7.900a4.100 4.100 0 118.200 0c0 .9-.4 1.700-1.300 2.300z',
  panel: 'M4 5h16v14H4zm10 2v10h4V7z',
  camera: 'M9 5l-1.500 2H4v12h16V7h-3.500L15 5zm3 4a4 4 0 110 8 4 4 0 010-8z',
  film: 'M4 6h11v4.200L20 7v10l-5-3.200V18H4z',
  close: 'M6.400 5L12 10.600 17.600 5 19 6.400 13.400 12 19 17.600 17.600 19 12 13.400 6.400 19 5 17.600 10.600 12 5 6.400z',
  clock: 'M12 2a10 10 0 100 20 10 10 0 000-20zm0 2a8 8 0 110 16 8 8 0 010-16zm-1 3v6l4.600 2.700 1-1.700-3.600-2.100V7z',
  hand: 'M9 11V5a1.500 1.500 0 013 0v5h1V4a1.500 1.500 0 013 0v7h1V6.500a1.500 1.500 0 013 0V15c0 4-2.500 6.500-6.500 6.500S8 19.500 6.800 17L4.200 12.200c-.9-1.700 1.300-2.900 2.300-1.500L9 14z',
  follow: 'M12 8a4 4 0 100 8 4 4 0 000-8zm-1-6h2v4h-2zm0 16h2v4h-2zM2 11h4v2H2zm16 0h4v2h-4z',
  link: 'M10 7H7a5 5 0 000 10h3v-2H7a3 3 0 010-6h3zm4 0h3a5 5 0 010 10h-3v-2h3a3 3 0 000-6h-3zM8 11h8v2H8z',
};

export function icon(name: string): SVGElement {
  const ns = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(ns, 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS(ns, 'path');
  path.setAttribute('d', icons[name]);
  svg.append(path);
  return svg;
}

export function button(name: string, label: string, click: () => void, text = ''): HTMLButtonElement {
  return h('button', { type: 'button', title: label, 'aria-label': label, class: text ? 'with-text' : 'icon', click }, icon(name), text);
}

export function choice(label: string, options: [string, string][], value: string, change: (v: string) => void): HTMLLabelElement {
  const select = h('select', { 'aria-label': label, change: () => change(select.value) });
  for (const [v, text] of options) select.append(h('option', { value: v }, text));
  select.value = value;
  return h('label', { class: 'row' }, h('span', {}, label), select);
}

export function tick(label: string, value: boolean, change: (v: boolean) => void): HTMLLabelElement {
  const box = h('input', { type: 'checkbox', 'aria-label': label, change: () => change(box.checked) });
  box.checked = value;
  return h('label', { class: 'row tick' }, box, h('span', {}, label));
}

export function slider(label: string, [low, high, step]: [number, number, number], value: number, change: (v: number) => void, told = (v: number) => String(v)): HTMLLabelElement {
  const out = h('output', {}, told(value));
  const range = h('input', {
    type: 'range', min: low, max: high, step, 'aria-label': label,
    input: () => { out.textContent = told(Number(range.value)); change(Number(range.value)); },
  });
  range.value = String(value);
  return h('label', { class: 'row' }, h('span', {}, label), range, out);
}
