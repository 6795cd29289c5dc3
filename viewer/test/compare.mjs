// The engine in the page beside the command on one thread: time, bits, and how far apart the states are. Times are those of
// the processor, of the whole process of either: other work on the machine is not counted, nor is waiting.
// Usage: node test/compare.mjs [SCENE[=END] …]     needs target/playground, as `scripts/viewer engine` builds it

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { command, end, folder, open, program, root, serve } from './harness.mjs';

/** Scenes and their ends: a second or so of the command each, where the motion has that long. */
const usual = [
  'arch_standing', 'bouncing_ball', 'box_stack', 'brick_wall=0.3', 'card_house', 'cradle', 'cube_on_three_contacts', 'disc_pyramid_6',
  'discs_28', 'dominoes', 'drum=0.2', 'gripper', 'hertz', 'hopper=0.3', 'incline', 'kapla_tower=0.2', 'ladder', 'rocking_block', 'rolling_ball',
  'rubble=0.3', 'shaken_table=2', 'slider_crank', 'sphere_slide', 'spheres_in_box=0.1', 'spinning_top=1', 'two_bars',
];
/** Runs of each, of which the fastest counts. */
const TRIES = 3;
const wanted = process.argv.slice(2);

const { address } = await serve('playground', join(root, 'target/playground'), '--no-open');
const page = await open();
page.setDefaultTimeout(600_000);
await page.goto(address);
await page.waitForSelector('#gallery');

function scene(name, until) {
  let text = readFileSync(join(root, `scenes/${name}.toml`), 'utf8');
  if (until) text = text.replace(/^end\s*=.*$/m, `end = ${until}`);
  writeFileSync(join(folder, `${name}.toml`), text);
  return text;
}

/** Seconds of the processor, and the hash of the state. */
function native(name) {
  const shell = 'TIMEFORMAT="cpu %U %S"; { time "$0" "$@" 2>/dev/null; } 2>&1';
  const said = execFileSync('bash', ['-c', shell, program, 'run', `${name}.toml`, '--threads', '1', '--no-record'], { cwd: folder, encoding: 'utf8' });
  const [, user, system] = /^cpu ([\d.]+) ([\d.]+)/m.exec(said);
  return { seconds: Number(user) + Number(system), steps: Number(/after (\d+) steps/.exec(said)[1]), hash: /^state ([0-9a-f]{16})/m.exec(said)[1] };
}

const devtools = await page.context().newCDPSession(page);
await devtools.send('Performance.enable');
/** Seconds of the processor that the process of the page has had, its worker and compilers among them. */
const spent = async () => (await devtools.send('Performance.getMetrics')).metrics.find((m) => m.name === 'ProcessTime').value;

async function browser(text) {
  const before = await spent();
  const told = await page.evaluate(async (text) => {
    const { engine } = window.playground;
    await engine.ask('stop');
    await engine.ask('open', text);
    const over = new Promise((done, failed) => {
      engine.onstatus = (s) => { if (s.over) done(s); };
      engine.onfailed = (m) => failed(new Error(m));
    });
    await engine.ask('run');
    const { hash, factored } = await over;
    return { hash: hash.slice(0, 16), factored };
  }, text);
  return { ...told, seconds: (await spent()) - before };
}

/** Largest difference of a number of the last frame, relative to the largest of its field, in double precision. */
async function apart(name) {
  command('run', `${name}.toml`, '--threads', '1', '--overwrite', '-o', `${name}.h5`);
  const code = 'import h5py, json, sys\nf = h5py.File(sys.argv[1])\nout = {}\nfor n in ("bodies/position", "bodies/velocity", "nodes/displacement"):\n    if n in f and len(f[n]): out[n] = f[n][-1].tolist()\nprint(json.dumps(out))';
  const there = JSON.parse(execFileSync(join(root, 'target/python/bin/python'), ['-c', code, join(folder, `${name}.h5`)], { encoding: 'utf8', maxBuffer: 1 << 28 }));
  const here = await page.evaluate(async (fields) => {
    const { engine } = window.playground;
    const last = (await engine.json('meta')).times.length - 1;
    const out = {};
    for (const [field, count] of fields) {
      const [group, key] = field.split('/');
      // Enough of them to find the farthest, not all of ten thousand nodes.
      const every = Math.max(1, Math.floor(count / 300));
      out[field] = [];
      for (let i = 0; i < count; i += every) out[field].push([i, (await engine.json('values', last, group, i))[key].values]);
    }
    return out;
  }, Object.entries(there).map(([n, v]) => [n, v.length]));
  let worst = { relative: 0, field: 'places/places and velocities' };
  for (const [field, items] of Object.entries(here)) {
    const all = there[field];
    const scale = Math.max(...all.flat().map(Math.abs), 1e-300);
    for (const [i, values] of items) {
      const of = [all[i]].flat();
      values.forEach((x, k) => {
        const relative = Math.abs(x - of[k]) / scale;
        if (relative > worst.relative) worst = { relative, field };
      });
    }
  }
  return worst;
}

console.log('| scene | steps | command, CPU s | page, CPU s | speed | same bits | steps with factors | largest difference at the end |');
console.log('|---|---|---|---|---|---|---|---|');
let [slowest, wrong] = [Infinity, []];
for (const item of wanted.length ? wanted : usual) {
  const [name, until] = item.split('=');
  const text = scene(name, until);
  const [mine, theirs] = [[], []];
  try {
    for (let k = 0; k < TRIES; k++) {
      mine.push(native(name));
      theirs.push(await browser(text));
    }
  } catch (e) {
    console.log(`| ${name} | ${String(e.message).split('\n')[0]} |`);
    continue;
  }
  const least = (runs) => Math.min(...runs.map((r) => r.seconds));
  const [a, b] = [least(mine), least(theirs)];
  const same = mine[0].hash === theirs[0].hash;
  const far = same ? null : await apart(name);
  // Of a tenth of a second much is the start.
  const speed = a >= 0.1 ? a / b : NaN;
  if (speed < slowest) slowest = speed;
  if (!same && theirs[0].factored === 0) wrong.push(name);
  console.log(`| \`${item}\` | ${mine[0].steps} | ${a.toFixed(2)} | ${b.toFixed(2)} | ${Number.isNaN(speed) ? '–' : speed.toFixed(2)} | ${same ? 'yes' : 'no'} | ${theirs[0].factored} | ${far ? `${far.relative.toExponential(1)} of ${far.field.split('/')[1]}` : '0'} |`);
}
console.log(`slowest ${slowest.toFixed(2)} of the command; ${wrong.length ? `other bits without factors: ${wrong.join(', ')}` : 'every scene without factors ends in the same bits'}`);
await end();
process.exit(wrong.length ? 1 : 0);
