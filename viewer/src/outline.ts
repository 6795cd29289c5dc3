// Outlines of shapes as triangles and edges.

import { BufferAttribute, BufferGeometry, ShapeUtils, Vector2 } from 'three';
import type { Pack } from './pack';

export interface Outline {
  points: Float32Array;
  polygons: Uint32Array[];
  /** Radius of a disc or ball about its own centre; 0 for anything else. */
  ball: number;
  /** Half the diagonal of its box, and the middle of it. */
  reach: number;
  middle: [number, number, number];
  half: [number, number, number];
  /** Mean height of its points. */
  height: number;
}

export function outlines(pack: Pack, dimension: number): Outline[] {
  const array = (name: string) => pack.arrays.get(name)!.data;
  const [points, sizes, vertices] = [array('points') as Float32Array, array('sizes') as Uint32Array, array('vertices') as Uint32Array];
  const [ofPoints, ofPolygons] = [array('outline_points') as Uint32Array, array('outline_polygons') as Uint32Array];
  const out: Outline[] = [];
  let [p, s, v] = [0, 0, 0];
  for (let i = 0; i < ofPoints.length; i++) {
    const own = points.subarray(3 * p, 3 * (p + ofPoints[i]));
    const polygons: Uint32Array[] = [];
    for (let k = 0; k < ofPolygons[i]; k++) {
      polygons.push(vertices.subarray(v, v + sizes[s]));
      v += sizes[s++];
    }
    p += ofPoints[i];
    out.push({ points: own, polygons, ball: ballOf(own, polygons, dimension), ...boxOf(own) });
  }
  return out;
}

function boxOf(points: Float32Array): Pick<Outline, 'reach' | 'middle' | 'half' | 'height'> {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  for (let i = 0; i < points.length; i++) {
    low[i % 3] = Math.min(low[i % 3], points[i]);
    high[i % 3] = Math.max(high[i % 3], points[i]);
  }
  const middle = low.map((x, k) => (x + high[k]) / 2) as [number, number, number];
  const half = low.map((x, k) => (high[k] - x) / 2) as [number, number, number];
  let height = 0;
  for (let i = 2; i < points.length; i += 3) height += points[i] / (points.length / 3);
  return { middle, half, height, reach: Math.hypot(...half) };
}

/** The record draws circles with 32 points: so many at one distance are a ball. */
function ballOf(points: Float32Array, polygons: Uint32Array[], dimension: number): number {
  const count = points.length / 3;
  if (dimension === 2 ? polygons.length !== 1 || count !== 32 || polygons[0].length < 32 : count < 100) return 0;
  const r = Math.hypot(points[0], points[1], points[2]);
  for (let i = 0; i < points.length; i += 3) {
    if (Math.abs(Math.hypot(points[i], points[i + 1], points[i + 2]) - r) > 1e-4 * r) return 0;
  }
  return r;
}

/** Triangles of polygons, with indices into the points. */
export function triangles(outline: Outline, dimension: number): number[] {
  const index: number[] = [];
  for (const polygon of outline.polygons) {
    if (polygon.length < 3) continue;
    if (polygon.length === 3) index.push(polygon[0], polygon[1], polygon[2]);
    else if (dimension === 2) {
      const at = (i: number) => new Vector2(outline.points[3 * i], outline.points[3 * i + 1]);
      for (const t of ShapeUtils.triangulateShape(Array.from(polygon, at), [])) index.push(...t.map((i) => polygon[i]));
    } else for (let i = 2; i < polygon.length; i++) index.push(polygon[0], polygon[i - 1], polygon[i]);
  }
  return index;
}

/** Sides of polygons, each once; those between faces of one plane are left out. */
export function edges(outline: Outline, all: boolean): number[] {
  const sides = new Map<string, { pair: [number, number]; normal: number[] | null }>();
  const key = (i: number) => [0, 1, 2].map((k) => outline.points[3 * i + k].toPrecision(6)).join();
  const names = Array.from({ length: outline.points.length / 3 }, (_, i) => (all ? String(i) : key(i)));
  for (const polygon of outline.polygons) {
    if (polygon.length < 2) continue;
    const normal = normalOf(outline.points, polygon);
    for (let i = 0; i < polygon.length; i++) {
      const [a, b] = [polygon[i], polygon[(i + 1) % polygon.length]];
      if (polygon.length === 2 && i === 1) break;
      const name = names[a] < names[b] ? `${names[a]}|${names[b]}` : `${names[b]}|${names[a]}`;
      const other = sides.get(name);
      if (!other) sides.set(name, { pair: [a, b], normal });
      else if (!all && other.normal && normal && Math.abs(dot(other.normal, normal)) > 0.95) sides.delete(name);
    }
  }
  return [...sides.values()].flatMap((s) => s.pair);
}

function dot(a: number[], b: number[]): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

function normalOf(points: Float32Array, polygon: Uint32Array): number[] | null {
  if (polygon.length < 3) return null;
  const at = (i: number) => [0, 1, 2].map((k) => points[3 * polygon[i] + k]);
  const [a, b, c] = [at(0), at(1), at(2)];
  const [u, v] = [b.map((x, k) => x - a[k]), c.map((x, k) => x - a[k])];
  const n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
  const length = Math.hypot(...n);
  return length > 0 ? n.map((x) => x / length) : null;
}

/** A surface with a normal for each face. */
export function surface(outline: Outline, dimension: number): BufferGeometry {
  const index = triangles(outline, dimension);
  const flat = new Float32Array(3 * index.length);
  index.forEach((v, i) => flat.set(outline.points.subarray(3 * v, 3 * v + 3), 3 * i));
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(flat, 3));
  geometry.computeVertexNormals();
  return geometry;
}
