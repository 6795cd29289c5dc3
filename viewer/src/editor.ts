// The text of a scene: what is wrong at its line, what would be accepted.

import { autocompletion, completionKeymap, closeBrackets, type CompletionContext, type CompletionResult } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { HighlightStyle, StreamLanguage, syntaxHighlighting } from '@codemirror/language';
import { toml } from '@codemirror/legacy-modes/mode/toml';
import { lintGutter, linter, type Diagnostic } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import { EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { Schema, tableAt } from './schema';

export interface Fault {
  severity: 'error' | 'warning';
  message: string;
  help: string[];
  line: number | null;
  column: number | null;
  length: number | null;
}

const look = EditorView.theme({
  '&': { height: '100%', fontSize: '13px', backgroundColor: 'var(--bg)', color: 'var(--ink)' },
  '.cm-scroller': { fontFamily: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace', lineHeight: '1.55' },
  '.cm-gutters': { backgroundColor: 'var(--panel)', color: 'var(--muted)', border: 'none' },
  '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--soft) 60%, transparent)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-tooltip': { backgroundColor: 'var(--bg)', border: '1px solid var(--line)', borderRadius: '8px', color: 'var(--ink)' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--soft)', color: 'var(--ink)' },
  '.cm-completionDetail': { color: 'var(--muted)', fontStyle: 'normal', fontSize: '12px' },
  '.cm-tooltip-lint, .cm-tooltip-hover': { maxWidth: 'min(480px, 92vw)' },
  '.cm-diagnostic': { whiteSpace: 'pre-wrap' },
  '&.cm-focused': { outline: 'none' },
});

const ink = HighlightStyle.define([
  { tag: tags.comment, color: 'var(--muted)', fontStyle: 'italic' },
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--accent)' },
  { tag: tags.string, color: 'var(--ok)' },
  { tag: [tags.number, tags.bool, tags.atom], color: 'var(--warn)' },
  { tag: [tags.heading, tags.bracket], fontWeight: '600' },
]);

export class Editor {
  readonly view: EditorView;
  private schema: Schema | null = null;

  constructor(parent: HTMLElement, check: (text: string) => Promise<Fault[]>, run: () => void) {
    // In a tree of its own its styles are sheets made by script: no policy needs to allow inline ones.
    const [root, inner] = [parent.attachShadow({ mode: 'open' }), document.createElement('div')];
    inner.style.height = '100%';
    root.append(inner);
    this.view = new EditorView({
      parent: inner,
      root,
      state: EditorState.create({
        doc: '',
        extensions: [
          lineNumbers(), history(), highlightActiveLine(), closeBrackets(), StreamLanguage.define(toml), syntaxHighlighting(ink), look,
          keymap.of([{ key: 'Ctrl-Enter', mac: 'Cmd-Enter', run: () => { run(); return true; } }, ...completionKeymap, ...defaultKeymap, ...historyKeymap, indentWithTab]),
          autocompletion({ override: [(c) => this.complete(c)], icons: false }),
          lintGutter(),
          linter(async (view) => (await check(view.state.doc.toString())).map((f) => this.placed(view.state, f)), { delay: 350 }),
          EditorView.contentAttributes.of({ 'aria-label': 'Scene' }),
        ],
      }),
    });
  }

  know(schema: string): void { this.schema = new Schema(JSON.parse(schema)); }

  get text(): string { return this.view.state.doc.toString(); }
  set text(text: string) {
    this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text } });
  }

  private placed(state: EditorState, fault: Fault): Diagnostic {
    const line = state.doc.line(Math.min(Math.max(fault.line ?? 1, 1), state.doc.lines));
    const from = Math.min(line.from + (fault.column ?? 1) - 1, line.to);
    const to = Math.min(from + (fault.length ?? line.length), line.to);
    return { from, to: Math.max(to, from), severity: fault.severity, message: [fault.message, ...fault.help].join('\n') };
  }

  private complete(context: CompletionContext): CompletionResult | null {
    if (!this.schema) return null;
    const { doc } = context.state;
    const line = doc.lineAt(context.pos);
    const before = line.text.slice(0, context.pos - line.from);
    const lines = Array.from({ length: doc.lines }, (_, i) => doc.line(i + 1).text);
    const header = /^\s*\[\[?([\w.-]*)$/.exec(before);
    const word = /["\w-]*$/.exec(before)![0];
    const from = context.pos - word.length;
    if (header) {
      const path = header[1].split('.').slice(0, -1);
      return { from: context.pos - header[1].split('.').pop()!.length, options: this.schema.keys(path).map((w) => ({ label: w.word, detail: w.detail, type: 'namespace' })) };
    }
    const table = tableAt(lines, line.number - 1);
    const assigned = /^\s*([\w.-]+)\s*=\s*(.*)$/.exec(before);
    if (assigned) {
      const path = [...table, ...assigned[1].split('.')];
      // Inside braces keys are wanted, after their sign values.
      const inner = /[{,]\s*([\w-]*)$/.exec(assigned[2]);
      if (assigned[2].includes('{') && inner) return { from, options: this.schema.keys(path).map((w) => ({ label: w.word, detail: w.detail, apply: `${w.word} = ` })) };
      const key = /[{,]\s*([\w-]+)\s*=\s*["\w-]*$/.exec(assigned[2]);
      const options = this.schema.values(key ? [...path, key[1]] : path).map((w) => ({ label: w.word, detail: w.detail, type: 'enum' }));
      return options.length ? { from, options } : null;
    }
    if (!word && !context.explicit) return null;
    return { from, options: this.schema.keys(table).map((w) => ({ label: w.word, detail: w.detail, type: 'property', apply: `${w.word} = ` })) };
  }
}
