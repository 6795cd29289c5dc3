// Builds the viewer into crates/delassus-view/assets, where the command embeds it, or the playground beside its engine.
// Usage: node build.mjs view|playground [DIR]
//
// view.js and view.css are one file each, so that a run and its page can be one file too.

import { build } from 'vite';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { dirname, join, resolve } from 'node:path';

const here = dirname(fileURLToPath(import.meta.url));
const what = process.argv[2] ?? 'view';
const usual = { view: '../crates/delassus-view/assets', playground: '../target/playground' };
const out = resolve(process.argv[3] ?? join(here, usual[what]));
mkdirSync(out, { recursive: true });

// The bridge to the engine is written by wasm-bindgen beside the page.
const entries = { view: 'main', play: 'play', worker: 'worker' };
const pages = what === 'view' ? ['view'] : ['play', 'worker'];
for (const page of pages) {
  await build({
    root: here,
    configFile: false,
    logLevel: 'warn',
    base: './',
    build: {
      outDir: out,
      emptyOutDir: false,
      target: 'es2022',
      modulePreload: false,
      cssCodeSplit: false,
      chunkSizeWarningLimit: 4000,
      rollupOptions: {
        input: join(here, `src/${entries[page]}.ts`),
        external: ['./delassus_web.js'],
        output: { format: 'es', entryFileNames: `${page}.js`, assetFileNames: `${page}[extname]`, codeSplitting: false },
      },
    },
  });
}
const page = what === 'view' ? 'index.html' : 'play.html';
cpSync(join(here, page), join(out, page));

// In a page to send both stand inside: the program may not end its element, and the policy names them by their hashes.
if (what === 'view') {
  const script = readFileSync(join(out, 'view.js'), 'utf8').replaceAll('</script', '<\\/script');
  writeFileSync(join(out, 'view.js'), script);
  const hash = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  const policy = `default-src 'none'; script-src ${hash(script)}; style-src ${hash(readFileSync(join(out, 'view.css'), 'utf8'))}; `
    + "img-src data: blob:; media-src blob:; base-uri 'none'; form-action 'none'";
  writeFileSync(join(out, 'policy.txt'), `${policy}\n`);
}
