// Runs in the viewer.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { byH5py, digits, frame, house, hullByH5py, python, seriesByH5py } from './common.mjs';
import { check, colours, command, equal, folder, open, serve, shown } from './harness.mjs';

export const tests = {};

tests['a run ends by telling the command that shows it'] = async () => {
  const said = command('run', 'cradle', '--set', 'time.end=0.02', '-o', 'told.h5');
  const see = /^see it: (.*?);/m.exec(said)[1];
  // As it stands there, in the same folder, whether the command is on the path or not.
  execFileSync('sh', ['-c', `${see} --html told.html`], { cwd: folder });
  check(readFileSync(join(folder, 'told.html'), 'utf8').includes('id="run"'), `${see} showed nothing`);
};

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
  // What is asked for before the program is read is what it asks for: it comes once.
  const twice = page.asked.filter((url, i) => page.asked.indexOf(url) !== i && !url.includes('status'));
  equal(twice, [], 'what was asked for twice');
  check(page.asked.some((url) => url.includes('/frame?at=0&')), 'the first frame was asked for');
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
  // Again and again: the first frames come after the last.
  await page.keyboard.press('l');
  await page.keyboard.press('End');
  await page.click('#play');
  await page.waitForFunction(() => window.delassus.player.frame > 2);
  await page.evaluate(() => window.delassus.player.go(window.delassus.player.end - 1));
  await page.waitForFunction(() => window.delassus.player.playing && window.delassus.player.frame < 5);
  await page.click('#play');
  const pace = () => page.locator('[aria-label=Speed]').inputValue();
  const before = await pace();
  await page.keyboard.press(']');
  const faster = await pace();
  check(faster !== before, 'a faster pace');
  await page.keyboard.press('[');
  equal(await pace(), before, 'and back');
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
  const read = async () => (await page.locator('[data-value=force]').textContent()).replace(' N', '').split(', ').map(Number);
  (await read()).forEach((x, k) => check(Math.abs(x - forces[chosen][k]) <= 5e-6 * Math.abs(forces[chosen][k]), `six digits of the force: ${x}`));
  await page.getByLabel('All digits').check();
  await page.waitForFunction((t) => document.querySelector('[data-value=force]').textContent === t, `${forces[chosen].map(digits).join(', ')} N`);
  equal(await read(), forces[chosen], 'the force, to the last bit');
  const normal = byH5py(run, 'contacts/normal', at)[chosen];
  const along = forces[chosen].reduce((sum, f, k) => sum + f * normal[k], 0);
  check(Math.abs(Number((await page.locator('[data-value="normal force"]').textContent()).replace(' N', '')) - along) <= 5e-6 * along, 'the normal force');
  check(['open', 'sticking', 'slipping'].includes(await page.locator('[data-value=status]').textContent()), 'its status');
  check((await page.locator('[data-value=law]').textContent()).includes('μ'), 'its law');
  await page.waitForSelector('.plot canvas');
  equal(page.faults, [], 'errors of the page');
};

