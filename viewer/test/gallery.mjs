// Pictures of the page for scenes of the gallery, into a folder: each run is shortened, and shown in its middle.
// Usage: node test/gallery.mjs DIR [part of a name …]

import { existsSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { command, end, open, root, serve, shown } from './harness.mjs';

const [folder, ...wanted] = process.argv.slice(2);
if (!folder) throw new Error('usage: gallery.mjs DIR [part of a name …]');
mkdirSync(folder, { recursive: true });

const phone = { viewport: { width: 390, height: 780 } };
const tab = (name) => (page) => page.getByRole('tab', { name }).click();
const key = (keys) => async (page) => { for (const k of keys) await page.keyboard.press(k); };
const colour = (by) => (page) => page.locator('[aria-label="Colour by"]').selectOption(by);
const body = (name) => (page) => page.evaluate((n) => {
  const app = window.delassus;
  app.inspector.select(app.acts[0], { kind: 'body', body: Math.max(app.acts[0].reel.cast.names.indexOf(n), 1) });
}, name);

/** A run: scene, what is changed in it, arguments of `view` and the share of the run that is shown. */
const run = (scene, set, at = 0.8, ...more) => ({ scene, set, at, more });
/** Name, run, options of the page, what is done in it. */
const shots = [
  ['card_house', run('card_house', ['time.end=0.3']), {}, key('n')],
  ['card_house_phone', run('card_house', ['time.end=0.3']), { ...phone }, key('n')],
  ['card_house_contact', run('card_house', ['time.end=0.3']), {}, async (page) => {
    await key('n')(page);
    await page.waitForTimeout(400);
    const at = await page.evaluate(() => {
      const { stage } = window.delassus.acts[0];
      const p = stage.current.arrays.get('contacts/point');
      return stage.project([p.data[0], p.data[1]]);
    });
    await page.locator('.stage canvas').click({ position: { x: at[0], y: at[1] } });
  }],
  ['arch', run('arch_standing', ['time.end=0.2']), {}, key('n')],
  ['dominoes', run('dominoes', ['time.end=1']), {}, colour('bodies/velocity:-1')],
  ['hopper', run('hopper', ['time.end=0.4']), {}, key('n')],
  ['hopper_plots', run('hopper', ['time.end=0.4']), {}, tab('Plots')],
  ['box_stack', run('box_stack', ['time.end=0.3']), {}, body('')],
  ['rubble', run('rubble', ['time.end=0.05']), {}, null],
  ['rubble_phone', run('rubble', ['time.end=0.05']), { ...phone }, async (page) => page.click('[aria-label^="Show or hide"]')],
  ['slider_crank', run('slider_crank', ['time.end=0.05']), {}, body('')],
  ['spheres', run('spheres_in_box', ['time.end=0.05']), {}, null],
  ['spheres_forces', run('spheres_in_box', ['time.end=0.05']), {}, key('n')],
  ['spheres_section', run('spheres_in_box', ['time.end=0.05']), {}, (page) => page.locator('[aria-label="Cut along"]').selectOption('y')],
  ['deformable_grain', run('deformable_grain', ['time.end=0.2']), {}, null],
  ['hertz', run('hertz', [], 1), {}, async (page) => {
    await page.locator('[aria-label="Mirrored"]').selectOption('x');
    await page.getByLabel('Outline at rest').check();
  }],
  ['fuel_rod_solid', run('fuel_rod_solid', ['time.end=0.002']), {}, null],
  ['two_runs', { ...run('card_house', ['time.end=0.3']), other: ['law.friction=0.2'] }, {}, null],
  ['explored', { ...run('discs_28', ['time.end=0.01'], 1), explored: true }, {}, async (page) => {
    await page.click('#explored');
    await page.waitForTimeout(600);
    const at = await page.evaluate(() => {
      const { stage, reel } = window.delassus.acts[0];
      const width = (s) => Math.max(...s.vertices.map((v) => v[0])) - Math.min(...s.vertices.map((v) => v[0]));
      return stage.project([...reel.cast.explored.contacts].sort((a, b) => width(b) - width(a))[0].point);
    });
    await page.locator('.stage canvas').click({ position: { x: at[0], y: at[1] } });
  }],
];

/** The address of a page that shows a run. */
function served({ scene, set, other, explored, more }) {
  const made = (name, changes) => command('run', scene, ...changes.flatMap((s) => ['--set', s]), '--quiet', '--overwrite', '-o', name);
  made(`${scene}.h5`, set);
  const runs = [`${scene}.h5`];
  if (other) {
    made(`${scene}_other.h5`, [...set, ...other]);
    runs.push(`${scene}_other.h5`);
  }
  const sets = explored ? ['--explore', `${scene}.set.h5`] : [];
  if (explored) command('explore', `${scene}.h5`, '--exact', '--samples', '60', '-o', `${scene}.set.h5`, '--quiet');
  return serve('view', ...runs, ...sets, ...more, '--no-open');
}

async function shoot(name, where, options, act) {
  const { address, child } = await served(where);
  for (const theme of ['light', 'dark']) {
    const page = await open({ colorScheme: theme, ...options });
    await page.goto(address);
    await shown(page);
    await page.evaluate((at) => window.delassus.player.jump(Math.floor(window.delassus.player.end * at)), where.at);
    await act?.(page);
    await page.waitForTimeout(900);
    await page.screenshot({ path: join(folder, `${name}_${theme}.png`) });
    await page.context().close();
  }
  child.removeAllListeners('exit');
  child.kill();
}

async function playground(name, hash, options, act) {
  const { address, child } = await serve('playground', join(root, 'target/playground'), '--no-open');
  for (const theme of ['light', 'dark']) {
    const page = await open({ colorScheme: theme, ...options });
    await page.goto(`${address}#gallery=${hash}`);
    await page.waitForFunction(() => window.delassus?.acts[0]?.stage.frame > 5, null, { timeout: 60_000 });
    await act?.(page);
    await page.waitForTimeout(900);
    await page.screenshot({ path: join(folder, `${name}_${theme}.png`) });
    await page.context().close();
  }
  child.removeAllListeners('exit');
  child.kill();
}

const all = shots.map(([name, ...rest]) => [name, () => shoot(name, ...rest)]);
if (existsSync(join(root, 'target/playground/delassus_web_bg.wasm'))) {
  all.push(['playground', () => playground('playground', 'card_house', {}, null)]);
  all.push(['playground_phone', () => playground('playground_phone', 'dominoes', phone, null)]);
  all.push(['playground_explored', () => playground('playground_explored', 'disc_pyramid_6', {}, (page) => page.click('#explore'))]);
  all.push(['playground_mistake', () => playground('playground_mistake', 'box_stack', {}, async (page) => {
    await page.evaluate(() => { window.playground.editor.text = window.playground.editor.text.replace(/^friction/m, 'frictoin'); });
    await page.waitForSelector('.cm-lint-marker-error');
    await page.locator('.cm-lint-marker-error').hover();
  })]);
}
for (const [name, take] of all) {
  if (wanted.length && !wanted.some((w) => name.includes(w))) continue;
  try {
    await take();
    console.log(resolve(folder, `${name}_light.png`));
  } catch (e) {
    console.log(`${name}: ${e.message}`);
    process.exitCode = 1;
  }
}
await end();
