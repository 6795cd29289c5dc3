import { serve, open, shown, end } from './harness.mjs';
const t0 = performance.now();
const { address } = await serve('view', process.argv[2], '--no-open');
const t1 = performance.now();
const time = async (what) => { const t = performance.now(); const r = await fetch(`${address}run/0/${what}`); const b = await r.arrayBuffer(); return `${what.slice(0, 40)} ${(performance.now() - t).toFixed(0)} ms ${(b.byteLength / 1e6).toFixed(2)} MB`; };
console.log('serve', (t1 - t0).toFixed(0), 'ms');
const fields = process.argv[3] ?? 'bodies/position,bodies/orientation';
for (const w of ['meta', 'geometry', `frame?at=0&fields=${fields}`, `frame?at=5&fields=${fields}`, `frame?at=50&fields=${fields}`, 'series?name=worst/residual', 'cast']) console.log(await time(w));
if (process.argv[4]) {
  const { address } = await serve('view', process.argv[2], '--no-open');
  const page = await open();
  page.setDefaultTimeout(60000);
  const t = performance.now();
  await page.goto(address);
  await page.waitForFunction(() => window.delassus?.acts.length > 0 && window.delassus.acts.every((a) => a.ready && a.stage.frame >= 0));
  console.log('frame in memory', (performance.now() - t).toFixed(0), 'ms');
  await page.evaluate(() => new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r))));
  console.log('first picture', (performance.now() - t).toFixed(0), 'ms');
  await shown(page);
  console.log('cast known', (performance.now() - t).toFixed(0), 'ms');
  const turn = await page.evaluate(async () => { const { stage } = window.delassus.acts[0]; const t = performance.now(); let n = 0; while (performance.now() - t < 3000) { stage.camera.position.applyAxisAngle({ x: 0, y: 0, z: 1 }, 0.02); stage.camera.lookAt(stage.controls.target); stage.render(); stage.renderer.getContext().finish(); n++; await new Promise((r) => setTimeout(r, 0)); } return n / 3; });
  console.log('turns at', turn.toFixed(1), 'pictures/s');
  await page.screenshot({ path: process.argv[4] });
}
await end();
