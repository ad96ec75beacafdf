// Texts whose marks nest as deeply as they are long, or that tempt a scanner to read the same line again and again.

/** Makes a text of `count` marks. */
export type Nest = (count: number) => string;

export const NESTED: Readonly<Record<string, Nest>> = {
  'quotes in one line': (count) => '>'.repeat(count) + ' a',
  'quotes in one line, then a lazy one': (count) => `${'> '.repeat(count)}a\nb\n`,
  'quotes, one more on each line': (count) =>
    Array.from({ length: Math.ceil(Math.sqrt(2 * count)) }, (_, depth) => `${'>'.repeat(depth)} a`).join(
      '\n',
    ),
  'list items in one line': (count) => '- '.repeat(count) + 'a',
  'list items in one line, then blank lines': (count) => '- '.repeat(count) + 'a' + '\n'.repeat(count),
  'list items, each deeper than the one before': (count) =>
    Array.from({ length: Math.ceil(Math.sqrt(count)) }, (_, depth) => `${'  '.repeat(depth)}- a`).join('\n'),
  'list items behind blank lines, each deeper than the one before': (count) =>
    Array.from({ length: Math.ceil(Math.sqrt(count)) }, (_, depth) => `${'  '.repeat(depth)}- a`).join(
      '\n\n',
    ),
  'items behind one that stands far to the right': (count) =>
    `${' '.repeat(count)}- a${'\n\n- b'.repeat(count / 4)}`,
  'numbered items in one line': (count) => '1. '.repeat(count) + 'a',
  'asterisks that are almost a rule': (count) => '* '.repeat(count) + 'a',
  'quotes and items by turns': (count) => '> - '.repeat(count / 2) + 'a',
  'items of one line each': (count) => '- a\n'.repeat(count),
  'empty items': (count) => '-\n'.repeat(count),
  'empty quotes': (count) => '>\n'.repeat(count),
  'opening brackets': (count) => '['.repeat(count),
  'brackets of definitions': (count) => '[a]: b "c\n'.repeat(count / 4),
  definitions: (count) => '[a]: b\n'.repeat(count),
  'definitions that fail late': (count) => `[a]: ${'('.repeat(count)}`,
  'footnotes in one line': (count) => '[^a]: '.repeat(count),
  'tables that open and never close': (count) => '<table>\n\n'.repeat(count),
  'tables in one another': (count) => `${'<table><tr><td>'.repeat(count / 2)}${'</table>'.repeat(count / 2)}`,
  'tags that never close': (count) => '<a b="'.repeat(count),
  'comments that never close': (count) => '<!-- '.repeat(count),
  'comments in a table that never close': (count) => `<table><tr><td>${'<!-- "'.repeat(count)}\n</table>`,
  'quoted values that never close': (count) => `<table><tr><td a="${'<td a="'.repeat(count)}\n</table>`,
  pipes: (count) => `${'|a'.repeat(count)}\n${'|-'.repeat(count)}\n`,
  'rows of many cells': (count) => `a|b\n-|-\n${'|'.repeat(count)}\n`,
  'fences in one another': (count) => '```\n~~~\n'.repeat(count / 2),
  'math that never closes': (count) => '$$\na$$b\n'.repeat(count / 2),
  'front matter that never ends': (count) => `---\na: b\n${'c: d\n'.repeat(count)}`,
  'blank lines': (count) => '\n'.repeat(count),
  tabs: (count) => '\t'.repeat(count) + 'a',
  'spaces and line feeds': (count) => ' \n'.repeat(count),
  underlines: (count) => 'a\n=\n'.repeat(count / 2),
  'no-break spaces': (count) => '\u00a0'.repeat(count) + '\n',
};
