// Lead-ins without a colon: no chunk of `structure` ends with one where it fits together with the text below it.
import { describe, expect, it } from 'vitest';
import { chunkSync } from '../src/chunk.ts';
import type { TextKind } from '../src/blocks/index.ts';

const said = (words: number): string => `It ${'was said '.repeat(words).trim()}.`;

/** The texts of chunks of two paragraphs with something between them, whose middle is where a cut would fall. */
function around(between: string, kind: TextKind = 'text', below = said(20)): string[] {
  const text = `${said(20)}\n\n${between}\n\n${below}`;
  return chunkSync(text, { tier: 'structure', kind, size: 260, target: 200 }).map((chunk) => chunk.text);
}

describe('a line that announces what stands below it', () => {
  it.each([
    'Ingredients',
    '* Performance',
    'Hi Ben,',
    'II',
    '=== On Windows',
    'openssh (1:9.1) unstable; urgency=medium',
  ])('is a label: %s', (label) => {
    expect(around(label).map((text) => text.startsWith(label))).toEqual([false, true]);
  });

  it('is a question', () => {
    expect(around('INTERVIEWER: What did you find?')[1]).toMatch(/^INTERVIEWER/);
  });

  it('is a line in strong type, also with a full stop', () => {
    expect(around('**Example 1.**', 'markdown')[1]).toMatch(/^\*\*Example/);
  });

  it('is a line without a full stop above what is indented', () => {
    const between =
      'Alternatively the whole of it can be undone at once, and without any trace of what was done, with';
    expect(around(between, 'text', `     undo --all ${'--quickly '.repeat(12).trim()}`)[1]).toMatch(
      /^Alternatively/,
    );
  });

  it('is a text that ends inside a sentence above code, however long', () => {
    const code = '```\nundo --all\nundo --quickly\nundo --without trace\n```';
    const parts = [said(5), `${said(8)} Then type the command`, code, said(20)];
    const chunks = chunkSync(parts.join('\n\n'), { tier: 'structure', kind: 'markdown', size: 400 });
    expect(chunks.map(({ text }) => text)).toContainEqual(expect.stringContaining(`command\n\n${code}`));
  });

  it('is the caption of a table, whatever it is called', () => {
    const table = `| a | b |\n|---|---|\n${'| 1 | 2 |\n'.repeat(9).trim()}`;
    expect(around('Exhibit 2.4. Children, by age', 'markdown', table)[1]).toMatch(/^Exhibit/);
  });
});

describe('a formula in lines of its own', () => {
  const words = (count: number): string => 'is so '.repeat(count).trim();
  const chunksOf = (parts: readonly string[], kind: TextKind): string[] =>
    chunkSync(parts.join('\n\n'), { tier: 'structure', kind, size: 300, target: 100 }).map(
      (chunk) => chunk.text,
    );

  it.each([
    ['markdown', '$$\nx = y + 1\n$$'],
    ['markdown', '```math\nx = y + 1\n```'],
    ['text', '$$\nx = y + 1\n$$'],
    ['text', '\\[x = y + 1\\]'],
    ['text', '\\begin{align*}\nx &= y + 1\n\\end{align*}'],
  ] as const)('stays in its sentence, in %s: %s', (kind, formula) => {
    const parts = [
      `It ${words(18)}.`,
      `This ${words(10)}, so that`,
      formula,
      `where ${words(4)}. Next ${words(18)}.`,
    ];
    const chunk = chunksOf(parts, kind).find((text) => text.includes(formula));
    expect(chunk?.slice(0, 4)).toBe('This');
    expect(chunk).toMatch(/where [a-z ]+\.$/);
  });

  it('begins a chunk where a sentence ends above it', () => {
    const formula = `$$\n${'x + '.repeat(30)}y\n$$`;
    expect(chunksOf([`It ${words(20)}.`, formula, `Next ${words(20)}.`], 'markdown')[1]).toBe(formula);
  });
});

describe('a short paragraph below a table', () => {
  const rows = (count: number): string => `| a | b |\n|---|---|\n${'| 1 | 2 |\n'.repeat(count).trim()}`;

  it('stays with the table as a note about it', () => {
    const note = 'All of it is in millions.';
    expect(around(`${rows(9)}\n\n${note}`, 'markdown', said(8)).find((text) => text.includes(note))).toMatch(
      /^[^]*\| a \| b \|/,
    );
  });

  it('stays with the table that it introduces, where another one follows', () => {
    const remark = 'The other half of it:';
    const chunk = around(`${rows(9)}\n\n${remark}\n\n${rows(16)}`, 'markdown').find((text) =>
      text.includes(remark),
    );
    expect(chunk).toMatch(/^The other half of it:\n\n\| a \| b \|/);
  });
});

