// A browser, the command, and what tests ask of both.

import { chromium } from 'playwright-core';
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
export const program = resolve(process.env.DELASSUS ?? join(root, 'target/debug/delassus'));
export const folder = mkdtempSync(join(tmpdir(), 'delassus-view-'));
const started = [];

/** The command to its end; what it printed. */
export function command(...args) {
  return execFileSync(program, args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

/** A command that serves: its address, and how to end it. */
export function serve(...args) {
  const child = spawn(program, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  started.push(child);
  return new Promise((done, failed) => {
    let out = '';
    child.stdout.on('data', (piece) => {
      out += piece;
      const address = /http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{32}\/\S*/.exec(out);
      if (address) done({ address: address[0], child, said: () => out });
    });
    let said = '';
    child.stderr.on('data', (piece) => { said += piece; });
    child.on('exit', (code) => failed(new Error(`${args.join(' ')} ended with ${code}: ${said}`)));
    setTimeout(() => failed(new Error(`${args.join(' ')} served nothing: ${said}`)), 30_000).unref();
  });
}

let browser;
export async function open(options = {}) {
  browser ??= await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update',
      '--disable-sync', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'],
  });
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, acceptDownloads: true, ...options });
  const page = await context.newPage();
  page.faults = [];
  page.asked = [];
  page.on('pageerror', (e) => page.faults.push(e.message));
  page.on('console', (m) => { if (m.type() === 'error') page.faults.push(m.text()); });
  page.on('request', (r) => page.asked.push(r.url()));
  page.setDefaultTimeout(30_000);
  // While the pages are worked on: those of a folder instead of the embedded ones.
  if (process.env.ASSETS) {
    for (const file of ['view.js', 'view.css']) {
      await page.route(`**/${file}`, (r) => r.fulfill({ path: join(process.env.ASSETS, file) }));
    }
  }
  return page;
}

/** Waits until a frame is on the stage. */
export async function shown(page) {
  await page.waitForFunction(() => window.delassus?.acts.length > 0 && window.delassus.acts.every((a) => a.ready && a.stage.frame >= 0));
  await page.waitForFunction(() => window.delassus.acts[0].reel.cast.names.length > 0);
  await page.waitForTimeout(150);
}

/** Colours on the stage: a picture has many, an empty one has one. */
export function colours(page) {
  return page.evaluate(async () => {
    const { stage } = window.delassus.acts[0];
    stage.render();
    const picture = await createImageBitmap(stage.canvas);
    const canvas = new OffscreenCanvas(160, 100);
    const ctx = canvas.getContext('2d');
    ctx.drawImage(picture, 0, 0, 160, 100);
    const { data } = ctx.getImageData(0, 0, 160, 100);
    const seen = new Set();
    for (let i = 0; i < data.length; i += 4) seen.add((data[i] >> 4 << 8) | (data[i + 1] >> 4 << 4) | (data[i + 2] >> 4));
    return seen.size;
  });
}

/** Closes what a test opened: pages and servers. */
export async function tidy() {
  for (const context of browser?.contexts() ?? []) await context.close();
  for (const child of started.splice(0)) {
    child.removeAllListeners('exit');
    child.kill('SIGKILL');
  }
}

export async function end() {
  await tidy();
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
}

export function check(condition, what) {
  if (!condition) throw new Error(what);
}

export function equal(found, expected, what) {
  const [a, b] = [JSON.stringify(found), JSON.stringify(expected)];
  if (a !== b) throw new Error(`${what}: ${a}, expected ${b}`);
}
