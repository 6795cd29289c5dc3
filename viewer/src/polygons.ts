// The playground's own exploration: what each reaction of the coming step can be, exactly.

import type { App } from './app';
import { button } from './dom';
import type { Engine } from './engine';
import type { Explored } from './source';

export class Polygons {
  readonly button: HTMLButtonElement;

  constructor(private readonly app: App, private readonly engine: Engine) {
    this.button = button('fit', 'What the reactions of the coming step can be, exactly (the plane)', () => void this.explore(), 'Explore');
    this.button.id = 'explore';
  }

  clear(): void {
    if (this.app.acts[0]) this.app.acts[0].reel.cast.explored = null;
    this.button.setAttribute('aria-pressed', 'false');
  }

  private async explore(): Promise<void> {
    const act = this.app.acts[0];
    if (act.reel.cast.explored) { this.clear(); this.app.refresh(); return; }
    await this.engine.ask('stop');
    try {
      const found = await this.engine.json<Explored>('explore');
      act.reel.cast.explored = found;
      this.button.dataset.sets = String(found.contacts.filter((s) => s.vertices.length > 1).length);
    } catch (e) {
      this.app.message(act, { title: 'Nothing to explore here', text: (e as Error).message });
      setTimeout(() => this.app.message(act, null), 6000);
      return;
    }
    this.button.setAttribute('aria-pressed', 'true');
    this.app.reveals = true;
    this.app.player.jump(this.app.player.end);
    this.app.refresh();
  }
}
