// Pictures of the page for scenes of the gallery, into a folder: each run is shortened, and shown in its middle.
// Usage: node test/gallery.mjs DIR [SCENE …]

import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { command, end, open, serve, shown } from './harness.mjs';

const [folder, ...wanted] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
/** Scene, what is changed in it, and keys pressed before the picture. */
const scenes = [
  ['card_house', ['time.end=0.3'], 'n'],
  ['dominoes', ['time.end=1'], ''],
  ['hopper', ['time.end=0.4'], 'n'],
  ['box_stack', ['time.end=0.3'], ''],
  ['rubble', ['time.end=0.05'], ''],
  ['slider_crank', ['time.end=0.05'], ''],
  ['spheres_in_box', ['time.end=0.05'], 'n'],
  ['deformable_grain', ['time.end=0.2'], ''],
];
for (const [name, set, keys] of scenes) {
  if (wanted.length && !wanted.includes(name)) continue;
  try {
    command('run', name, ...set.flatMap((s) => ['--set', s]), '--quiet');
    const { address, child } = await serve('view', `${name}.h5`, '--no-open');
    for (const theme of ['light', 'dark']) {
      const page = await open({ colorScheme: theme });
      await page.goto(address);
      await shown(page);
      await page.evaluate(() => window.delassus.player.jump(Math.floor(window.delassus.player.end * 0.8)));
      for (const key of keys) await page.keyboard.press(key);
      await page.waitForTimeout(800);
      await page.screenshot({ path: join(folder, `${name}_${theme}.png`) });
      await page.context().close();
    }
    child.removeAllListeners('exit');
    child.kill();
    console.log(resolve(folder, `${name}_light.png`));
  } catch (e) {
    console.log(`${name}: ${e.message}`);
    process.exitCode = 1;
  }
}
await end();
