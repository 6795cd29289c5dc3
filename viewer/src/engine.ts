// The engine as the page asks it, and its frames as a source.

import { unpack, type Pack } from './pack';
import type { Cast, Grown, Meta, Source, Value } from './source';

export interface Status {
  step: number;
  steps: number;
  time: number;
  over: boolean;
  contacts: number;
  residual: number;
  worst: number;
  flagged: number;
  /** Steps that factors took part in. */
  factored: number;
  frames: number;
  running: boolean;
  seconds: number;
  hash?: string;
}

interface Question { done: (v: never) => void; failed: (e: Error) => void; since: number }

/** A question that the engine was ended on. */
export class Ended extends Error {}

export class Engine {
  private readonly asked = new Map<number, Question>();
  private last = 0;
  private worker = this.begin();
  /** When it last said anything of its own. */
  private heard = performance.now();
  onstatus: (s: Status) => void = () => undefined;
  onfailed: (message: string) => void = () => undefined;

  private begin(): Worker {
    const worker = new Worker(new URL('worker.js', document.baseURI), { type: 'module' });
    worker.onmessage = (e) => {
      const { id, value, error, status, failed, broken } = e.data;
      this.heard = performance.now();
      if (status) return this.onstatus(status);
      const question = this.asked.get(id);
      this.asked.delete(id);
      // Whatever memory it left is not to be trusted.
      if (broken) this.restart();
      if (failed !== undefined) return this.onfailed(failed);
      if (error !== undefined) question?.failed(new Error(error)); else question?.done(value as never);
    };
    worker.onerror = () => {
      const open = [...this.asked.values()];
      this.asked.clear();
      for (const question of open) question.failed(new Ended('the engine could not be started'));
      this.onfailed('the engine could not be started: this page needs WebAssembly, module workers and the server it came from');
    };
    return worker;
  }

  /** Ends it wherever it is, even within a step, and begins another. */
  restart(): void {
    this.worker.terminate();
    const open = [...this.asked.values()];
    this.asked.clear();
    this.worker = this.begin();
    for (const question of open) question.failed(new Ended('the engine was ended'));
  }

  /** Seconds that it has been silent while something was asked of it. */
  get silent(): number {
    const first = Math.min(...[...this.asked.values()].map((q) => q.since), Infinity);
    return Math.max(performance.now() - Math.max(first, this.heard), 0) / 1000;
  }

  ask<T>(what: string, ...args: unknown[]): Promise<T> {
    const id = ++this.last;
    return new Promise((done, failed) => {
      this.asked.set(id, { done: done as never, failed, since: performance.now() });
      this.worker.postMessage({ id, what, args });
    });
  }

  async json<T>(what: string, ...args: unknown[]): Promise<T> {
    return JSON.parse(await this.ask<string>(what, ...args));
  }

  async pack(what: string, ...args: unknown[]): Promise<Pack> {
    const bytes = await this.ask<Uint8Array>(what, ...args);
    return unpack(bytes.slice().buffer as ArrayBuffer);
  }
}

export class EngineSource implements Source {
  exact = true;
  constructor(readonly name: string, private readonly engine: Engine) {}
  meta() { return this.engine.json<Meta>('meta'); }
  cast() { return this.engine.json<Cast>('cast'); }
  geometry() { return this.engine.pack('geometry'); }
  frame(at: number, fields: string[]) { return this.engine.pack('frame', at, fields.join()); }
  async series(name: string) {
    const { data } = (await this.engine.pack('series', name)).arrays.get('values')!;
    return Float64Array.from(data as Float64Array);
  }
  history(field: string, item: number) { return this.engine.pack('history', field, item); }
  pair(a: number, b: number) { return this.engine.pack('pair', a, b); }
  resultant(body: number) { return this.engine.pack('resultant', body); }
  values(at: number, group: string, item: number) { return this.engine.json<Record<string, Value>>('values', at, group, item); }
  async grown(from: number): Promise<Grown> {
    const meta = await this.meta();
    return { frames: meta.times.length, growing: false, times: meta.times.slice(from), steps: meta.steps.slice(from) };
  }
}
