// What a string is when nobody says: a look at its beginning, for signs that the other kinds do not have by chance.

/**
 * How to read a string: as Markdown, as prose without marks, as source code, or as delimited values, whose first record
 * names the columns.
 */
export type TextKind = 'markdown' | 'text' | 'code' | 'csv';

/** How much of a text is looked at, in UTF-16 units. */
const LOOK = 20_000;

/** How a file of source code may begin: shebang, PHP, `#include`, `package`, `import`, JSON. Comments say nothing. */
const CODE_SIGNS =
  /^\s*(?:#![/ ]|<\?(?:php|xml)\b|#include [<"]|package [\w.]+;?\s*\n|import [^\n]{1,200} from ['"]|import [\w.]+;\s*\n|from [\w.]+ import |['"]use (?:strict|client)['"]|[{[]\s*(?:"[^"\n]*"\s*[:,\]]|\{\s*"))/;

/** Directives of reStructuredText and of AsciiDoc, which underline titles, or part code off, with other marks. */
const OTHER_SIGNS = /^(?:\.\. (?:[\w-]+::|_[^\n]{1,200}:)|(?:include|image)::\S|\[(?:verse\]|source,))/m;

/**
 * Marks that plain prose does not begin lines with by chance: ATX headings, but no comments of several lines; fences,
 * but no tildes that underline a title; table rules; and links.
 */
const MARKDOWN_SIGNS =
  /^(?:(?<!^#[^\n]*\n)(#{1,6}) \S[^\n]*(?!\n\1(?:[ \n]|$))$|```|~~~(?<!\S[ \t]*\n~~~)|\|? *:?-{3,}:? *\|)|!?\[[^\]\n]{1,200}\]\((?:https?:|\.{0,2}\/|#)/m;

/** The kind of a text by a look at it. Unsure means plain text. */
export function guessKind(text: string): TextKind {
  const look = text.slice(0, LOOK);
  if (CODE_SIGNS.test(look)) return 'code';
  if (OTHER_SIGNS.test(look)) return 'text';
  return MARKDOWN_SIGNS.test(look) ? 'markdown' : 'text';
}
