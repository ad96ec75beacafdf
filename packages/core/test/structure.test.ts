// Promises of the tier `structure` beyond the laws: headings, lists, tables and code.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '@grainline/testing/cases';
import type { Block } from '../src/document.ts';
import { chunkSync, indexedText } from '../src/chunk.ts';
import type { Chunk } from '../src/slice.ts';
import { corpusTexts, DOCUMENTS, limits, packageTexts } from '@grainline/testing/documents';

const cut = (text: string, size = 1000, overlap = 0): Chunk[] =>
  chunkSync(text, { tier: 'structure', kind: 'markdown', size, overlap });
const texts = (text: string, size?: number): string[] => cut(text, size).map((piece) => piece.text);
const lorem = (length: number): string =>
  'Nobody knows where it came from. It was there in the morning, and it stayed. '
    .repeat(Math.ceil(length / 77))
    .slice(0, length)
    .trim();

/** Chunks whose last line is an ATX heading although more follows. */
const endingOnHeading = (chunks: readonly Chunk[]): string[] =>
  chunks.slice(0, -1).flatMap(({ text, metadata }) => {
    const isCode = metadata.blockKinds?.includes('code') ?? false;
    return !isCode && /(?:^|\n)#{1,6} [^\n]*$/.test(text) ? [text.slice(-80)] : [];
  });

describe('headings', () => {
  // At the larger sizes the headings of a chapter and of its first section are one atom.
  it.each([
    [1000, 90],
    [2000, 200],
    [8000, 800],
  ])(
    'of one chapter are joined, rather than the last of it with the first of the next: %i',
    (size, length) => {
      const section = (name: string): string => `### ${name}\n\n${lorem(length)}`;
      const chapter = (name: string): string =>
        [`## ${name}`, ...['a', 'b'].map((part) => section(`${name}${part}`))].join('\n\n');
      const chunks = cut(['A', 'B', 'C', 'D'].map(chapter).join('\n\n'), size);
      expect(chunks.map(({ text }) => text.slice(0, 4))).toEqual(['## A', '## B', '## C', '## D']);
      expect(chunks.map(({ metadata }) => metadata.headingPath)).toEqual([['A'], ['B'], ['C'], ['D']]);
    },
  );

  it('stay with what follows them', () => {
    const sections = Array.from(
      { length: 20 },
      (_, index) => `## Part ${index}\n\n${lorem(100 + 83 * index)}`,
    );
    for (const size of [120, 300, 1000])
      expect(endingOnHeading(cut(sections.join('\n\n'), size))).toEqual([]);
  });

  it('stay with the first part of a table or code that does not fit with them', () => {
    const rows = Array.from({ length: 8 }, (_, index) => `| ${index} | ${'x'.repeat(15)} |`).join('\n');
    const table = `${lorem(80)}\n\n## The figures of the year\n\n| n | name |\n|---|---|\n${rows}`;
    expect(endingOnHeading(cut(table, 210))).toEqual([]);
    const code = `${lorem(80)}\n\n## The code of it\n\n\`\`\`\n${'const x = 1;\n'.repeat(14)}\`\`\``;
    expect(endingOnHeading(cut(code, 200))).toEqual([]);
  });

  it('end no chunk of any real document', () => {
    for (const { name, text } of [...corpusTexts(), ...packageTexts()]) {
      if (name.endsWith('.md')) expect(endingOnHeading(cut(text)), name).toEqual([]);
    }
  });

  it('are the path of the text below them', () => {
    const text = `# One\n\n${lorem(90)}\n\n### Deep\n\n${lorem(90)}\n\n## Two ##\n\n${lorem(90)}\n\nThree\n===\n\n${lorem(90)}`;
    const paths = cut(text, 110).map(({ metadata }) => metadata.headingPath?.join(' > '));
    expect([...new Set(paths)]).toEqual(['One', 'One > Deep', 'One > Two', 'Three']);
  });

  it.each([
    ['# C# and F#', 'C# and F#'],
    ['##   Two  blanks\u00a0or\tmore   ##', 'Two blanks or more'],
    ['### `<h1>` in words', '`<h1>` in words'],
    ['<h2>Of <b>two</b> kinds</h2>', 'Of two kinds'],
    ['#### <b>', '<b>'],
    ['# levn [![Build](https://ci.org/a.png)](https://ci.org/a) <a name="levn" />', 'levn'],
    [
      `# queue ${'[![Build Status](https://ci.org/of/all/branches.svg)](https://ci.org/a) '.repeat(9)}`,
      'queue',
    ],
    ['# ieee [![npm][npm-image]][npm-url] ![b][c]', 'ieee'],
    ['## [0.1.0](https://a.b/c/v0...v1_(x)) (2024-05-06)', '0.1.0 (2024-05-06)'],
    ['# [![Grain](logo.png)](https://a.b)', 'Grain'],
    ['## `f[0](x)`, [Unreleased] and the <a> element', '`f[0](x)`, [Unreleased] and the <a> element'],
  ])('are called by their words: %s', (heading, title) => {
    expect(cut(`${heading}\n\nText.`)[0]?.metadata.headingPath).toEqual([title]);
  });

  it('are a path in common when a chunk holds several sections', () => {
    const [chunk] = cut('# All\n\n## A\n\nText of A.\n\n## B\n\nText of B.');
    expect(chunk?.metadata.headingPath).toEqual(['All']);
  });
});

