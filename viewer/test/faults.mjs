// What cannot be shown, or hardly: damaged, foreign, empty, growing runs, and browsers without WebGL.

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { altered, frame, house } from './common.mjs';
import { check, colours, command, equal, folder, open, serve, shown } from './harness.mjs';

export const tests = {};

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


/** A copy of the run of boxes, for what is done to it. */
function copied(name) {
  writeFileSync(join(folder, name), readFileSync(join(folder, house())));
  return name;
}

const alert = (page, text) => page.waitForFunction((t) => document.querySelector('[role=alert]')?.textContent.includes(t), text);

tests['a run without frames says so'] = async () => {
  const run = copied('empty.h5');
  altered(run, 'f.visititems(lambda n, d: d.resize(0, 0) if isinstance(d, h5py.Dataset) and d.maxshape and d.maxshape[0] is None else None)');
  const { address } = await serve('view', run, '--no-open');
  const page = await open();
  await page.goto(address);
  await alert(page, 'has no frame');
  await page.keyboard.press(' ');
  await page.keyboard.press('End');
  equal(page.faults, [], 'errors of the page');
};

tests['numbers that are none are shown as such'] = async () => {
  const run = copied('broken.h5');
  altered(run, 'for name, at, body in (("velocity", 3, 2), ("position", 4, 3)):\n    d = f["bodies/" + name]\n    row = d[at]\n    row[body] = float("nan")\n    d[at] = row');
  const { address } = await serve('view', run, '--no-open');
  const page = await open();
  await page.goto(address);
  await shown(page);
  await page.locator('[aria-label="Colour by"]').selectOption('bodies/velocity:-1');
  await page.evaluate(() => window.delassus.player.jump(3));
  await page.waitForFunction(() => window.delassus.acts[0].stage.missing);
  check((await page.textContent('.legend')).includes('no number'), 'the legend tells it');
  const range = await page.evaluate(() => window.delassus.acts[0].stage.range);
  check(range.every(Number.isFinite), `the range is ${range}`);
  // A body that is nowhere: the others are seen, and the eye stays.
  await page.evaluate(() => window.delassus.player.jump(4));
  await page.keyboard.press('f');
  check((await colours(page)) > 5, 'the picture is empty');
  // What the file says is compared with its hash before a number of it is told.
  await page.evaluate(() => { const app = window.delassus; app.inspector.select(app.acts[0], { kind: 'body', body: 3 }); });
  await page.waitForFunction(() => document.querySelector('.values')?.textContent.includes('hash'));
  equal(page.faults.filter((f) => !f.includes('422')), [], 'errors of the page');
};

tests['one body is shown'] = async () => {
  command('run', 'bouncing_ball', '--set', 'time.end=0.1', '-o', 'one.h5');
  const { address } = await serve('view', 'one.h5', '--no-open');
  const page = await open();
  await page.goto(address);
  await shown(page);
  await page.keyboard.press('End');
  check((await colours(page)) > 2, 'the picture is empty');
  equal(page.faults, [], 'errors of the page');
};

tests['a run that grows is followed, and one that is replaced is said'] = async () => {
  // A drum never comes to rest: what rests costs nothing, and would end before the page is read.
  const { child } = await serve('run', 'drum', '--view', '--no-open', '-o', 'grows.h5', '--set', 'time.end=3000');
  const { address } = await serve('view', 'grows.h5', '--no-open');
  const page = await open();
  await page.goto(address);
  await shown(page);
  equal(await page.textContent('.growing'), 'being written', 'it is said');
  const before = await page.evaluate(() => window.delassus.acts[0].reel.frames);
  await page.getByRole('tab', { name: 'Plots' }).click();
  await page.waitForFunction((n) => window.delassus.acts[0].reel.frames > n + 2, before);
  // Its curves grow with it.
  const more = (than) => { const n = window.delassus.plots.plots[0]?.curves.times.length ?? 0; return n > than && n; };
  const first = await (await page.waitForFunction(more, 0)).jsonValue();
  await page.waitForFunction(more, first);
  // Killed: what was recorded stays, and nothing is awaited any more.
  child.removeAllListeners('exit');
  child.kill('SIGKILL');
  await page.waitForFunction(() => !document.querySelector('.growing'));
  await page.keyboard.press('End');
  await page.waitForFunction(() => window.delassus.acts[0].ready);
  check((await frame(page)) > before, 'its last frame');
  equal(page.faults, [], 'errors of the page');
  writeFileSync(join(folder, 'grows.h5'), 'something else');
  rmSync(join(folder, 'grows.h5.journal'), { force: true });
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowRight');
  await alert(page, 'grows.h5');
};