tests['a picked contact stays the same one while time goes'] = async () => {
  command('run', 'dominoes', '--set', 'time.end=1.2', '-o', 'dominoes.h5');
  // h5py finds two bodies that touch once in two frames, at different places of the tables, and not at all in a third.
  const [bodies, [a, i], [b, j], none] = python(`(lambda w, all: next(
    (pair, [a, t[a].index(pair)], [b, t[b].index(pair)], c)
    for t in [[[tuple(x) for x in all[s:s + n].tolist()] for s, n in w]] for a in range(len(t)) for pair in t[a] if t[a].count(pair) == 1
    for b in range(a + 1, len(t)) if t[b].count(pair) == 1 and t[b].index(pair) != t[a].index(pair)
    for c in range(len(t)) if pair not in t[c] and pair[::-1] not in t[c]))(f["frames/contacts"][:].tolist(), f["contacts/bodies"][:])`, 'dominoes.h5');
  const { address } = await serve('view', 'dominoes.h5', '--no-open');
  const page = await open();
  await page.goto(address);
  await shown(page);
  await page.keyboard.press('n');
  const at = async (k) => {
    await page.evaluate((k) => window.delassus.player.jump(k), k);
    await page.waitForFunction((k) => window.delassus.acts[0].ready && window.delassus.acts[0].stage.frame === k, k);
  };
  await at(a);
  await page.evaluate(([contact, bodies, point]) => {
    const app = window.delassus;
    app.inspector.select(app.acts[0], { kind: 'contact', contact, bodies, point });
  }, [i, bodies, byH5py('dominoes.h5', 'contacts/point', a)[i]]);
  const force = async (expected) => {
    const text = `${expected.join(', ')} N`;
    await page.waitForFunction((t) => document.querySelector('[data-value=force]')?.textContent === t, text, { timeout: 5000 })
      .catch(async () => { throw new Error(`${await page.locator('.values').textContent()}, expected ${text}`); });
  };
  await page.getByLabel('All digits').check();
  await force(byH5py('dominoes.h5', 'contacts/force', a)[i].map(digits));
  await at(b);
  await force(byH5py('dominoes.h5', 'contacts/force', b)[j].map(digits));
  await at(none);
  await page.waitForSelector('[data-value=apart]');
  await at(a);
  await force(byH5py('dominoes.h5', 'contacts/force', a)[i].map(digits));
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
  // With what its colours mean: the legend's ramp has many of them in one row, below at the left.
  await page.locator('[aria-label="Colour by"]').selectOption('bodies/velocity:-1');
  await page.waitForFunction(() => window.delassus.acts[0].ready && document.querySelector('[data-legend=colour]'));
  const [coloured] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('s')]);
  const shades = await page.evaluate(async (letters) => {
    const picture = await createImageBitmap(new Blob([Uint8Array.from(atob(letters), (c) => c.charCodeAt(0))]));
    const pen = new OffscreenCanvas(picture.width, picture.height).getContext('2d');
    pen.drawImage(picture, 0, 0);
    let most = 0;
    for (let y = picture.height - 60; y < picture.height; y++) {
      const { data } = pen.getImageData(14, y, 190, 1);
      most = Math.max(most, new Set(Array.from({ length: 190 }, (_, k) => data.slice(4 * k, 4 * k + 3).join())).size);
    }
    return most;
  }, readFileSync(await coloured.path()).toString('base64'));
  check(shades > 50, `${shades} shades in the legend of the picture`);
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
  // Forces over time are made of the frames that are here: those of the server, in single precision.
  const { address } = await serve('view', house(), '--no-open');
  const other = await open();
  await other.goto(address);
  await shown(other);
  const histories = (times) => async (on) => on.evaluate(async (times) => {
    const { reel } = window.delassus.acts[0];
    const { source } = reel;
    const pick = (pack) => {
      const { data, width } = pack.arrays.get('values');
      const frames = [...pack.arrays.get('frames').data];
      return times.map((t) => { const k = frames.indexOf(reel.at(t)); return [...data.subarray(width * k, width * (k + 1))]; });
    };
    return [pick(await source.pair(1, 0)), pick(await source.resultant(1)), pick(await source.history('bodies/position', 1))];
  }, times);
  const times = await page.evaluate(() => window.delassus.acts[0].reel.meta.times);
  const [here, there] = [await histories(times)(page), await histories(times)(other)];
  here.forEach((rows, what) => {
    const most = Math.max(...there[what].flat().map(Math.abs));
    check(most > 0, `history ${what} is zero`);
    rows.forEach((row, k) => row.forEach((x, c) => check(Math.abs(x - there[what][k][c]) <= 1e-6 * most, `history ${what} at ${times[k]} s: ${row}, expected ${there[what][k]}`)));
  });
  await page.evaluate(() => { const app = window.delassus; app.inspector.select(app.acts[0], { kind: 'body', body: 1 }); });
  await page.waitForFunction(() => [...document.querySelectorAll('.plot')].some((p) => p.textContent.includes('Contact forces')));
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
  await page.waitForFunction(() => document.querySelectorAll('.stage .label .chip').length === 2);
  const worst = ['card_house.h5', 'slippery.h5'].map((f) => seriesByH5py(f, 'worst/residual').at(-1));
  const told = (await page.locator('.stage .label .chip').allTextContents()).map((t) => Number(t.split('≤ ')[1]));
  told.forEach((x, k) => check(Math.abs(x - worst[k]) <= 5e-3 * worst[k], `residual ${x}, expected ${worst[k]}`));
  await page.keyboard.press('End');
  await page.waitForFunction(() => window.delassus.acts.every((a) => a.ready && a.stage.frame === a.reel.frames - 1));
  // One scale for both: equal colours are equal speeds, equal widths equal forces.
  await page.locator('[aria-label="Colour by"]').selectOption('bodies/velocity:-1');
  await page.keyboard.press('n');
  await page.waitForFunction(() => window.delassus.acts.every((a) => a.ready && a.stage.strongest > 0 && Number.isFinite(a.stage.range[1])));
  const [one, two] = await page.evaluate(() => window.delassus.acts.map(({ stage }) => [...stage.range, stage.strongest]));
  equal(one, two, 'ends of the colours, and the largest force');
  const most = Math.max(...[house(), 'slippery.h5'].map((f) => Math.max(...byH5py(f, 'contacts/force', seriesByH5py(f, 'frames/time').length - 1).map((x) => Math.hypot(...x)))));
  check(Math.abs(one[2] - most) < 1e-6 * most, `largest force ${one[2]}, expected ${most}`);
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
  // A ball that bounces loses energy at each impact: one work of the ledger is not zero.
  command('run', 'bouncing_ball', '--set', 'time.end=0.6', '-o', 'ball.h5');
  const { address } = await serve('view', 'ball.h5', '--no-open');
  const page = await open();
  await page.goto(address);
  await shown(page);
  await page.getByRole('tab', { name: 'Plots' }).click();
  await page.waitForSelector('.plot .u-over');
  await page.locator('.plot .u-over').first().click({ position: { x: 120, y: 40 } });
  check((await frame(page)) > 3, 'a click on a curve goes there');
  await page.waitForFunction(() => document.querySelectorAll('.plot .u-title').length > 4);
  const titles = await page.locator('.plot .u-title').allTextContents();
  for (const title of ['Energy [J]', 'Work since the start [J]', 'Residual of the laws']) check(titles.includes(title), `no plot of ${title}, but ${titles}`);
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