describe('prose between fences', () => {
  const said = Array.from(
    { length: 12 },
    (_, at) =>
      `   Paragraph ${at} of this page says that the tide comes in twice a day, and\n   that it goes out as often. It does so in every harbour of the coast that\n   has one, and nobody has ever seen it do anything else at all in ${1900 + at}.`,
  );
  const page = [...said.slice(0, 6), '2. TIDES OF THE NORTH', ...said.slice(6)].join('\n\n');

  it('is read as plain text where it is longer than a chunk', () => {
    const text = `# Manual\n\n\`\`\`\n${page}\n\`\`\`\n\n## Next\n\n${lorem(60)}`;
    const chunks = cut(text, 500);
    expect(chunks.filter(({ text }) => !/^(?:#|`{3}|2\.|Paragraph|lorem)/i.test(text.trim()))).toEqual([]);
    const paths = chunks.map(({ metadata }) => metadata.headingPath?.join(' > '));
    expect([...new Set(paths)]).toEqual(['Manual', 'Manual > 2. TIDES OF THE NORTH', 'Manual > Next']);
  });

  it('is code where somebody says so, or where it fits', () => {
    const fence = (language: string): string => `\`\`\`${language}\n${page}\n\`\`\``;
    const chunks = [
      ...cut(fence('text'), 500),
      ...cut(fence(''), 8000),
      ...chunkSync(page, { tier: 'structure', kind: 'code', size: 500 }),
    ];
    for (const { metadata } of chunks) expect(metadata.blockKinds).toEqual(['code']);
  });

  it('is code where no line goes on in the next with a small letter, however many words it has', () => {
    const logged = Array.from(
      { length: 30 },
      (_, at) => `* Tell the keepers of all gates that the tide of ${1900 + at} came in twice a day`,
    );
    const chunks = cut(`\`\`\`\n${logged.join('\n')}\n\`\`\``, 500);
    for (const { metadata } of chunks) expect(metadata.blockKinds).toEqual(['code']);
  });
});

describe('lines of plain text that begin with a mark', () => {
  it('are no headings where the mark is that of comments, or of code in Org', () => {
    const said = 'It rained in the north of the land. '.repeat(12).trim();
    const pathsOf = (line: string) => {
      const text = `${said}\n${line}\n${said}`;
      const chunks = chunkSync(text, { tier: 'structure', kind: 'text', size: 200 });
      return [...new Set(chunks.map(({ metadata }) => metadata.headingPath?.join()))];
    };
    expect(pathsOf('# Comment')).toEqual([undefined]);
    expect(pathsOf('=a= and =b=')).toEqual([undefined]);
    expect(pathsOf('== Title ==')).toEqual([undefined, 'Title']);
  });
});

describe('lists', () => {
  it('stay with the line that announces them', () => {
    const list = Array.from({ length: 12 }, (_, index) => `- item ${index} of the list, not very long`).join(
      '\n',
    );
    const chunks = texts(`${lorem(190)}\n\nThese are the items:\n\n${list}`, 220);
    expect(chunks.filter((text) => text.endsWith(':'))).toEqual([]);
  });

  it('are cut between items', () => {
    const list = Array.from({ length: 12 }, (_, index) => `- Item ${index}. It has two sentences.`).join(
      '\n',
    );
    for (const text of texts(list, 120)) expect(text).toMatch(/^- Item/);
  });

  it.each([
    [3, 300],
    [4, 360],
    [5, 420],
    [6, 300],
  ])('whose items hold lists of %i are cut between them rather than inside, at size %i', (count, size) => {
    const details = Array.from({ length: count }, (_, at) => `  - detail ${at}, of a few words`).join('\n');
    const list = Array.from({ length: 8 }, (_, at) => `- part ${at} of it\n${details}`).join('\n');
    for (const text of texts(list, size)) expect(text).toMatch(/^- part/);
  });
});

describe('lines that announce what follows', () => {
  it.each(['Benefits:', '**Benefits:**', '*__Benefits:__*', '**Benefits**:', '**福利：**'])(
    'stand with it, also as %s',
    (line) => {
      for (let words = 60; words <= 110; words++) {
        const prose = (count: number): string => 'The sea rises and falls again. '.repeat(count).trim();
        const text = `${prose(words / 5)}\n\n${line}\n\n${prose(20)}\n\n${prose(18)}`;
        const chunks = chunkSync(text, { tier: 'structure', kind: 'markdown', size: 1000 });
        for (const chunk of chunks) expect(chunk.text.endsWith(line)).toBe(false);
      }
    },
  );
});

describe('code', () => {
  const functions = Array.from({ length: 6 }, (_, index) => `function f${index}() {\n  return ${index};\n}`);

  it('stays whole when it fits', () => {
    const fence = `\`\`\`js\n${functions.join('\n\n')}\n\`\`\``;
    expect(texts(`${lorem(150)}\n\n${fence}\n\n${lorem(150)}`, 300)).toContain(fence);
  });

  it('is cut at blank lines of lowest indentation', () => {
    const chunks = texts(`\`\`\`js\n${functions.join('\n\n')}\n\`\`\``, 90);
    for (const text of chunks.slice(1)) expect(text).toMatch(/^function/);
  });

  it('is cut behind closing brackets when it has no blank lines', () => {
    const chunks = texts(`\`\`\`js\n${functions.join('\n')}\n\`\`\``, 90);
    for (const text of chunks.slice(1)) expect(text).toMatch(/^function/);
  });

  it('leaves neither the opening nor the closing line of a fence alone', () => {
    for (const size of [20, 30, 45, 60, 90, 150]) {
      const chunks = texts(`\`\`\`js\n${functions.join('\n\n')}\n\`\`\``, size);
      expect(chunks.filter((text) => text === '```js' || text === '```')).toEqual([]);
    }
  });
});

describe('tables', () => {
  const cell = fc.string({
    unit: fc.constantFrom('a', 'b', '1', ' ', 'é', '😀', '.'),
    minLength: 1,
    maxLength: 30,
  });
  const table = fc
    .tuple(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 0, max: 25 }))
    .chain(([columns, rows]) =>
      fc.array(fc.array(cell, { minLength: columns, maxLength: columns }), {
        minLength: rows + 1,
        maxLength: rows + 1,
      }),
    )
    .map(([head = [], ...body]) => {
      const line = (cells: readonly string[], mark: string): string =>
        `| ${cells.map((text, index) => `${mark}${index} ${text.trim()}`).join(' | ')} |`;
      const rule = `|${'---|'.repeat(head.length)}`;
      return [line(head, 'h'), rule, ...body.map((cells, index) => line(cells, `r${index}c`))].join('\n');
    });

  it('keep every chunk with its context inside the maximum', () => {
    fc.assert(
      fc.property(table, fc.integer({ min: 1, max: 600 }), (text, size) => {
        for (const piece of cut(`# T\n\n${text}`, size)) {
          if (piece.metadata.oversize !== true) expect(indexedText(piece).length).toBeLessThanOrEqual(size);
        }
      }),
      cases(100),
    );
  });

  it('give every chunk of whole rows the header, and lose or double no row', () => {
    fc.assert(
      fc.property(table, fc.integer({ min: 900, max: 1500 }), (text, size) => {
        const [header = '', , ...rows] = text.split('\n');
        fc.pre(2 * (header.length + 60) < size);
        const chunks = cut(text, size);
        for (const piece of chunks) expect(indexedText(piece)).toContain(header);
        expect(chunks.flatMap((piece) => piece.text.split('\n')).filter((row) => row.includes('r'))).toEqual(
          rows,
        );
      }),
      cases(100),
    );
  });

  it('stay whole when they fit', () => {
    const small = '| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |';
    expect(texts(`${lorem(100)}\n\n${small}\n\n${lorem(100)}`, 120)).toContain(small);
  });

  it('have the labels of their columns in the header, also those in the rows below its rule', () => {
    const rows = Array.from({ length: 30 }, (_, at) => `| Costs ${at} | ${at}.5 | (${at}) |`);
    const labels = [
      '|  | Year ended |  |',
      '| --- | --- | --- |',
      '|  | 2019 | 2018 |',
      '|  | (in millions) |  |',
    ];
    for (const chunk of cut([...labels, '|  | 7.5 | 49% |', ...rows].join('\n'), 300).slice(1))
      expect(indexedText(chunk).slice(0, -chunk.text.length).trim()).toBe(labels.join('\n'));
  });

  it('trace the header to where it stands', () => {
    const rows = Array.from({ length: 9 }, (_, index) => `| ${index} | ${'y'.repeat(20)} |`).join('\n');
    const text = `| n | name |\n|---|---|\n${rows}`;
    const contexts = cut(text, 120)
      .slice(1)
      .map(({ context }) => context ?? []);
    expect(contexts.length).toBeGreaterThan(1);
    for (const parts of contexts) {
      expect(parts).toEqual([{ kind: 'table-header', start: 0, end: 22, text: '| n | name |\n|---|---|' }]);
      for (const { start, end, text: part } of parts) expect(text.slice(start, end)).toBe(part);
    }
  });

  it('repeat the value of a cell that spans rows before the rows below', () => {
    const body = Array.from({ length: 9 }, (_, index) => {
      const first = index % 3 === 0 ? `<td rowspan="3">Group ${index / 3}</td>` : '';
      return `<tr>${first}<td>${index} ${'z'.repeat(30)}</td></tr>`;
    });
    const text = `<table>\n<tr><th>Group</th><th>Value</th></tr>\n${body.join('\n')}\n</table>`;
    const chunks = cut(text, 240).filter((piece) => piece.text.includes('zzz'));
    expect(chunks.length).toBeGreaterThan(3);
    for (const piece of chunks) {
      const [, row] = /<td>(\d) z/.exec(piece.text) ?? [];
      expect(indexedText(piece)).toContain(`>Group ${Math.floor(Number(row) / 3)}<`);
      expect(indexedText(piece)).toContain('<th>Value</th>');
      expect(indexedText(piece).length).toBeLessThanOrEqual(240);
    }
  });

  it.each([
    ['lists', '- Figures:\n\n', '  '],
    ['quotes', '', '> '],
  ])('inside %s keep their header', (_, before, prefix) => {
    const rows = Array.from({ length: 20 }, (_, index) => `| r${index} | ${'w'.repeat(20)} |`);
    const lines = ['| key | word |', '|---|---|', ...rows].map((line) => `${prefix}${line}`);
    const chunks = cut(`${before}${lines.join('\n')}`, 200);
    for (const piece of chunks) expect(indexedText(piece)).toContain('| key | word |');
    expect(chunks.flatMap((piece) => piece.text.match(/r\d+/g) ?? [])).toEqual(
      rows.map((row) => row.split(' ')[1]),
    );
  });

  it('take no row below an empty header for one', () => {
    const rows = Array.from({ length: 12 }, (_, at) => `| name ${at} | ${'some words '.repeat(6)} |`);
    const text = `|  |  |\n|---|---|\n${rows.join('\n')}`;
    let start = 0;
    const children = rows.map((row, index): Block => {
      const end = text.indexOf(row) + row.length;
      const middle = text.indexOf('|', end - row.length + 1);
      const block: Block = {
        kind: 'row',
        start: index === 0 ? 0 : start,
        end,
        children: [
          { kind: 'cell', start, end: middle },
          { kind: 'cell', start: middle, end },
        ],
      };
      start = end + 1;
      return block;
    });
    const blocks: Block[] = [{ kind: 'table', start: 0, end: text.length, children }];
    const document = { text, blocks, pages: [], mediaType: 'text/html', warnings: [] };
    const chunks = chunkSync(document, { tier: 'structure', size: 300 });
    expect(chunks.length).toBeGreaterThan(3);
    for (const { context } of chunks) expect(context).toBeUndefined();
  });

  it.each(['| + | - |', '| = | - |', '| += | -= |'])('have signs for names: %s', (head) => {
    const rows = Array.from({ length: 20 }, (_, index) => `| good thing ${index} | bad thing ${index} |`);
    const text = [head, '|---|---|', ...rows].join('\n');
    expect(
      cut(text, 200)
        .at(-1)
        ?.context?.map((part) => part.text),
    ).toEqual([`${head}\n|---|---|`]);
  });

  it('keep the cells of a long row together where they have the same header', () => {
    const header = `<tr><th colspan="2">${'a heading over both '.repeat(14)}</th></tr>`;
    const row = `<tr><td>Key</td><td>${'many words, and more of them; '.repeat(60)}</td></tr>`;
    const chunks = cut(`<table>\n${header}\n${row}\n</table>`, 800);
    const keyed = chunks.find(({ text }) => text.includes('Key'));
    expect(keyed?.text).toContain('many words');
    expect(chunks.length).toBeLessThan(8);
    expect(keyed?.context?.[0]?.text).toContain('over both');
  });

  it('give no header that is blank at its edges', () => {
    const row = (name: string): string =>
      `|${` ${name} |`.repeat(5)}   |  |  |${` ${name} |`.repeat(5)}  |  |`;
    const rule = `|${'---|'.repeat(15)}`;
    const table = [row('column'), rule, row('some words in a cell'), row('and more of them')].join('\n');
    let headers = 0;
    for (let size = 40; size < 300; size += 10) {
      for (const { context = [] } of chunkSync(table, { tier: 'structure', kind: 'markdown', size })) {
        for (const { text } of context) expect(text).toBe(text.trim());
        headers += context.length;
      }
    }
    expect(headers).toBeGreaterThan(100);
  });

  it('that are too wide give each group of cells the header of its own columns', () => {
    const columns = Array.from({ length: 12 }, (_, index) => index);
    const head = `| ${columns.map((column) => `column-${column}-name`).join(' | ')} |`;
    const row = `| ${columns.map((column) => `value-${column}`).join(' | ')} |`;
    const chunks = cut(`${head}\n|${'---|'.repeat(12)}\n${row}`, 120).filter(({ text }) =>
      text.includes('value-'),
    );
    for (const piece of chunks) {
      for (const [, column] of piece.text.matchAll(/value-(\d+)/g)) {
        expect(indexedText(piece)).toContain(`column-${column}-name`);
      }
    }
    expect(
      chunks
        .map(({ text }) => text)
        .join(' ')
        .match(/value-\d+/g),
    ).toHaveLength(12);
  });
});

describe('overlap', () => {
  it('begins with a sentence and is counted', () => {
    const chunks = cut(lorem(3000), 400, 120);
    expect(chunks.filter(({ overlap }) => overlap > 0).length).toBeGreaterThan(chunks.length / 2);
    for (const { text, overlap } of chunks) if (overlap > 0) expect(text).toMatch(/^(?:Nobody|It was)/);
  });

  it('does not reach over a heading', () => {
    const chunks = cut(`# A\n\n${lorem(300)}\n\n# B\n\n${lorem(300)}`, 400, 150);
    expect(chunks.find(({ text }) => text.startsWith('# B'))?.overlap).toBe(0);
  });
});

describe('sizes', () => {
  it('hold with context for any document and any limit', () => {
    fc.assert(
      fc.property(fc.oneof(...Object.values(DOCUMENTS)), limits, (text, given) => {
        for (const piece of chunkSync(text, { tier: 'structure', kind: 'markdown', ...given })) {
          if (piece.metadata.oversize !== true)
            expect(indexedText(piece).length).toBeLessThanOrEqual(given.size);
        }
      }),
      cases(100),
    );
  });

  it('are drawn to the target and not below the minimum', () => {
    const chunks = chunkSync(lorem(20_000), { tier: 'structure', size: 1000, target: 300, min: 200 });
    const mean = chunks.reduce((sum, { text }) => sum + text.length, 0) / chunks.length;
    expect(mean).toBeGreaterThan(250);
    expect(mean).toBeLessThan(350);
    expect(chunks.filter(({ text }) => text.length < 200)).toEqual([]);
  });

  it.each([{ target: 0 }, { target: 1001 }, { min: -1 }, { target: 100, min: 101 }])(
    'refuses the options %j',
    (options) => {
      expect(() => chunkSync('text', { tier: 'structure', ...options })).toThrow(/must be an integer from/);
    },
  );
});

describe('depth', () => {
  it.each([
    ['quotes', '> '.repeat(300_000)],
    ['lists', '- '.repeat(300_000)],
    ['brackets', '['.repeat(300_000)],
    ['nested lists', Array.from({ length: 700 }, (_, depth) => `${' '.repeat(2 * depth)}- x`).join('\n')],
  ])('of %s neither overflows nor loses text', (_, text) => {
    const chunks = cut(`${text}end`);
    let at = 0;
    for (const { start, end } of chunks) {
      expect(text.slice(at, start).trim()).toBe('');
      at = end;
    }
    expect(at).toBe(text.length + 3);
  });
});

it('cuts a list before its items rather than inside one', () => {
  const steps = Array.from(
    { length: 9 },
    (_, at) =>
      `${at + 1}. Do the thing number ${at} with care and patience.\n\n   \`\`\`sh\n   run ${at}\n   \`\`\``,
  ).join('\n\n');
  for (const tier of ['structure', 'professional'] as const) {
    for (const size of [300, 400, 500, 600]) {
      const chunks = chunkSync(`# Install\n\nDo these:\n\n${steps}`, { tier, size, kind: 'markdown' });
      expect(chunks.length).toBeGreaterThan(1);
      for (const { text } of chunks.slice(1)) expect(text).toMatch(/^\d\. Do/);
    }
  }
});
