// What keys do, and the list of them.

import type { App } from './app';
import { h } from './dom';
import { exportPicture } from './export';

/** Radians for each press of a key that turns. */
const TURN = Math.PI / 24;

export function listen(app: App): void {
  const { player } = app;
  const act: Record<string, (many: number) => void> = {
    ' ': () => player.play(!player.playing),
    ArrowRight: (many) => player.step(many),
    ArrowLeft: (many) => player.step(-many),
    ArrowUp: () => app.turn(0, TURN),
    ArrowDown: () => app.turn(0, -TURN),
    ',': () => app.turn(-TURN, 0),
    '.': () => app.turn(TURN, 0),
    Home: () => player.jump(0),
    End: () => player.jump(player.end),
    l: () => player.repeat(),
    '[': () => player.faster(-1),
    ']': () => player.faster(1),
    f: () => app.focus(),
    g: () => app.inspector.follow(),
    n: () => app.view.cycleForces(),
    c: () => app.view.cycleColour(),
    t: () => app.turnTheme(),
    p: () => app.togglePanel(),
    s: () => exportPicture(app),
    0: () => app.home(),
    1: () => app.look([1, 0, 0]),
    2: () => app.look([0, -1, 0]),
    3: () => app.look([0, 0, 1]),
    '+': () => app.zoom(1.25),
    '-': () => app.zoom(0.8),
    '?': () => help(),
    Escape: () => app.inspector.select(app.acts[0], null),
  };
  document.addEventListener('keydown', (e) => {
    // Of the editor, which is a tree of its own, the page sees the root alone.
    const target = (e.composedPath()[0] ?? e.target) as HTMLElement;
    if (target.closest('input:not([type=range], [type=checkbox]), textarea, select, dialog, .cm-editor') || e.ctrlKey || e.metaKey || e.altKey) return;
    const found = act[e.key.length === 1 ? e.key.toLowerCase() : e.key];
    if (!found) return;
    // They have a meaning of their own where one is.
    if (e.key === ' ' && target.closest('button, [type=checkbox]')) return;
    if (/^Arrow(Up|Down)$/.test(e.key) && target.closest('.sheet, input:not([type=checkbox])')) return;
    e.preventDefault();
    found(e.shiftKey ? 10 : 1);
  });
}

const keys: [string, [string, string][]][] = [
  ['Time', [['space', 'play or pause'], ['← →', 'one frame; with shift ten'], ['Home End', 'first and last frame'], ['[ ]', 'slower, faster'], ['L', 'again and again']]],
  ['Eye', [['F', 'to the selection, or to all'], ['0', 'as it was seen first'], ['+ −', 'nearer, farther'], [', . ↑ ↓', 'turn'], ['1 2 3', 'along x, y, z'], ['G', 'follow the selected body']]],
  ['Picture', [['C', 'next colouring'], ['N', 'forces: off, network, vectors'], ['S', 'save a picture'], ['T', 'dark or light'], ['P', 'panel'], ['Esc', 'select nothing']]],
  ['Mouse', [['drag', 'turn (in the plane: move)'], ['right drag', 'move'], ['wheel', 'zoom to the pointer'], ['click', 'a body or a contact: its numbers']]],
];

/** The list, until it is closed. */
export function help(): void {
  const group = ([title, all]: [string, [string, string][]]) => h('section', {}, h('h3', {}, title),
    h('dl', {}, ...all.flatMap(([k, what]) => [h('dt', {}, ...k.split(' ').map((one) => h('kbd', {}, one))), h('dd', {}, what)])));
  const dialog = h('dialog', { 'aria-label': 'Keys' }, h('h2', {}, 'Keys'), h('div', { class: 'keylist' }, ...keys.map(group)),
    h('form', { method: 'dialog' }, h('button', { class: 'primary with-text' }, 'Close')));
  document.body.append(dialog);
  dialog.addEventListener('close', () => dialog.remove());
  dialog.addEventListener('click', (e) => { if (e.target === dialog) dialog.close(); });
  dialog.showModal();
}
