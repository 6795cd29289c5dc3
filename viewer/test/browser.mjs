// The pages in a real browser. Usage: node test/browser.mjs [part of a name …]

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { check, colours, command, end, equal, folder, open, root, serve, shown } from './harness.mjs';

const state = (said) => /^state ([0-9a-f]{16})/m.exec(said)[1];
const frame = (page) => page.evaluate(() => window.delassus.player.frame);
const tests = {};
let ended = '';

/** A run of boxes, once for all. */
function house() {
  if (!ended) ended = command('run', 'card_house', '--set', 'time.end=0.5');
  return 'card_house.h5';
}

function python(code, ...args) {
  const program = join(root, 'target/python/bin/python');
  check(existsSync(program), 'scripts/python makes target/python');
  return JSON.parse(execFileSync(program, ['-c', `import h5py, json, sys\nf = h5py.File(sys.argv[1])\nprint(json.dumps(${code}))`, ...args], { encoding: 'utf8' }));
}
/** Every number of the file in one frame, by h5py: a reader that is not ours. */
const byH5py = (run, field, at) => python('(lambda w: f[sys.argv[2]][w[0]:w[0] + w[1]].tolist())(f["frames/contacts"][int(sys.argv[3])])', join(folder, run), field, String(at));
const seriesByH5py = (run, name) => python('f[sys.argv[2]][:].ravel().tolist()', join(folder, run), name);
const hullByH5py = (file, k) => python('(lambda s: f["hull/vertices"][s[0]:s[1]].tolist())(f["hull/start"][int(sys.argv[2]):int(sys.argv[2]) + 2])', join(folder, file), String(k));

tests['a run opens, plays, steps and is scrubbed'] = async () => {
  const { address } = await serve('view', house(), '--no-open');
  const page = await open();
  const reply = await page.goto(address);
  const policy = reply.headers()['content-security-policy'];
  check(policy.includes("default-src 'none'") && policy.includes("connect-src 'self'"), `policy ${policy}`);
  await shown(page);
  check((await colours(page)) > 5, 'the picture is empty');
  check((await page.textContent('#certificate')).startsWith('every step certified'), 'the certificate is told');
  equal(await frame(page), 0, 'first frame');
  await page.keyboard.press('ArrowRight');
  equal(await frame(page), 1, 'one frame on');
  await page.locator('#time').fill('7');
  equal(await frame(page), 7, 'scrubbed');
  check((await page.textContent('#readout')).includes('frame 7/'), 'the time is told');
  await page.click('#play');
  await page.waitForFunction(() => window.delassus.player.frame > 9);
  await page.click('#play');
  const stopped = await frame(page);
  await page.waitForTimeout(300);
  equal(await frame(page), stopped, 'paused');
  const elsewhere = page.asked.filter((url) => !url.startsWith(address) && !url.startsWith('data:') && !url.startsWith('blob:'));
  equal(elsewhere, [], 'requests to elsewhere');
  equal(page.faults, [], 'errors of the page');
};

tests['a contact that is clicked tells the numbers of the file'] = async () => {
  const run = house();
  const { address } = await serve('view', run, '--no-open');
  const page = await open();
  await page.goto(address);
  await shown(page);
  await page.keyboard.press('End');
  await page.keyboard.press('n');
  await page.waitForFunction(() => window.delassus.acts[0].stage.current?.arrays.has('contacts/force'));
  const at = await frame(page);
  const [forces, points] = [byH5py(run, 'contacts/force', at), byH5py(run, 'contacts/point', at)];
  // The one whose neighbours are farthest.
  const apart = (i) => Math.min(...points.map((p, k) => (k === i ? Infinity : Math.hypot(p[0] - points[i][0], p[1] - points[i][1]))));
  const chosen = points.map((_, i) => i).sort((a, b) => apart(b) - apart(a))[0];
  const [x, y] = await page.evaluate((p) => window.delassus.acts[0].stage.project(p), points[chosen]);
  await page.locator('.stage canvas').click({ position: { x, y } });
  const told = (await page.locator('[data-value=force]').textContent()).replace(' N', '').split(', ').map(Number);
  equal(told, forces[chosen], 'the force, to the last bit');
  check(['open', 'sticking', 'slipping'].includes(await page.locator('[data-value=status]').textContent()), 'its status');
  check((await page.locator('[data-value=law]').textContent()).includes('μ'), 'its law');
  await page.waitForSelector('.plot canvas');
  equal(page.faults, [], 'errors of the page');
};

