// What the user chose to see.

export interface Options {
  colour: string;
  perFrame: boolean;
  forces: 'off' | 'network' | 'vectors';
  contacts: boolean;
  threshold: number;
  width: number;
  opacity: number;
  fixedOpacity: number;
  edges: boolean;
  rest: boolean;
  enlarged: number;
  ties: boolean;
  loads: boolean;
  supports: boolean;
  trail: boolean;
  sets: boolean;
  section: 'off' | 'x' | 'y' | 'z';
  place: number;
  mirror: 'off' | 'x' | 'y' | 'z';
  shadows: boolean;
}

export const defaults: Options = {
  colour: 'material', perFrame: false, forces: 'off', contacts: false, threshold: 0, width: 1, opacity: 1,
  fixedOpacity: 1, edges: true, rest: false, enlarged: 1, ties: true, loads: true, supports: true, trail: false, sets: true, section: 'off', place: 0.5,
  mirror: 'off', shadows: true,
};

export type Picked =
  | { kind: 'body'; body: number; node?: number }
  | { kind: 'contact'; contact: number; bodies: [number, number]; point: number[] };

/** Numbers by which things may be coloured: the field, and which of its components. */
export interface Measure {
  id: string;
  label: string;
  field: string;
  /** −1 for the length of the vector. */
  component: number;
  unit: string;
  group: 'bodies' | 'nodes';
}

const axes = ['x', 'y', 'z'];
const tensor = ['xx', 'yy', 'zz', 'xy', 'yz', 'zx'];

export function measures(fields: { name: string; width: number; unit: string; extent: unknown }[]): Measure[] {
  const out: Measure[] = [];
  for (const f of fields) {
    const group = f.name.split('/')[0];
    if ((group !== 'bodies' && group !== 'nodes') || f.extent === 'scalar' || f.name.split('/').length > 2) continue;
    if (f.name === 'bodies/orientation') continue;
    const plain = f.name.split('/')[1].replace(/_/g, ' ');
    const name = plain === 'von mises' ? 'von Mises stress' : plain;
    const add = (component: number, label: string) =>
      out.push({ id: `${f.name}:${component}`, label, field: f.name, component, unit: f.unit, group });
    if (f.width === 1) add(0, name);
    else {
      if (f.width <= 3) add(-1, group === 'bodies' && name === 'velocity' ? 'speed' : `${name}, magnitude`);
      const parts = f.width === 6 ? tensor : axes;
      for (let k = 0; k < f.width; k++) add(k, `${name} ${parts[k] ?? k}`);
    }
  }
  return out;
}

export function measured(data: ArrayLike<number>, width: number, item: number, component: number): number {
  if (component >= 0) return data[width * item + component];
  let sum = 0;
  for (let k = 0; k < width; k++) sum += data[width * item + k] ** 2;
  return Math.sqrt(sum);
}
