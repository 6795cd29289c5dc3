// Colours of bodies, and of numbers.

import { Color } from 'three';

export const palette = [
  '#5b8ff9', '#f6a04d', '#3fb68b', '#e5677b', '#9a7fe0', '#d9b730', '#40b3c6', '#c77bb0', '#8a9a5b', '#b0785a',
].map((c) => new Color(c));

export const neutral = { fixed: new Color('#8d96a5'), moved: new Color('#6f87a8') };

/** Where a number should be and none is. */
export const nothing = new Color('#d01c8b');

export const status = [new Color('#8d96a5'), new Color('#2f9e6e'), new Color('#e0572f')];

// Viridis at nine places [matplotlib].
const stops = ['#440154', '#472d7b', '#3b528b', '#2c728e', '#21918c', '#28ae80', '#5ec962', '#addc30', '#fde725']
  .map((c) => new Color(c));

/** The colour of a number from 0 to 1. */
export function ramp(x: number, out: Color): Color {
  const t = Math.min(Math.max(Number.isFinite(x) ? x : 0, 0), 1) * (stops.length - 1);
  const i = Math.min(Math.floor(t), stops.length - 2);
  return out.copy(stops[i]).lerp(stops[i + 1], t - i);
}

export const gradient = `linear-gradient(90deg, ${stops.map((c) => `#${c.getHexString()}`).join(', ')})`;

export function parsed(text: string | null | undefined): Color | null {
  if (!text || !/^(#[0-9a-f]{3,8}|[a-z]+)$/i.test(text)) return null;
  const colour = new Color();
  colour.setStyle(text);
  return colour;
}

/** Units that take a prefix, and the prefixes. */
const prefixed = ['Pa', 'N', 'J', 'm', 's', 'W'];
const prefixes: [number, string][] = [[1e9, 'G'], [1e6, 'M'], [1e3, 'k'], [1, ''], [1e-3, 'm'], [1e-6, 'µ'], [1e-9, 'n']];

/** A unit with the prefix that suits a number of it, and how large that unit is. */
export function scaled(size: number, unit: string): [number, string] {
  // One second is not a thousand milliseconds, for round-off neither.
  const [known, least] = [prefixed.includes(unit) && size > 0, (1 + 1e-9) * Math.abs(size)];
  const [factor, prefix] = (known && prefixes.find(([f]) => f <= least)) || [1, ''];
  // Kilometres and kiloseconds are for others.
  return factor > 1 && (unit === 'm' || unit === 's') ? [1, unit] : [factor, prefix + unit];
}

/** A number and its unit, with the prefix that suits it. */
export function told(x: number, unit: string): string {
  const [factor, name] = scaled(Math.abs(x), unit);
  return `${short(x / factor)} ${name}`;
}

/** A number for people: four digits. */
export function short(x: number): string {
  if (x === 0) return '0';
  const size = Math.abs(x);
  if (size >= 1e5 || size < 1e-3) return x.toExponential(2).replace(/\.?0*e\+?/, 'e');
  return String(Number(x.toPrecision(4)));
}
