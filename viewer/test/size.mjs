// How large a run may be: what opening and playing it costs, part by part.
// Usage: node test/size.mjs RUN.h5 [FRAMES]
//
// `cargo run --release --example large_run -- 50000 2000 large.h5` writes such a run. What is measured of the page is the
// work of the processor: answers of the server, arrays made ready, calls handed to the graphics. What the graphics do with
// them is told by its size, and by the time that software takes for it on this machine.

import { resolve } from 'node:path';
import { end, open, serve } from './harness.mjs';

const [file, many = '60'] = process.argv.slice(2);
const ms = (x) => `${x.toFixed(1)} ms`;
const begin = performance.now();
const { address } = await serve('view', resolve(file), '--no-open');
console.log(`the command serves after ${ms(performance.now() - begin)}`);
const page = await open();
page.setDefaultTimeout(120_000);
// A browser that is at work already, as users have it.
await page.goto('data:text/html,<canvas></canvas>');
await page.evaluate(() => document.querySelector('canvas').getContext('webgl2').getParameter(1));
await page.goto(address, { waitUntil: 'commit' });
const first = await page.evaluate(async () => {
  const tick = () => new Promise((done) => setTimeout(done, 1));
  while (!(window.delassus?.acts[0]?.stage.frame >= 0)) await tick();
  const data = performance.now();
  while (window.delassus.spent.pictures === 0) await tick();
  const { stage } = window.delassus.acts[0];
  const submitted = performance.now();
  // Waits until the graphics are done.
  const gl = stage.renderer.getContext();
  gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
  return { data, submitted, picture: performance.now(), bodies: stage.current.arrays.get('bodies/position').count };
});
console.log(`${first.bodies} bodies: first frame's data after ${ms(first.data)}, handed to the graphics after ${ms(first.submitted)}, drawn (by software) after ${ms(first.picture)}`);
await page.waitForFunction(() => window.delassus.acts[0].reel.cast.roles.length > 0);
const cast = await page.evaluate(() => performance.now());
console.log(`roles, names and laws of the scene after ${ms(cast)}`);
await page.waitForTimeout(3000);

const played = await page.evaluate(async (many) => {
  const app = window.delassus;
  const { reel, stage } = app.acts[0];
  const settled = () => new Promise((done) => { const look = () => (app.acts[0].ready ? done() : setTimeout(look, 0)); look(); });
  performance.clearResourceTimings();
  performance.setResourceTimingBufferSize(10_000);
  const [before, count] = [{ ...app.spent }, Math.min(many, reel.frames - 1)];
  const start = performance.now();
  for (let k = 1; k <= count; k++) { app.player.go(k); await settled(); }
  const apart = performance.now() - start;
  const answers = performance.getEntriesByType('resource').filter((e) => e.name.includes('/frame?')).map((e) => e.duration);
  const draw = (app.spent.draw - before.draw) / (app.spent.frames - before.frames);
  // Turning: the same frame from elsewhere.
  const gl = stage.renderer.getContext();
  const turned = performance.now();
  const turns = 5;
  let submit = 0;
  for (let k = 0; k < turns; k++) {
    stage.camera.position.applyAxisAngle(stage.camera.up, 0.1);
    stage.camera.lookAt(stage.controls.target);
    const begin = performance.now();
    stage.render();
    submit += performance.now() - begin;
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
  }
  const software = (performance.now() - turned) / turns;
  const { calls, triangles } = stage.renderer.info.render;
  return { count, apart, draw, answers, submit: submit / turns, software, calls, triangles, heap: performance.memory?.usedJSHeapSize ?? 0, buffers: reel.held };
}, Number(many));
const sorted = played.answers.sort((a, b) => a - b);
console.log(`${played.count} frames one after the other: answer ${ms(sorted[sorted.length >> 1] ?? 0)} (median, server and transfer), made ready ${ms(played.draw)}, handed over ${ms(played.submit)}; whole ${ms(played.apart / played.count)} a frame`);
console.log(`${played.calls} calls, ${played.triangles} triangles; software takes ${ms(played.software)} for a picture`);
console.log(`memory: ${(played.heap / 1e6).toFixed(0)} MB of scripts, ${(played.buffers / 1e6).toFixed(0)} MB of frames kept`);
await end();
