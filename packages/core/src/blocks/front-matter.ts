// Front matter: YAML between `---` or TOML between `+++` before the first line of a Markdown text. CommonMark does not
// know it and reads the same lines as a thematic break and a heading, so its content has to look like keys and values.
import type { GrowingBlock } from './tree.ts';

/** `---`, a line with a key, then anything up to the next line of three marks. */
const FENCES = { '---': /^(?:---|\.\.\.)[ \t\r]*$/gm, '+++': /^\+\+\+[ \t\r]*$/gm } as const;
const FIRST_KEY =
  /^(?:---|\+\+\+)[ \t\r]*\n(?:[ \t]*(?:#.*)?\r?\n)*[ \t]*(?:["']?[\w$][^\n:="']{0,100}["']?[ \t]*[:=]|\[\w)/;

/** The metadata at the start of a text, `undefined` when it has none. */
export function frontMatter(text: string): GrowingBlock | undefined {
  const mark = text.startsWith('---') ? '---' : text.startsWith('+++') ? '+++' : undefined;
  if (mark === undefined || !FIRST_KEY.test(text)) return undefined;
  const close = FENCES[mark];
  close.lastIndex = text.indexOf('\n') + 1;
  const match = close.exec(text);
  close.lastIndex = 0;
  if (match === null) return undefined;
  const end = match.index + 3;
  return { kind: 'code', form: 'front-matter', language: mark === '---' ? 'yaml' : 'toml', start: 0, end };
}