describe('a caption between two tables', () => {
  const table = (name: string): string =>
    `| ${name} | height |\n|---|---|\n${`| ${name} | high |\n`.repeat(8).trim()}`;
  const [tide, dune, reef] = ['tide', 'dune', 'reef'].map(table);
  /** The first words of the chunk that holds the caption between the tables of dunes and reefs. */
  const beginning = (parts: readonly (string | undefined)[]): string | undefined =>
    chunkSync(parts.join('\n\n'), { kind: 'markdown', size: 300 })
      .find(({ text }) => text.includes('Table 2'))
      ?.text.slice(0, 7);

  it('stays with the one above it where captions stand below their tables', () => {
    const end = 'Waves went on over all of it, as they do.';
    expect(beginning([tide, 'Table 1: Tides.', end, dune, 'Table 2: Dunes.', reef])).toBe('| dune ');
  });

  it('stays with the one below it elsewhere', () => {
    expect(beginning(['Table 1: Tides.', tide, 'Table 2: Dunes.', dune])).toBe('Table 2');
    expect(beginning([tide, 'Table 2: Dunes.', dune])).toBe('Table 2');
  });
});

describe('what stands alone above its text', () => {
  it.each(['[1]', '2.', '(3)'])('is the mark of a note or an item: %s', (label) => {
    expect(around(label).map((text) => text.startsWith(label))).toEqual([false, true]);
  });

  it('is a picture and its name in words', () => {
    expect(around('![Tip](images/tip.png)\n\nTip', 'markdown')[1]).toMatch(
      /^!\[Tip]\(images\/tip\.png\)\n\nTip\n\nIt was said/,
    );
  });
});

it('a short sentence announces nothing', () => {
  expect(around('It was so.')[0]).toMatch(/It was so\.$/);
});

it('an anchor belongs to the heading below it, and the path of its chunk is that of the heading', () => {
  const text = `# One\n\n${said(20)}\n\n<a id="two"></a>\n\n## Two\n\n${said(20)}`;
  const [, chunk] = chunkSync(text, { tier: 'structure', kind: 'markdown', size: 260, target: 200 });
  expect(chunk?.text).toMatch(/^<a id="two">/);
  expect(chunk?.metadata.headingPath).toEqual(['One', 'Two']);
});

describe('headings in HTML', () => {
  const paths = (text: string): unknown[] =>
    chunkSync(text, { tier: 'structure', kind: 'markdown', size: 90, target: 60 }).map(
      ({ metadata }) => metadata.headingPath,
    );

  it('are found inside of other blocks', () => {
    expect(
      paths(`<p align="center">\n  <img src="a.svg">\n  <h1>Zod</h1>\n</p>\n\n## Use\n\n${said(5)}`).at(-1),
    ).toEqual(['Zod', 'Use']);
  });

  it('that are pictures are called as those are, or not at all', () => {
    const below = `\n\n## Use\n\n${said(5)}`;
    expect(paths(`<h1>\n  <img alt="fast-check logo" src="a">\n</h1>${below}`).at(-1)).toEqual([
      'fast-check logo',
      'Use',
    ]);
    expect(paths(`<h1><img src="a"></h1>${below}`).at(-1)).toEqual(['Use']);
  });
});

describe('lines that begin alike', () => {
  it.each([
    ['of a log', (at: number) => `[${at}] fetch want: ^1.0.0, then a cache miss, and more of it: again`],
    ['of values', (at: number) => `  "License ${at} :: OSI Approved :: MIT License",`],
    [
      'of tags',
      (at: number) => `<a href="https://example.org/${at}"><img alt="Code, and its quality" /></a>`,
    ],
  ])('%s are not cut inside', (_, line) => {
    const text = Array.from({ length: 60 }, (_, at) => line(at)).join('\n');
    for (const { start } of chunkSync(text, { tier: 'structure', kind: 'text', size: 500 }).slice(1))
      expect(text.slice(0, start).trimEnd().length < text.lastIndexOf('\n', start) + 1).toBe(true);
  });
});

it('lines of hashes in plain text are comments', () => {
  const text = '# One\n\n# These are settings\n# of the server.\nport = 1\n\n## Of it\n\nport = 2';
  const chunks = chunkSync(text, { tier: 'structure', kind: 'text', size: 400 });
  expect(chunks.map(({ metadata }) => metadata.headingPath)).toEqual([undefined]);
});

it('code of Org between equals signs is no title of a wiki', () => {
  const text = 'Of these\n=strict= is a flag, and so is =id=\n\n= Wiki =\n\nText.';
  const paths = chunkSync(text, { tier: 'structure', kind: 'text', size: 40 }).flatMap(
    ({ metadata }) => metadata.headingPath ?? [],
  );
  expect(paths).toEqual(['Wiki']);
});