tests['a picture and a video are saved'] = async () => {
  const { address } = await serve('view', house(), '--no-open');
  const page = await open();
  await page.goto(address);
  await shown(page);
  const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('s')]);
  const bytes = readFileSync(await download.path());
  equal([...bytes.subarray(1, 4)], [0x50, 0x4e, 0x47], 'a PNG');
  check(bytes.length > 5000, `only ${bytes.length} bytes`);
  await page.locator('.speed select').selectOption('real:1');
  const [video] = await Promise.all([page.waitForEvent('download'), page.click('[aria-label="Save a video"]')]);
  check(/\.(webm|mp4)$/.test(video.suggestedFilename()), 'a video');
  check(readFileSync(await video.path()).length > 5000, 'frames in the video');
};

tests['one file plays without a server'] = async () => {
  const told = command('view', house(), '--html', 'house.html', '--frames', '20');
  check(/20 of \d+ frames, [\d.]+ [kM]B/.test(told), `its size is told: ${told}`);
  const page = await open();
  await page.goto(pathToFileURL(join(folder, 'house.html')).href);
  await shown(page);
  equal(await page.evaluate(() => window.delassus.acts[0].reel.frames), 20, 'frames');
  await page.keyboard.press('End');
  check((await colours(page)) > 5, 'the picture is empty');
  equal(page.asked.filter((url) => !url.startsWith('file:') && !url.startsWith('data:')), [], 'requests');
  equal(page.faults, [], 'errors of the page');
};

tests['two runs play side by side'] = async () => {
  house();
  command('run', 'card_house', '--set', 'time.end=0.5', '--set', 'law.friction=0.2', '-o', 'slippery.h5');
  const { address } = await serve('view', 'card_house.h5', 'slippery.h5', '--no-open');
  const page = await open();
  await page.goto(address);
  await shown(page);
  equal(await page.locator('.stage').count(), 2, 'stages');
  await page.keyboard.press('End');
  await page.waitForFunction(() => window.delassus.acts.every((a) => a.ready && a.stage.frame === a.reel.frames - 1));
  equal(page.faults, [], 'errors of the page');
};

tests['what cannot be shown is said'] = async () => {
  const run = house();
  writeFileSync(join(folder, 'foreign.h5'), 'no run at all');
  let said = '';
  try { command('view', 'foreign.h5', '--no-open'); } catch (e) { said = `${e.status} ${e.stderr}`; }
  check(said.startsWith('2 ') && said.includes('foreign.h5'), `a foreign file: ${said}`);
  writeFileSync(join(folder, 'lost.h5'), readFileSync(join(folder, run)));
  const { address } = await serve('view', 'lost.h5', '--no-open');
  const page = await open();
  await page.goto(address);
  await shown(page);
  const stranger = await page.request.get(address.replace(/[0-9a-f]{32}/, '0'.repeat(32)));
  equal(stranger.status(), 404, 'another token');
  // Bytes of its middle, changed while it is looked at.
  const bytes = readFileSync(join(folder, 'lost.h5'));
  bytes.fill(0x5a, Math.floor(bytes.length * 0.2), Math.floor(bytes.length * 0.9));
  writeFileSync(join(folder, 'lost.h5'), bytes);
  await page.keyboard.press('End');
  await page.waitForSelector('[role=alert]');
  check((await page.textContent('[role=alert]')).includes('lost.h5'), 'a damaged file is named');
  rmSync(join(folder, 'lost.h5'));
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowRight');
  await page.waitForFunction(() => document.querySelector('[role=alert]')?.textContent.includes('not there any more'));
  const blind = await open();
  await blind.addInitScript(() => {
    const get = HTMLCanvasElement.prototype.getContext;
    HTMLCanvasElement.prototype.getContext = function (kind, ...rest) { return kind.startsWith('webgl') ? null : get.call(this, kind, ...rest); };
  });
  const { address: good } = await serve('view', run, '--no-open');
  await blind.goto(good);
  check((await blind.textContent('[role=alert]')).includes('WebGL'), 'no WebGL is said');
};