tests['steps above the tolerance are marked, and found'] = async () => {
  let status = 0;
  try {
    command('run', 'card_house', '--set', 'time.end=0.2', '--set', 'solver.name="nlgs"', '--set', 'solver.iterations=2', '--set', 'solver.on_failure="accept"', '-o', 'flagged.h5');
  } catch (e) { status = e.status; }
  equal(status, 1, 'such a run ends with');
  const { address } = await serve('view', 'flagged.h5', '--no-open');
  const page = await open();
  await page.goto(address);
  await shown(page);
  const count = seriesByH5py('flagged.h5', 'count/flagged');
  const after = count.map((_, i) => i).filter((i) => i > 0 && count[i] > count[i - 1]);
  check(after.length > 1, 'the run has such steps');
  check((await page.textContent('#certificate')).startsWith(`${count.at(-1)} steps above the tolerance`), 'they are counted');
  equal(await page.evaluate(() => window.delassus.player.flagged), after, 'frames that are marked');
  const red = await page.evaluate(() => {
    const marks = document.querySelector('.marks');
    const { data } = marks.getContext('2d').getImageData(0, 0, marks.width, 1);
    return data.filter((x, i) => i % 4 === 0 && x > 200).length;
  });
  check(red >= after.length, `${red} red pixels for ${after.length} marks`);
  await page.click('#certificate');
  equal(await frame(page), after[0], 'the first of them');
  await page.click('#certificate');
  equal(await frame(page), after[1], 'the next of them');
  equal(page.faults, [], 'errors of the page');
};

