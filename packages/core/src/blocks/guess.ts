// Guesses the kind of a string from signs at its beginning that other kinds do not have by chance.
import { lineEnd } from './lines.ts';
import { BACKTICK } from './marks.ts';

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

/** Endings of source code. */
const CODE_ENDING =
  /\.(?:[cm]?[jt]sx?|pyi?|go|rs|java|[ch](?:pp|xx|c|h)?|c\+\+|cs|rb|php|ps1|(?:ba|z)?sh|sql|ya?ml|jsonc?|toml|s?css|less|kts?|swift|scala|lua|p[lm])$/i;

/**
 * Matches lines at the margin that are statements: a word that begins one with a sign that ends one, statements of
 * Python and of Ruby without such a sign, directives of the preprocessor, closing brackets.
 */
const STATEMENT =
  /^(?:(?:abstract|async|class|const|def|enum|exports?|extern|final|fn|func|function|impl|import|interface|internal|let|mod|module|my|namespace|private|protected|pub|public|static|struct|sub|template|trait|type|typedef|use|using|var)\b.*[;{([=,:>)}\]'"`]|import [\w.]+(?: as \w+)?|from [\w.]+ import\b.*|@\w[\w.]*(?:\(.*)?|package [\w.]+|end|[)\]}]+[,;)]*|#[ \t]*(?:define|endif|if|ifn?def|include|pragma|undef)\b.*)\r?$/;
/** First units of a statement besides small letters and braces. */
const STATEMENT_BEGINS = '#@)]';
/** Comments and strings of several lines. */
const LONG = /\/\*[\s\S]*?\*\/|^[ \t]*r?("""|''')[\s\S]*?\1/gim;
/** Lines at the margin that are no comments. */
const AT_MARGIN = /^(?!\/\/|--|\*|#(?![ \t]*(?:define|endif|if|include|pragma|undef)))\S/gm;
const FENCE = /^ {0,3}(?:```|~~~)/m;
/** Least statements of code, and their least share of the lines at the margin. */
const CODE = { statements: 3, share: 0.4 };

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

/** True for the name of a file of source code. */
export function isCodeName(filename: string): boolean {
  return CODE_ENDING.test(filename);
}

/** The likely kind of a text; in doubt plain text. */
export function guessKind(text: string): TextKind {
  const sample = text.slice(0, SAMPLE_LENGTH);
  if (CODE_SIGNS.test(sample) || isCode(sample)) return 'code';
  if (OTHER_SIGNS.test(sample)) return 'text';
  return MARKDOWN_SIGNS.test(sample) ? 'markdown' : 'text';
}

/** True where many lines at the margin are statements. Fences show a text about code. */
function isCode(sample: string): boolean {
  if (countStatements(sample) < CODE.statements) return false;
  const lines = sample.replace(LONG, '');
  const count = countStatements(lines);
  if (count < CODE.statements || FENCE.test(lines)) return false;
  return count >= CODE.share * (lines.match(AT_MARGIN)?.length ?? 0);
}

/** The pattern alone, over all of a text, takes three times as long: it tries every unit as the beginning of a line. */
function countStatements(text: string): number {
  let count = 0;
  for (let at = 0, end: number; at < text.length; at = end + 1) {
    end = lineEnd(text, at, text.length);
    const mayBegin = text.charCodeAt(at) > BACKTICK || STATEMENT_BEGINS.includes(text.charAt(at));
    if (mayBegin && STATEMENT.test(text.slice(at, end))) count++;
  }
  return count;
}