tests['controls have names, in the dark and on a phone too'] = async () => {
  const { address } = await serve('view', house(), '--no-open');
  const page = await open({ viewport: { width: 390, height: 780 }, colorScheme: 'dark' });
  await page.goto(address);
  await shown(page);
  equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark', 'theme of the system');
  const nameless = await page.evaluate(() => [...document.querySelectorAll('button, input, select, canvas:not([aria-hidden])')]
    .filter((e) => !(e.getAttribute('aria-label') || e.textContent.trim())).map((e) => e.outerHTML));
  equal(nameless, [], 'controls without a name');
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  check(wide <= 390, `the page is ${wide} pixels wide`);
};

/** The playground with a scene run to its end in it. */
async function played(page, scene) {
  await page.evaluate((text) => { window.playground.editor.text = text; return window.playground.run(); }, scene);
  await page.waitForFunction(() => document.querySelector('#hash').textContent !== '', null, { timeout: 120_000 });
  return (await page.textContent('#hash')).replace('state ', '');
}

/** A scene of the gallery that ends earlier. */
function until(name, end) {
  const text = readFileSync(join(root, `scenes/${name}.toml`), 'utf8').replace(/^end\s*=.*$/m, `end = ${end}`);
  writeFileSync(join(folder, `${name}.toml`), text);
  return text;
}

async function playground() {
  const { address } = await serve('playground', join(root, 'target/playground'), '--no-open');
  const page = await open();
  await page.goto(address);
  await page.waitForSelector('#gallery');
  return page;
}

tests['the engine in the page comes to the same state'] = async () => {
  const page = await playground();
  // Planes and space, joints, generators with sines, formulas of t; steps that sweeps solve. Where contacts are redundant
  // (box_stack, arch_standing) factors take part, whose last bits are those of the machine's fused operations.
  const differ = [];
  for (const [name, end] of [['card_house', 0.2], ['dominoes', 0.2], ['slider_crank', 0.2], ['spinning_top', 0.1], ['cradle', 0.2], ['disc_pyramid_3', 0.1], ['rocking_block', 0.2]]) {
    const scene = until(name, end);
    const native = state(command('run', `${name}.toml`, '--threads', '1', '--no-record'));
    if ((await played(page, scene)) !== native) differ.push(name);
  }
  equal(differ, [], 'scenes whose state in the browser is not that of the command');
  // A mistake is told at its line.
  await page.evaluate((text) => { window.playground.editor.text = `${text}\nnonsense = 1\n`; }, until('box_stack', 0.2));
  await page.waitForSelector('.cm-lintRange-error');
  equal(page.faults, [], 'errors of the page');
};

tests['solids run in the page'] = async () => {
  const page = await playground();
  const scene = until('hertz', 1);
  command('run', 'hertz.toml', '--threads', '1', '-o', 'hertz.h5');
  await played(page, scene);
  // Factors of the stiffness are made in another order there: the same to round-off, not to the last bit.
  for (const name of ['energy/strain', 'step/contacts']) {
    const here = await page.evaluate(async (n) => [...(await window.delassus.acts[0].reel.series(n))], name);
    const there = seriesByH5py('hertz.h5', name);
    equal(here.length, there.length, `frames of ${name}`);
    here.forEach((x, i) => check(Math.abs(x - there[i]) <= 1e-9 * Math.max(...there.map(Math.abs)), `${name} at frame ${i}: ${x}, expected ${there[i]}`));
  }
  check((await colours(page)) > 5, 'the picture is empty');
  equal(page.faults, [], 'errors of the page');
};

