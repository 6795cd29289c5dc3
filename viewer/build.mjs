// Builds the pages into crates/delassus-view/assets, or into the folder that is given.
//
// view.js and view.css are one file each, so that a run and its page can be one file too.

import { build } from 'vite';
import { cpSync, mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { dirname, join, resolve } from 'node:path';

const here = dirname(fileURLToPath(import.meta.url));
const out = resolve(process.argv[2] ?? join(here, '../crates/delassus-view/assets'));
mkdirSync(out, { recursive: true });

// The bridge to the engine is written by wasm-bindgen beside the pages.
const entries = { view: 'main', play: 'play', worker: 'worker' };
const pages = process.argv[3] ? process.argv[3].split(',') : Object.keys(entries);
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
for (const file of ['index.html', 'play.html']) cpSync(join(here, file), join(out, file));
