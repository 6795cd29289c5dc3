// The engine in the page.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hullByH5py, seriesByH5py, state } from './common.mjs';
import { createServer } from 'node:http';
import { check, colours, command, equal, folder, open, root, serve } from './harness.mjs';

export const tests = {};

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


tests['words are offered, mistakes told, and a scene is shared by its address'] = async () => {
  const page = await playground();
  const scene = until('box_stack', 0.05);
  await page.evaluate((text) => { window.playground.editor.text = `${text}\n[law]\nfrict`; }, scene.replace(/^\[law\]$[^[]*/m, ''));
  await page.locator('.cm-content').click();
  await page.keyboard.press('Control+End');
  await page.keyboard.press('Control+Space');
  await page.waitForSelector('.cm-tooltip-autocomplete');
  check((await page.textContent('.cm-tooltip-autocomplete')).includes('friction'), 'the word is offered');
  await page.keyboard.press('Escape');
  // Keys of the page are letters in the editor.
  const theme = await page.evaluate(() => document.documentElement.dataset.theme);
  await page.keyboard.type('t');
  equal(await page.evaluate(() => document.documentElement.dataset.theme), theme, 'the theme');
  await page.waitForSelector('.cm-lint-marker-error');
  await page.evaluate((text) => { window.playground.editor.text = text; }, scene);
  await page.click('[aria-label^="Share"]');
  await page.waitForFunction(() => location.hash.startsWith('#scene='));
  const other = await open();
  await other.goto(page.url());
  await other.waitForFunction(() => window.playground?.editor.text.length > 0);
  equal(await other.evaluate(() => window.playground.editor.text), scene, 'the scene of the address');
  await other.goto(page.url().replace(/#.*/, '#scene=AAAA'));
  await other.reload();
  await other.waitForFunction(() => document.querySelector('#told')?.textContent.includes('does not hold a scene'));
  equal(page.faults, [], 'errors of the page');
};

tests['what the reactions can be is explored in the page'] = async () => {
  const page = await playground();
  await played(page, until('disc_pyramid_3', 0.01));
  await page.click('#explore');
  await page.waitForFunction(() => window.delassus.acts[0].reel.cast.explored?.contacts.length > 0);
  // The command finds the same polygons for the same step.
  command('run', 'disc_pyramid_3.toml', '-o', 'pyramid.h5');
  command('explore', 'pyramid.h5', '--exact', '-o', 'pyramid.set.h5', '--quiet');
  const here = await page.evaluate(() => window.delassus.acts[0].reel.cast.explored.contacts.map((c) => c.vertices.map((v) => v[0])));
  here.forEach((normals, k) => {
    const there = hullByH5py('pyramid.set.h5', k).map((v) => v[0]);
    for (const of of [Math.min, Math.max]) {
      const [a, b] = [of(...normals), of(...there)];
      check(Math.abs(a - b) <= 1e-6 * Math.max(...there.map(Math.abs)), `contact ${k}: ${a}, expected ${b}`);
    }
  });
  equal(page.faults, [], 'errors of the page');
};

tests['the playground fits on a phone'] = async () => {
  const { address } = await serve('playground', join(root, 'target/playground'), '--no-open');
  const page = await open({ viewport: { width: 390, height: 780 } });
  await page.goto(`${address}#gallery=cradle`);
  await page.waitForFunction(() => window.delassus?.acts[0]?.stage.frame >= 0);
  const [stage, whole] = await page.evaluate(() => [document.querySelector('.stage').clientWidth, document.documentElement.scrollWidth]);
  equal([stage, whole], [390, 390], 'widths of the picture and of the page');
  equal(page.faults, [], 'errors of the page');
};

tests['what does not end is stopped, and what is too large is refused'] = async () => {
  const page = await playground();
  const endless = until('spheres_in_box', 1).replace(/^\[solver\]$[^[]*/m, '') + '\n[solver]\nname = "nlgs"\ntolerance = 1e-30\niterations = 1000000000\n';
  await page.evaluate((text) => { window.playground.editor.text = text; void window.playground.run(); }, endless);
  await page.waitForFunction(() => document.querySelector('#run-scene').textContent === 'Stop');
  await page.waitForTimeout(3000);
  await page.click('#run-scene');
  await page.waitForFunction(() => document.querySelector('#run-scene').textContent === 'Run');
  check((await page.textContent('#told')).includes('within a step'), `how it was stopped: ${await page.textContent('#told')}`);
  // The engine is there again.
  check((await played(page, until('cradle', 0.02))).length === 16, 'another scene runs');
  const huge = 'dimension = 3\n[time]\nstep = 1e-3\nend = 1\n[material.glass]\ndensity = 2500\n[law]\nfriction = 0.3\n[body.floor]\nshape.half_space = {}\n'
    + '[[generate]]\nkind = "grid"\nname = "s"\nshape.sphere.radius = 0.01\ncount = [1000, 1000, 1000]\nspacing = [0.03, 0.03, 0.03]\nposition = [0, 0, 0.02]\n';
  await page.evaluate((text) => { window.playground.editor.text = text; return window.playground.run(); }, huge);
  check((await page.textContent('#told')).includes('make fewer'), `refused: ${await page.textContent('#told')}`);
  equal(page.faults, [], 'errors of the page');
};

tests['any static server will do, and the policy stands in the page'] = async () => {
  const kinds = { html: 'text/html', js: 'text/javascript', css: 'text/css', wasm: 'application/wasm' };
  const server = createServer((request, reply) => {
    const name = new URL(request.url, 'http://x').pathname.split('/').pop();
    try {
      const bytes = readFileSync(join(root, 'target/playground', name));
      reply.writeHead(200, { 'Content-Type': kinds[name.split('.').pop()] }).end(bytes);
    } catch {
      reply.writeHead(404).end();
    }
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  const page = await open();
  const address = `http://127.0.0.1:${server.address().port}/some/folder/play.html`;
  await page.goto(`${address}#gallery=cradle`);
  await page.waitForFunction(() => document.querySelector('#hash')?.textContent, null, { timeout: 120_000 });
  // Once it is there, it needs nobody.
  server.closeAllConnections();
  server.close();
  await page.context().setOffline(true);
  check((await played(page, until('disc_pyramid_3', 0.02))).length === 16, 'a scene runs offline');
  equal(page.asked.filter((u) => !u.startsWith(new URL(address).origin) && !/^(data|blob):/.test(u)), [], 'requests to elsewhere');
  equal(page.faults, [], 'errors of the page');
};
