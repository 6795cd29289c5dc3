// What several files of tests use.

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { check, command, folder, root } from './harness.mjs';

/** The hash that the command prints at the end of a run. */
export const state = (said) => /^state ([0-9a-f]{16})/m.exec(said)[1];
export const frame = (page) => page.evaluate(() => window.delassus.player.frame);

let ended = '';

/** A run of boxes, once for all. */
export function house() {
  if (!ended) ended = command('run', 'card_house', '--set', 'time.end=0.5');
  return 'card_house.h5';
}

/** What a program of Python finds in a file: a reader that is not ours. `f` is the file, `sys.argv` what follows it. */
export function python(code, file, ...args) {
  const program = join(root, 'target/python/bin/python');
  check(existsSync(program), 'scripts/python makes target/python');
  return JSON.parse(execFileSync(program, ['-c', `import h5py, json, sys\nf = h5py.File(sys.argv[1], "r")\nprint(json.dumps(${code}))`, join(folder, file), ...args], { encoding: 'utf8' }));
}

/** Rows of a field of contacts in one frame. */
export const byH5py = (run, field, at) => python('(lambda w: f[sys.argv[2]][w[0]:w[0] + w[1]].tolist())(f["frames/contacts"][int(sys.argv[3])])', run, field, String(at));
export const seriesByH5py = (run, name) => python('f[sys.argv[2]][:].ravel().tolist()', run, name);
export const hullByH5py = (file, k) => python('(lambda s: f["hull/vertices"][s[0]:s[1]].tolist())(f["hull/start"][int(sys.argv[2]):int(sys.argv[2]) + 2])', file, String(k));

/** Changes a file as another program would. */
export function altered(file, statements) {
  const program = join(root, 'target/python/bin/python');
  execFileSync(program, ['-c', `import h5py, sys\nf = h5py.File(sys.argv[1], "r+")\n${statements}\nf.close()`, join(folder, file)], { encoding: 'utf8' });
}

/** A number with all its digits, as the page writes it. */
export const digits = (x) => (x !== 0 && (Math.abs(x) < 1e-4 || Math.abs(x) >= 1e7) && !Number.isInteger(x) ? x.toExponential() : String(x));