tests['colours mean the same in every frame, and beams have them'] = async () => {
  command('run', 'hertz', '-o', 'ball_on_ball.h5');
  const { address } = await serve('view', 'ball_on_ball.h5', '--no-open');
  const page = await open();
  await page.goto(address);
  await shown(page);
  // It is loaded more and more: the most is in the last frame, and the first is shown.
  const most = python('float(max(abs(f["nodes/von_mises"][-1])))', 'ball_on_ball.h5');
  await page.waitForFunction((m) => Math.abs(window.delassus.acts[0].stage.range[1] - m) <= 1e-6 * m, most, { timeout: 5000 });
  equal(await frame(page), 0, 'frame');
  check((await page.textContent('#readout')).startsWith('0.0 s'), `the time: ${await page.textContent('#readout')}`);
  check((await page.textContent('[data-legend=colour]')).startsWith('von Mises stress [GPa]0'), `the legend: ${await page.textContent('[data-legend=colour]')}`);
  equal(page.faults, [], 'errors of the page');
  await page.context().close();
  // A rod without a thickness: wide enough to be seen and picked.
  command('run', 'control_rod_flexible', '--set', 'time.end=0.001', '-o', 'rod.h5');
  const { address: rod } = await serve('view', 'rod.h5', '--no-open');
  const other = await open();
  await other.goto(rod);
  await shown(other);
  await other.keyboard.press('End');
  await other.locator('[aria-label="Colour by"]').selectOption('nodes/displacement:-1');
  await other.waitForTimeout(300);
  const along = await other.evaluate(async () => {
    const { stage } = window.delassus.acts[0];
    stage.render();
    const picture = await createImageBitmap(stage.canvas);
    const pen = new OffscreenCanvas(picture.width, picture.height).getContext('2d');
    pen.drawImage(picture, 0, 0);
    const p = stage.props.solids[0].mesh.geometry.getAttribute('position');
    const ratio = picture.width / stage.canvas.clientWidth;
    return Array.from({ length: p.count }, (_, k) => {
      const [x, y] = stage.project([p.getX(k), p.getY(k), p.getZ(k)]);
      return [...pen.getImageData(ratio * x, ratio * y, 1, 1).data.slice(0, 3)].map((c) => c >> 4).join();
    });
  });
  check(new Set(along).size > 8, `colours along it: ${[...new Set(along)]}`);
  const [x, y, node] = await other.evaluate(() => {
    const { stage } = window.delassus.acts[0];
    const { mesh, first, count } = stage.props.solids[0];
    const k = Math.floor(count / 2);
    const p = mesh.geometry.getAttribute('position');
    return [...stage.project([p.getX(k), p.getY(k), p.getZ(k)]), first + k];
  });
  await other.locator('.stage canvas').click({ position: { x, y } });
  equal(await other.textContent('[data-value=node]'), String(node), 'the node that was clicked');
  equal(other.faults, [], 'errors of the page');
};

tests['bodies cast shadows in space, and keys turn the eye'] = async () => {
  command('run', 'box_stack', '--set', 'time.end=0.05', '-o', 'stack.h5');
  const { address } = await serve('view', 'stack.h5', '--no-open');
  const page = await open();
  await page.goto(address);
  await shown(page);
  // Pixels of the floor that are darker than most of it.
  const dark = () => page.evaluate(async () => {
    const { stage } = window.delassus.acts[0];
    stage.render();
    const picture = await createImageBitmap(stage.canvas);
    const pen = new OffscreenCanvas(picture.width, picture.height).getContext('2d');
    pen.drawImage(picture, 0, 0);
    const { data } = pen.getImageData(0, 0, picture.width, picture.height);
    const seen = new Map();
    for (let i = 0; i < data.length; i += 4) {
      // What is fixed is grey: no colour stands out.
      if (Math.max(data[i], data[i + 1], data[i + 2]) - Math.min(data[i], data[i + 1], data[i + 2]) > 24) continue;
      const shade = data[i] >> 2;
      seen.set(shade, (seen.get(shade) ?? 0) + 1);
    }
    const floor = [...seen].filter(([s]) => s < 55).sort((a, b) => b[1] - a[1])[0][0];
    return [...seen].filter(([s]) => s > 20 && s < floor - 3).reduce((sum, [, n]) => sum + n, 0);
  });
  const shaded = await dark();
  await page.getByLabel('Shadows').uncheck();
  // Arrows there would scroll the panel.
  await page.evaluate(() => document.activeElement.blur());
  await page.waitForFunction(() => window.delassus.acts[0].ready);
  await page.waitForTimeout(200);
  const bare = await dark();
  check(shaded > bare + 2000, `${shaded} dark pixels with shadows, ${bare} without`);
  const eye = () => page.evaluate(() => { const { camera, controls } = window.delassus.acts[0].stage.eye; const d = camera.position.clone().sub(controls.target); return [d.x, d.y, d.z]; });
  const before = await eye();
  for (let k = 0; k < 12; k++) await page.keyboard.press('.');
  // A quarter of a turn.
  const after = await eye();
  const far = Math.hypot(...before);
  [-before[1], before[0], before[2]].forEach((x, k) => check(Math.abs(after[k] - x) < 1e-6 * far, `turned from ${before} to ${after}`));
  await page.keyboard.press('ArrowUp');
  check((await eye())[2] > after[2], 'raised');
  await page.keyboard.press('0');
  const again = await eye();
  before.forEach((x, k) => check(Math.abs(again[k] / Math.hypot(...again) - x / far) < 1e-6, `back to ${before}: ${again}`));
  equal(page.faults, [], 'errors of the page');
};
