// Tables to cut, each made by a few lines that say what is odd about it. Every value is a word of its own (`r3c2`: row
// 3, column 2) and every name of a column too (`N2`, of the second header row `M2`), so that a test can tell from the
// text of a chunk alone which cells it holds and which names stand over them.

/** A document with tables in it and what is true of them. */
export interface TableCase {
  readonly name: string;
  readonly text: string;
  /** How the text is read. */
  readonly kind: 'markdown' | 'text';
  /** The values in their order. */
  readonly values: readonly string[];
  /** The names over a value: of its column, of the group of columns that it stands in. */
  readonly namesOf: (value: string) => readonly string[];
  /** The value of the cell that spans the rows of this value, when there is one. */
  readonly groupOf?: (value: string) => string | undefined;
  /** Words that stand in the document exactly once, such as those of a caption. */
  readonly once?: readonly string[];
}

interface Shape {
  readonly columns: number;
  readonly rows: number;
  /** The whole text of the cell that holds a value; default: the value. */
  readonly fill?: (value: string, row: number, column: number) => string;
  /** The same of a cell that names a column. */
  readonly head?: (name: string, column: number) => string;
}

const range = (length: number): number[] => Array.from({ length }, (_, index) => index);
const valueAt = (row: number, column: number): string => `r${row}c${column}`;
const columnOf = (value: string): number => Number(value.split('c')[1]);
const rowOf = (value: string): number => Number(/\d+/.exec(value)?.[0]);

/** The values of a shape, row by row. */
const valuesOf = ({ rows, columns }: Shape): string[] =>
  range(rows).flatMap((row) => range(columns).map((column) => valueAt(row, column)));

const bodyOf = ({ rows, columns, fill = (value) => value }: Shape): string[][] =>
  range(rows).map((row) => range(columns).map((column) => fill(valueAt(row, column), row, column)));

const headOf = ({ columns, head = (name) => name }: Shape): string[] =>
  range(columns).map((column) => head(`N${column}`, column));

const gfmLine = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

function gfm(shape: Shape): string {
  const rule = `|${range(shape.columns)
    .map(() => '---|')
    .join('')}`;
  return [gfmLine(headOf(shape)), rule, ...bodyOf(shape).map(gfmLine)].join('\n');
}

/** Columns of 12 characters and one of figures; the figures show that the words above are names. */
const straight = (shape: Shape): string =>
  [[...headOf(shape), 'Figure'], ...bodyOf(shape).map((cells) => [...cells, '7'])]
    .map((cells) =>
      cells
        .map((cell) => cell.padEnd(12))
        .join('')
        .trimEnd(),
    )
    .join('\n');

const htmlRow = (cells: readonly string[], tag: 'td' | 'th'): string =>
  `<tr>${cells.map((cell) => `<${tag}>${cell}</${tag}>`).join('')}</tr>`;

interface HtmlForm {
  readonly caption?: string;
  readonly thead?: boolean;
  readonly tag?: 'td' | 'th';
}

function html(shape: Shape, { caption = '', thead = true, tag = 'th' }: HtmlForm = {}): string {
  const head = htmlRow(headOf(shape), tag);
  const body = bodyOf(shape).map((cells) => htmlRow(cells, 'td'));
  return [
    '<table>',
    ...(caption === '' ? [] : [`<caption>${caption}</caption>`]),
    ...(thead ? ['<thead>', head, '</thead>'] : [head]),
    ...body,
    '</table>',
  ].join('\n');
}

const names = (value: string): string[] => [`N${columnOf(value)}`];

/** A case whose tables are all of one shape and have their names in one row. */
function simple(
  name: string,
  shape: Shape,
  write: (shape: Shape) => string = gfm,
  more: Partial<TableCase> = {},
): TableCase {
  return { name, text: write(shape), kind: 'markdown', values: valuesOf(shape), namesOf: names, ...more };
}

const prefixed =
  (first: string, rest: string, write: (shape: Shape) => string = gfm) =>
  (shape: Shape): string =>
    write(shape)
      .split('\n')
      .map((line, index) => (index === 0 ? first : rest) + line)
      .join('\n');

