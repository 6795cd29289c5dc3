// Runs that are watched while they are computed.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { python, state } from './common.mjs';
import { check, command, equal, folder, open, root, serve, shown } from './harness.mjs';

export const tests = {};

tests['a run is watched, paused and pushed while it is computed'] = async () => {
  const { address, child, said } = await serve('run', 'card_house', '--view', '--no-open', '-o', 'live.h5', '--set', 'time.end=1e6');
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
  await page.waitForFunction(() => document.querySelector('#live').textContent.includes('1 push'));
  await page.waitForTimeout(500);
  child.removeAllListeners('exit');
  const over = new Promise((done) => child.on('exit', done));
  child.kill('SIGINT');
  equal(await over, 130, 'interrupted');
  // The run itself holds the scene with the push, and says so to whoever goes on with it.
  check(python('str(dict(f.attrs)) + str([dict(g.attrs) for g in f.values()])', 'live.h5').includes('load.push_1'), 'the push is in the run');
  // The scene with the load at its end, run at once, comes to the same state, to the last bit.
  const scene = readFileSync(join(root, 'scenes/card_house.toml'), 'utf8') + readFileSync(join(folder, 'live.pushes.toml'), 'utf8');
  check(scene.includes('[load.push_1]'), 'the push is kept');
  writeFileSync(join(folder, 'pushed.toml'), scene);
  const time = /^t = ([\d.]+) s/m.exec(said())[1];
  const again = command('run', 'pushed.toml', '--no-record', '--set', `time.end=${time}`);
  equal(state(again), state(said()), `the state at ${time} s`);
};


tests['a body in space is pushed with the mouse'] = async () => {
  const { address, child, said } = await serve('run', 'box_stack', '--view', '--no-open', '-o', 'space.h5', '--set', 'time.end=1e6');
  const page = await open();
  await page.goto(address);
  await shown(page);
  await page.click('#live-pause');
  await page.waitForFunction(() => document.querySelector('#live').textContent.startsWith('paused'));
  await page.evaluate(() => window.delassus.player.jump(window.delassus.player.end));
  await page.waitForFunction(() => window.delassus.acts[0].ready);
  await page.click('#live-push');
  const [body, x, y] = await page.evaluate(() => {
    const { stage, reel } = window.delassus.acts[0];
    const free = reel.cast.roles.map((r, i) => [r, i]).filter(([r]) => r === 'free').map(([, i]) => i);
    const top = free.sort((a, b) => stage.position(b).z - stage.position(a).z)[0];
    return [top, ...stage.project(stage.position(top).toArray())];
  });
  const box = await page.locator('.stage canvas').boundingBox();
  await page.mouse.move(box.x + x, box.y + y);
  await page.mouse.down();
  await page.mouse.move(box.x + x + 80, box.y + y, { steps: 4 });
  const name = await page.evaluate((b) => window.delassus.acts[0].reel.name(b), body);
  check((await page.textContent('.tag')).endsWith(`N on ${name}`), 'the force is told while it is chosen');
  await page.mouse.up();
  await page.click('[aria-label="Compute until the next frame"]');
  await page.click('[aria-label="Compute until the next frame"]');
  await page.waitForFunction(() => document.querySelector('#live').textContent.includes('1 push'));
  // To the right of the picture: along the horizontal axis of the eye.
  const right = await page.evaluate(() => { const e = window.delassus.acts[0].stage.camera.matrixWorld.elements; return [e[0], e[1], e[2]]; });
  const table = readFileSync(join(folder, 'space.pushes.toml'), 'utf8');
  check(table.includes(`body = "${name}"`), `the body of ${table}`);
  const force = [.../"(-?[\d.e-]+)\*0\.5/g[Symbol.matchAll](table)].map((m) => Number(m[1]));
  const size = Math.hypot(...force);
  check(size > 0 && force.every((f, k) => Math.abs(f / size - right[k]) < 1e-6), `the force ${force} along ${right}`);
  // The work of it is in the ledger, and the box has moved that way.
  child.removeAllListeners('exit');
  const over = new Promise((done) => child.on('exit', done));
  child.kill('SIGINT');
  equal(await over, 130, 'interrupted');
  check(state(said()).length === 16, 'a state at the end');
  const work = python('float(f["work/external"][-1])', 'space.h5');
  check(work !== 0, `work of the push ${work} J`);
  equal(page.faults, [], 'errors of the page');
};
