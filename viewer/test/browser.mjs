// The pages in a real browser. Usage: node test/browser.mjs [part of a name …]

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as faults from './faults.mjs';
import { end, root, tidy } from './harness.mjs';
import * as live from './live.mjs';
import * as playground from './playground.mjs';
import * as viewing from './viewing.mjs';

const files = [viewing, faults, live];
if (existsSync(join(root, 'target/playground/delassus_web_bg.wasm'))) files.push(playground);
else console.log(`not run: ${Object.keys(playground.tests).join('; ')}; 'scripts/viewer engine' builds what they need, with the target wasm32-unknown-unknown`);

let failed = 0;
const wanted = process.argv.slice(2);
for (const [name, test] of files.flatMap((f) => Object.entries(f.tests))) {
  if (wanted.length && !wanted.some((w) => name.includes(w))) continue;
  const begin = performance.now();
  try {
    await test();
    console.log(`ok      ${name} (${((performance.now() - begin) / 1000).toFixed(1)} s)`);
  } catch (e) {
    failed++;
    console.log(`FAILED  ${name}: ${e.message}`);
  }
  await tidy();
}
await end();
process.exit(failed ? 1 : 0);
