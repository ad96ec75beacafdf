// Guesses the kind of a string from signs at its beginning that other kinds do not have by chance.

/**
 * The syntax of a string: Markdown, prose without marks, source code, or delimited values whose first record names the
 * columns.
 */
export type TextKind = 'markdown' | 'text' | 'code' | 'csv';

/** The guess reads at most so many UTF-16 units. */
const SAMPLE_LENGTH = 20_000;

/** Matches beginnings of source code: shebang, PHP, `#include`, `package`, `import`, JSON. Comments decide nothing. */
const CODE_SIGNS =
  /^\s*(?:#![/ ]|<\?(?:php|xml)\b|#include [<"]|package [\w.]+;?\s*\n|import [^\n]{1,200} from ['"]|import [\w.]+;\s*\n|from [\w.]+ import |['"]use (?:strict|client)['"]|[{[]\s*(?:"[^"\n]*"\s*[:,\]]|\{\s*"))/;

/**
 * Matches directives of reStructuredText, AsciiDoc, Org, POD and LaTeX. Their underlines, code delimiters and comments
 * would otherwise look like headings and fences.
 */
const OTHER_SIGNS =
  /^(?:\.\. (?:[\w-]+::|_[^\n]{1,200}:)|(?:include|image)::\S|\[(?:verse\]|source,)|#\+[a-z]|=(?:head1|pod)\b|\\documentclass\b)/im;

/**
 * Matches marks with which plain prose does not begin lines by chance: ATX headings (but no comments of several lines),
 * fences (but no tildes that underline a title), table rules, links.
 */
const MARKDOWN_SIGNS =
  /^(?:(?<!^#[^\n]*\n)(#{1,6}) [^\s-][^\n]*(?!\n\1(?:[ \n]|$))$|```|~~~(?<!\S[ \t]*\n~~~)|\|? *:?-{3,}:? *\|)|!?\[[^\]\n]{1,200}\]\((?:https?:|\.{0,2}\/|#)/m;

/** The likely kind of a text; in doubt plain text. */
export function guessKind(text: string): TextKind {
  const sample = text.slice(0, SAMPLE_LENGTH);
  if (CODE_SIGNS.test(sample)) return 'code';
  if (OTHER_SIGNS.test(sample)) return 'text';
  return MARKDOWN_SIGNS.test(sample) ? 'markdown' : 'text';
}
