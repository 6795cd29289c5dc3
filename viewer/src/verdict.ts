// What a run says of itself: its certificate, its scene.

import { h } from './dom';
import type { Reel } from './reel';

/** Largest residual of a run, number of its steps above the tolerance, and the frames after such steps. */
export async function judged(reel: Reel): Promise<{ worst: number; count: number; frames: number[] } | null> {
  if (!reel.field('worst/residual')) return null;
  const [worst, flagged] = await Promise.all([reel.series('worst/residual'), reel.series('count/flagged')]).catch(() => [null, null]);
  if (!worst || !flagged || worst.length === 0) return null;
  const frames: number[] = [];
  for (let i = 1; i < flagged.length; i++) if (flagged[i] > flagged[i - 1]) frames.push(i);
  return { worst: worst[worst.length - 1], count: flagged[flagged.length - 1], frames };
}

/** The scene of a run, its comments and tables told apart. */
export function sceneOf(reel: Reel): HTMLElement {
  const { meta } = reel;
  const changed = meta.overrides.length ? `# changed when it was run: ${meta.overrides.join(', ')}\n` : '';
  const text = `# ${meta.file ?? reel.source.name}, ${meta.program}\n${changed}${meta.scene}`;
  // A sign of a comment within a string is none.
  const parts = (line: string) => /^((?:[^"#]|"(?:[^"\\]|\\.)*")*)(#.*)?$/.exec(line) ?? [line, line];
  const told = text.split('\n').flatMap((line): (Node | string)[] => {
    const [, code = '', comment] = parts(line);
    return [/^\s*\[/.test(code) ? h('span', { class: 'table' }, code) : code, ...(comment ? [h('span', { class: 'comment' }, comment)] : []), '\n'];
  });
  return h('pre', { class: 'scene' }, ...told);
}