const prose = (words: number): string =>
  `${range(words)
    .map((index) => (index % 9 === 8 ? 'there.' : 'text'))
    .join(' ')}.`;
const long = (word: string, units: number): string => `${word} ${'lorem ipsum '.repeat(units / 12).trim()}`;

/** A table in HTML with its rows as they come. */
const rawHtml = (...rows: readonly string[]): string => `<table>\n${rows.join('\n')}\n</table>`;

const SMALL: Shape = { columns: 4, rows: 12 };

export const TABLES: readonly TableCase[] = [
  simple('one row', { columns: 3, rows: 1 }),
  simple('a small table', { columns: 3, rows: 3 }),
  simple('a long table', { columns: 4, rows: 80 }),
  simple('2,000 rows', { columns: 3, rows: 2000 }),
  simple('a wide table', { columns: 25, rows: 6 }),
  simple('60 columns', { columns: 60, rows: 8 }),
  simple('1 column', { columns: 1, rows: 40 }),
  simple('2 columns of long text', { columns: 2, rows: 8, fill: (value) => long(value, 96) }),
  simple('header over half the budget', { columns: 8, rows: 6, head: (name) => long(name, 60) }),
  simple('one name over half the budget', {
    columns: 3,
    rows: 4,
    head: (name, column) => (column === 1 ? long(name, 132) : name),
  }),
  simple('one row over the maximum', {
    columns: 6,
    rows: 5,
    fill: (value, row) => (row === 2 ? long(value, 180) : value),
  }),
  simple('one cell over the maximum', {
    columns: 4,
    rows: 5,
    fill: (value, row, column) => (row === 2 && column === 1 ? long(value, 2400) : value),
  }),
  simple('every row over the maximum', { columns: 10, rows: 3, fill: (value) => long(value, 240) }),
  simple(
    'empty cells',
    { columns: 5, rows: 20, fill: (value, row, column) => ((row + column) % 2 === 0 ? value : '') },
    gfm,
    {
      values: valuesOf({ columns: 5, rows: 20 }).filter(
        (value) => (rowOf(value) + columnOf(value)) % 2 === 0,
      ),
    },
  ),
  simple('an empty name', { columns: 3, rows: 20, head: (name, column) => (column === 0 ? '' : name) }, gfm, {
    namesOf: (value) => (columnOf(value) === 0 ? [] : names(value)),
  }),
  simple('Chinese', {
    columns: 3,
    rows: 20,
    fill: (value) => `${value} 表格中的內容，第二句。`,
    head: (name) => `${name} 名稱`,
  }),
  simple('emoji', { columns: 3, rows: 20, fill: (value) => `👨‍👩‍👧‍👦 ${value} 😀`, head: (name) => `🇩🇪 ${name}` }),
  simple('Arabic', {
    columns: 3,
    rows: 20,
    fill: (value) => `${value} مرحبا بالعالم`,
    head: (name) => `${name} اسم`,
  }),
  simple('escaped pipes', {
    columns: 3,
    rows: 20,
    fill: (value) => `${value} a\\|b`,
    head: (name) => `${name}\\|x`,
  }),
  simple('code with pipes', { columns: 2, rows: 20, fill: (value) => `\`${value} \\| x\`` }),
  simple('no outer pipes', SMALL, (shape) => gfm(shape).replaceAll(/^\| ?| ?\|$/gm, '')),
  simple('padded cells', {
    columns: 4,
    rows: 15,
    fill: (value) => value.padEnd(14),
    head: (name) => name.padStart(14),
  }),
  simple('alignment in the rule', SMALL, (shape) => gfm(shape).replace('|---|---|', '| :---: | ---: |')),
  simple('short rows', SMALL, (shape) => gfm(shape).replaceAll(/ \| r\d*[13579]c3 \|/g, ' |'), {
    values: valuesOf(SMALL).filter((value) => !(value.endsWith('c3') && rowOf(value) % 2 === 1)),
  }),
  simple('in a list', SMALL, prefixed('- ', '  ')),
  simple('in a list in a list', SMALL, prefixed('- - ', '    ')),
  simple('in a numbered list', SMALL, prefixed('12. ', '    ')),
  simple('in a quote', SMALL, prefixed('> ', '> ')),
  simple('in a list in a quote', SMALL, prefixed('> - ', '>   ')),
  simple('in a footnote', SMALL, prefixed('[^1]: ', '    ')),
  simple('behind its heading', SMALL, (shape) => `# Title\n\n${prose(60)}\n\n## Below\n\n${gfm(shape)}`, {
    once: ['Title', 'Below'],
  }),
  simple(
    'behind a line of caption',
    SMALL,
    (shape) => `${prose(60)}\n\nTable 1: Caption1 of it:\n\n${gfm(shape)}`,
    {
      once: ['Caption1'],
    },
  ),
  simple(
    'behind a caption without a colon',
    SMALL,
    (shape) => `${prose(60)}\n\n**Table 1.** Caption1 of it\n\n${gfm(shape)}`,
    { once: ['Caption1'] },
  ),
  {
    ...simple('below an empty header', { columns: 3, rows: 30, head: () => ' ' }),
    namesOf: () => [],
  },
  simple('right behind a paragraph', SMALL, (shape) => `Lead1 words\n${gfm(shape)}\n\n${prose(80)}`, {
    once: ['Lead1'],
  }),
  simple('between paragraphs', SMALL, (shape) => `${prose(90)}\n\n${gfm(shape)}\n\n${prose(90)}`),
  {
    name: 'back to back',
    text: [0, 1, 2]
      .map((table) =>
        gfm({
          columns: 3,
          rows: 6,
          head: (_, column) => `N${3 * table + column}`,
          fill: (_, row, column) => valueAt(6 * table + row, 3 * table + column),
        }),
      )
      .join('\n\n'),
    kind: 'markdown',
    values: range(18).flatMap((row) =>
      range(3).map((column) => valueAt(row, 3 * Math.floor(row / 6) + column)),
    ),
    namesOf: names,
  },
  simple('HTML', { columns: 4, rows: 20 }, html),
  simple('HTML with a caption', { columns: 4, rows: 20 }, (shape) => html(shape, { caption: 'Caption1' }), {
    once: ['Caption1'],
  }),
  simple('HTML without thead', { columns: 4, rows: 20 }, (shape) => html(shape, { thead: false })),
  simple('HTML without th', { columns: 4, rows: 20, head: (name) => `${name} name` }, (shape) =>
    html(shape, { thead: false, tag: 'td' }).replaceAll(/<td>(r\d+c\d+)/g, '<td>7 $1'),
  ),
  simple('HTML without end tags', { columns: 3, rows: 20 }, (shape) =>
    html(shape, { thead: false }).replaceAll(/<\/t[rdh]>/g, ''),
  ),
  simple('HTML on one line', { columns: 3, rows: 30 }, (shape) => html(shape).replaceAll('\n', '')),
  simple('HTML that is wide', { columns: 25, rows: 5 }, html),
  simple('HTML in a quote', { columns: 3, rows: 20 }, prefixed('> ', '> ', html)),
  simple(
    'HTML, one cell over the maximum',
    { columns: 3, rows: 5, fill: (value, row) => (row === 1 ? long(value, 1200) : value) },
    html,
  ),
  simple('plain text in straight columns', { columns: 4, rows: 40 }, straight, { kind: 'text' }),
  simple(
    'plain text with a rule',
    { columns: 3, rows: 30 },
    (shape) => straight(shape).replace('\n', '\n=====  =====\n'),
    {
      kind: 'text',
    },
  ),
  simple(
    'plain text of tabs',
    { columns: 4, rows: 40 },
    (shape) => straight(shape).replaceAll(/ {2,}/g, '\t'),
    {
      kind: 'text',
    },
  ),
  simple(
    'plain text of pipes',
    { columns: 4, rows: 40 },
    (shape) => straight(shape).replaceAll(/ {2,}/g, ' | '),
    {
      kind: 'text',
    },
  ),
  simple(
    'plain text below a caption',
    { columns: 4, rows: 40 },
    (shape) => `Caption1 of it\n${straight(shape)}`,
    {
      kind: 'text',
      once: ['Caption1'],
    },
  ),
  simple('plain text that is wide', { columns: 30, rows: 6 }, straight, { kind: 'text' }),
  {
    name: 'HTML with two header rows',
    text: rawHtml(
      '<thead>',
      '<tr><th colspan="2">M0</th><th colspan="2">M1</th></tr>',
      htmlRow(['N0', 'N1', 'N2', 'N3'], 'th'),
      '</thead>',
      ...bodyOf({ columns: 4, rows: 20 }).map((cells) => htmlRow(cells, 'td')),
    ),
    kind: 'markdown',
    values: valuesOf({ columns: 4, rows: 20 }),
    namesOf: (value) => [`N${columnOf(value)}`, `M${Math.floor(columnOf(value) / 2)}`],
  },
  {
    name: 'HTML with wide groups of columns',
    text: rawHtml(
      `<tr><th rowspan="2">N0</th>${range(8)
        .map((group) => `<th colspan="3">M${group}</th>`)
        .join('')}</tr>`,
      htmlRow(
        range(24).map((column) => `N${column + 1}`),
        'th',
      ),
      ...bodyOf({ columns: 25, rows: 4 }).map((cells) => htmlRow(cells, 'td')),
    ),
    kind: 'markdown',
    values: valuesOf({ columns: 25, rows: 4 }),
    namesOf: (value) => [
      `N${columnOf(value)}`,
      ...(columnOf(value) === 0 ? [] : [`M${Math.floor((columnOf(value) - 1) / 3)}`]),
    ],
  },
  {
    name: 'HTML with cells over several rows',
    text: rawHtml(
      htmlRow(['N0', 'N1', 'N2'], 'th'),
      ...range(24).map((row) => {
        const first = row % 4 === 0 ? `<td rowspan="4">${valueAt(row, 0)}</td>` : '';
        return `<tr>${first}<td>${valueAt(row, 1)}</td><td>${valueAt(row, 2)}</td></tr>`;
      }),
    ),
    kind: 'markdown',
    values: range(24).flatMap((row) =>
      (row % 4 === 0 ? [0, 1, 2] : [1, 2]).map((column) => valueAt(row, column)),
    ),
    namesOf: names,
    groupOf: (value) => valueAt(rowOf(value) - (rowOf(value) % 4), 0),
  },
  {
    name: 'HTML with cells over several rows, and wide',
    text: rawHtml(
      htmlRow(
        range(24).map((column) => long(`N${column}`, 24)),
        'th',
      ),
      ...range(8).map((row) => {
        const first = row % 4 === 0 ? `<td rowspan="4">${valueAt(row, 0)}</td>` : '';
        const others = range(23).map((column) => `<td>${valueAt(row, column + 1)}</td>`);
        return `<tr>${first}${others.join('')}</tr>`;
      }),
    ),
    kind: 'markdown',
    values: range(8).flatMap((row) =>
      range(24).flatMap((column) => (column > 0 || row % 4 === 0 ? [valueAt(row, column)] : [])),
    ),
    namesOf: names,
  },
  {
    name: 'HTML with cells over several columns',
    text: rawHtml(
      htmlRow(
        range(20).map((column) => long(`N${column}`, 24)),
        'th',
      ),
      ...range(5).map(
        (row) =>
          `<tr><td colspan="5">${valueAt(row, 0)}</td>${range(15)
            .map((column) => `<td>${valueAt(row, column + 5)}</td>`)
            .join('')}</tr>`,
      ),
    ),
    kind: 'markdown',
    values: range(5).flatMap((row) =>
      [0, ...range(15).map((column) => column + 5)].map((column) => valueAt(row, column)),
    ),
    namesOf: names,
  },
];
