// Pictures and videos of what is on the stage.

import type { App } from './app';
import { told } from './colours';
import { h } from './dom';
import { inscribe } from './legend';

function name(app: App, ending: string): string {
  const title = app.acts[0].reel.source.name.replace(/\.h5$/, '') || 'run';
  return `${title}_${String(app.player.frame).padStart(4, '0')}.${ending}`;
}

function save(blob: Blob, as: string): void {
  const link = h('a', { href: URL.createObjectURL(blob), download: as });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** All stages side by side on one canvas, with the time and what colours mean. */
function compose(app: App, target: HTMLCanvasElement): void {
  const sources = app.acts.map((a) => a.stage.canvas);
  target.width = sources.reduce((w, c) => w + c.width, 0);
  target.height = Math.max(...sources.map((c) => c.height));
  const ctx = target.getContext('2d')!;
  let x = 0;
  app.acts.forEach((a, i) => {
    // Rendered in the same breath: the buffer is not kept.
    a.stage.render();
    ctx.drawImage(sources[i], x, 0);
    const { times } = a.reel.meta;
    const run = app.acts.length > 1 ? `${a.reel.source.name}, ` : '';
    inscribe(ctx, a.stage, `${run}t = ${told(times[a.stage.frame] ?? 0, 's')}`, x, sources[i].height, sources[i].width / Math.max(sources[i].clientWidth, 1));
    x += sources[i].width;
  });
}

export function exportPicture(app: App): void {
  const canvas = h('canvas');
  compose(app, canvas);
  canvas.toBlob((blob) => blob && save(blob, name(app, 'png')), 'image/png');
}

/** Plays the run once from the start, and keeps what is seen. */
export function exportVideo(app: App): void {
  if (typeof MediaRecorder === 'undefined') {
    app.message(app.acts[0], { title: 'No video', text: 'This browser cannot record a canvas; “delassus draw RUN --animate” writes a GIF.' });
    return;
  }
  const canvas = h('canvas');
  compose(app, canvas);
  const kind = ['video/mp4;codecs=avc1', 'video/webm;codecs=vp9', 'video/webm'].find((k) => MediaRecorder.isTypeSupported(k)) ?? 'video/webm';
  const recorder = new MediaRecorder(canvas.captureStream(30), { mimeType: kind, videoBitsPerSecond: 12_000_000 });
  const parts: Blob[] = [];
  recorder.ondataavailable = (e) => parts.push(e.data);
  recorder.onstop = () => save(new Blob(parts, { type: kind }), name(app, kind.includes('mp4') ? 'mp4' : 'webm'));
  const mark = h('span', { class: 'chip bad', id: 'recording' }, 'recording');
  app.extra.append(mark);
  const again = app.player.repeat(false);
  app.player.jump(0);
  recorder.start();
  app.player.play(true);
  const draw = () => {
    compose(app, canvas);
    if (app.player.playing) requestAnimationFrame(draw);
    else { mark.remove(); app.player.repeat(again); setTimeout(() => recorder.stop(), 100); }
  };
  requestAnimationFrame(draw);
}
