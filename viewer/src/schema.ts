// Words that a scene accepts at a place, from the JSON Schema of scenes.

type Json = { [key: string]: unknown };

export interface Word {
  word: string;
  detail: string;
}

export class Schema {
  constructor(private readonly root: Json) {}

  private resolve(node: unknown): Json[] {
    if (!node || typeof node !== 'object') return [];
    const json = node as Json;
    const out: Json[] = [json];
    if (typeof json.$ref === 'string') {
      let at: unknown = this.root;
      for (const part of json.$ref.replace(/^#\//, '').split('/')) at = (at as Json)?.[part];
      out.push(...this.resolve(at));
    }
    for (const key of ['anyOf', 'oneOf', 'allOf']) {
      if (Array.isArray(json[key])) for (const one of json[key]) out.push(...this.resolve(one));
    }
    return out;
  }

  /** What a path of keys leads to; names that the user gives match any. */
  private at(path: string[]): Json[] {
    let nodes = this.resolve(this.root);
    for (const key of path) {
      const next: Json[] = [];
      for (const node of nodes) {
        const all = [node, ...(node.items ? this.resolve(node.items) : [])];
        for (const n of all) {
          const known = (n.properties as Json | undefined)?.[key];
          if (known) next.push(...this.resolve(known));
          else if (typeof n.additionalProperties === 'object') next.push(...this.resolve(n.additionalProperties));
        }
      }
      nodes = next;
    }
    return nodes.flatMap((n) => [n, ...(n.items ? this.resolve(n.items) : [])]);
  }

  keys(path: string[]): Word[] {
    const found = new Map<string, string>();
    for (const node of this.at(path)) {
      for (const [key, value] of Object.entries((node.properties as Json) ?? {})) {
        const about = this.resolve(value).map((v) => v.description).find((d) => typeof d === 'string') as string | undefined;
        if (!found.has(key)) found.set(key, (about ?? '').split('\n')[0]);
      }
    }
    return [...found].map(([word, detail]) => ({ word, detail }));
  }

  values(path: string[]): Word[] {
    const found = new Map<string, string>();
    for (const node of this.at(path)) {
      const about = typeof node.description === 'string' ? node.description.split('\n')[0] : '';
      for (const v of (node.enum as unknown[]) ?? []) found.set(JSON.stringify(v), about);
      if (node.const !== undefined) found.set(JSON.stringify(node.const), about);
      if (node.type === 'boolean') { found.set('true', about); found.set('false', about); }
    }
    return [...found].map(([word, detail]) => ({ word, detail }));
  }
}

/** The table that a line is in, by the headers above it. */
export function tableAt(lines: string[], line: number): string[] {
  for (let i = line; i >= 0; i--) {
    const header = /^\s*\[\[?([^\]]*)\]?/.exec(lines[i]);
    if (header && (i < line || lines[i].includes(']'))) {
      return header[1].split('.').map((p) => p.trim().replace(/^["']|["']$/g, '')).filter(Boolean);
    }
  }
  return [];
}