tests['what was explored is shown at its contacts'] = async () => {
  command('run', 'discs_28', '--set', 'time.end=0.01', '-o', 'discs.h5');
  command('explore', 'discs.h5', '--exact', '--samples', '60', '-o', 'discs.set.h5', '--quiet');
  const { address } = await serve('view', 'discs.h5', '--explore', 'discs.set.h5', '--no-open');
  const page = await open();
  await page.goto(address);
  await shown(page);
  await page.click('#explored');
  await page.waitForFunction(() => window.delassus.acts[0].stage.explored && window.delassus.acts[0].stage.current?.arrays.has('contacts/point'));
  const [k, point] = await page.evaluate(() => {
    const all = window.delassus.acts[0].reel.cast.explored.contacts;
    const spread = (s) => Math.max(...s.vertices.map((v) => v[0])) - Math.min(...s.vertices.map((v) => v[0]));
    const best = all.map((_, i) => i).sort((a, b) => spread(all[b]) - spread(all[a]))[0];
    return [best, all[best].point];
  });
  const [x, y] = await page.evaluate((p) => window.delassus.acts[0].stage.project(p), point);
  await page.locator('.stage canvas').click({ position: { x, y } });
  const told = (await page.locator('[data-set=normal]').textContent()).replace(' N', '').split(' … ').map(Number);
  const vertices = hullByH5py('discs.set.h5', k);
  const ends = [Math.min(...vertices.map((v) => v[0])), Math.max(...vertices.map((v) => v[0]))];
  ends.forEach((e, i) => check(Math.abs(told[i] - e) <= 1e-3 * Math.abs(ends[1]), `the set of contact ${k}: ${told}, expected ${ends}`));
  equal(await page.locator('.sets canvas').count(), 1, 'its picture');
  const page2 = command('view', 'discs.h5', '--explore', 'discs.set.h5', '--html', 'discs.html');
  check(page2.includes('discs.html'), 'a page to send has it too');
  equal(page.faults, [], 'errors of the page');
};

tests['a run is watched, paused and pushed while it is computed'] = async () => {
  const { address, child, said } = await serve('run', 'card_house', '--view', '--no-open', '-o', 'live.h5', '--set', 'time.end=3000');
  const page = await open();
  await page.goto(address);
  await shown(page);
  await page.click('#live-pause');
  await page.waitForFunction(() => document.querySelector('#live').textContent.startsWith('paused'));
  const body = await page.evaluate(() => window.delassus.acts[0].reel.cast.roles.indexOf('free'));
  const reply = await page.evaluate(async (body) => {
    const order = { push: { body, force: [0.5, 0], for: 0.05 } };
    return (await fetch('live', { method: 'POST', body: JSON.stringify(order) })).status;
  }, body);
  equal(reply, 200, 'a push is taken');
  await page.click('[aria-label="Compute until the next frame"]');
  await page.click('[aria-label="Compute until the next frame"]');
  await page.waitForFunction(() => document.querySelector('#live').textContent.includes('1 pushes'));
  await page.waitForTimeout(500);
  child.removeAllListeners('exit');
  const over = new Promise((done) => child.on('exit', done));
  child.kill('SIGINT');
  equal(await over, 130, 'interrupted');
  // The scene with the load at its end, run at once, comes to the same state, to the last bit.
  const scene = readFileSync(join(root, 'scenes/card_house.toml'), 'utf8') + readFileSync(join(folder, 'live.pushes.toml'), 'utf8');
  check(scene.includes('[load.push_1]'), 'the push is kept');
  writeFileSync(join(folder, 'pushed.toml'), scene);
  const time = /^t = ([\d.]+) s/m.exec(said())[1];
  const again = command('run', 'pushed.toml', '--no-record', '--set', `time.end=${time}`);
  equal(state(again), state(said()), `the state at ${time} s`);
};

tests['curves are linked to time'] = async () => {
  const { address } = await serve('view', house(), '--no-open');
  const page = await open();
  await page.goto(address);
  await shown(page);
  await page.getByRole('tab', { name: 'Plots' }).click();
  await page.waitForSelector('.plot .u-over');
  await page.locator('.plot .u-over').first().click({ position: { x: 120, y: 40 } });
  check((await frame(page)) > 3, 'a click on a curve goes there');
  equal(page.faults, [], 'errors of the page');
};

if (!existsSync(join(root, 'target/playground/delassus_web_bg.wasm'))) {
  for (const name of ['the engine in the page comes to the same state', 'solids run in the page']) {
    delete tests[name];
    console.log(`not run: ${name}; 'scripts/viewer engine' builds it, with the target wasm32-unknown-unknown`);
  }
}
let failed = 0;
const wanted = process.argv.slice(2);
for (const [name, test] of Object.entries(tests)) {
  if (wanted.length && !wanted.some((w) => name.includes(w))) continue;
  const begin = performance.now();
  try {
    await test();
    console.log(`ok      ${name} (${((performance.now() - begin) / 1000).toFixed(1)} s)`);
  } catch (e) {
    failed++;
    console.log(`FAILED  ${name}: ${e.message}`);
  }
}
await end();
process.exit(failed ? 1 : 0);
