// Runs in the viewer.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { byH5py, frame, house, hullByH5py } from './common.mjs';
import { check, colours, command, equal, folder, open, serve, shown } from './harness.mjs';

export const tests = {};

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


/** Texts whose colour differs too little from what is behind them: WCAG 2.1, 1.4.3, contrast (minimum). */
const faint = () => {
  const pen = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  const rgba = (colour) => {
    pen.clearRect(0, 0, 1, 1);
    pen.fillStyle = colour;
    pen.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = pen.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = (top, bottom) => [0, 1, 2].map((k) => top[k] * top[3] + bottom[k] * (1 - top[3])).concat(1);
  const behind = (e) => {
    if (!e) return [255, 255, 255, 1];
    const own = rgba(getComputedStyle(e).backgroundColor);
    return own[3] === 1 ? own : over(own, behind(e.parentElement));
  };
  const light = (c) => {
    const [r, g, b] = c.map((x) => { const v = x / 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const out = [];
  for (const e of document.querySelectorAll('body *')) {
    const text = [...e.childNodes].filter((n) => n.nodeType === 3).map((n) => n.textContent.trim()).join('');
    const box = e.getBoundingClientRect();
    if (!text || e.closest('.sr, option') || e.disabled || box.width === 0 || box.height === 0 || getComputedStyle(e).visibility === 'hidden') continue;
    const back = behind(e);
    const [a, b] = [light(over(rgba(getComputedStyle(e).color), back)), light(back)];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) out.push(`${ratio.toFixed(2)} ${text.slice(0, 30)}`);
  }
  return out;
};

tests['texts are legible in the light and in the dark'] = async () => {
  const { address } = await serve('view', house(), '--no-open');
  for (const colorScheme of ['light', 'dark']) {
    const page = await open({ colorScheme });
    await page.goto(address);
    await shown(page);
    await page.keyboard.press('n');
    for (const tab of ['View', 'Selection', 'Plots', 'Scene']) {
      await page.getByRole('tab', { name: tab }).click();
      await page.waitForTimeout(150);
      equal(await page.evaluate(faint), [], `faint texts of ${tab}, ${colorScheme}`);
    }
    await page.evaluate(() => window.delassus.inspector.select(window.delassus.acts[0], { kind: 'body', body: 2 }));
    await page.waitForSelector('.values');
    equal(await page.evaluate(faint), [], `faint texts of a body, ${colorScheme}`);
    await page.keyboard.press('?');
    equal(await page.evaluate(faint), [], `faint texts of the keys, ${colorScheme}`);
    await page.context().close();
  }
};

tests['everything is reached by the keyboard, and it is seen where one is'] = async () => {
  const { address } = await serve('view', house(), '--no-open');
  const page = await open();
  await page.goto(address);
  await shown(page);
  const reached = new Set();
  for (let k = 0; k < 60; k++) {
    await page.keyboard.press('Tab');
    const [name, outline] = await page.evaluate(() => {
      const e = document.activeElement;
      // Out of the page, and around.
      return e === document.body ? ['', ''] : [e.getAttribute('aria-label') || e.textContent.trim() || e.id, getComputedStyle(e).outlineStyle];
    });
    if (reached.has(name)) break;
    if (name) check(outline !== 'none', `no outline around ${name}`);
    reached.add(name);
  }
  for (const name of ['Save a picture (S)', 'Play (space)', 'Frame', 'Colour by', 'Forces', 'View', 'Speed']) check(reached.has(name), `${name} is not reached, but ${[...reached].join(', ')}`);
};
