import { describe, expect, it } from 'vitest';
import { chunk, indexedText } from './chunk.ts';
import { embeddedText } from './embedded-text.ts';

const TIDES = [
  '| Pier | Low water | High water |',
  '| --- | ---: | :-: |',
  '| North | 3 m | 9 m |',
  '| South | | 8 m |',
];

describe('embeddedText', () => {
  it('names the values of a table by its columns, and keeps the text around it', () => {
    expect(embeddedText(['## Tides', '', ...TIDES, '', 'A remark | with a bar.'].join('\n'))).toBe(
      '## Tides\n\nNorth, Low water: 3 m, High water: 9 m\nSouth, High water: 8 m\n\nA remark | with a bar.',
    );
  });

  it('reads the labels below a header as part of the names, and no row behind the first values', () => {
    const report = [
      '|  | Year ended |  |',
      '|---|---|---|',
      '|  | 2019 | 2018 |',
      '| Land | 7 | 5 |',
      '|  | 12 | 9 |',
      '|  | note | note |',
    ];
    expect(embeddedText(report.join('\n'))).toBe(
      'Land, Year ended 2019: 7, 2018: 5\nYear ended 2019: 12, 2018: 9\nYear ended 2019: note, 2018: note',
    );
  });

  it('names rows by a header that is their context', () => {
    const [head = '', rule = '', ...rows] = TIDES;
    expect(embeddedText(`Guide\n${head}\n${rule}\n\n${rows.join('\n')}`)).toBe(
      'Guide\n\nNorth, Low water: 3 m, High water: 9 m\nSouth, High water: 8 m',
    );
  });

  it('names nothing by the header of another table', () => {
    expect(embeddedText(`${TIDES.join('\n')}\n\n| a | b |`)).toMatch(/\n\na, b$/);
    expect(embeddedText(`${TIDES.slice(0, 2).join('\n')}\nText.\n| a | b |`)).toBe(
      'Pier, Low water, High water\nText.\na, b',
    );
  });

  it('keeps the words of all cells where names would make the text too long', () => {
    const name = 'The depth of the water at the lowest tide of the year';
    const rows = Array.from({ length: 20 }, (_, pier) => `| Pier ${pier} | ${pier + 3} | — |`);
    const text = ['| Pier | ' + name + ' | Remark |', '|-|-|-|', ...rows].join('\n');
    const short = embeddedText(text);
    expect(short.split('\n')).toEqual([
      `Pier ${name} Remark`,
      ...rows.map((_, pier) => `Pier ${pier} ${pier + 3}`),
    ]);
    expect(short.length).toBeLessThan(text.length);
  });

  it('keeps escaped bars in their cells, and code and text without a table as they are', () => {
    expect(embeddedText('| Sign | Use |\n|-|-|\n| `a \\| b` | or |')).toBe('`a \\| b`, Use: or');
    for (const text of [
      '',
      'Plain text.\nOf two lines.',
      '```\n| a | b |\n|---|---|\n| c | d |\n```',
      'a | b\n--|--\nc | d',
    ])
      expect(embeddedText(text)).toBe(text);
  });

  it('has the names of a table without rows, and is never blank', () => {
    expect(embeddedText('| Pier | Depth |\n|---|---|')).toBe('Pier, Depth');
    expect(embeddedText('| Pier | Depth |\n|---|---|\n| | |\n\n| A |\n|---|\n| b |')).toBe(
      'Pier, Depth\n\nb',
    );
    for (const text of ['|', '| | |\n|---|---|', '| | |\n|---|---|\n| | |', '| - | - |\n| - | - |'])
      expect(embeddedText(text)).toBe(text);
  });

  it('reads dashes below a row as missing values, and ticks and signs as content', () => {
    const rows = ['| Pier | Depth |', '|---|---|', '| North | 3 m |', '| - | - |', '| South | ✓ |'];
    expect(embeddedText(rows.join('\n'))).toBe('North, Depth: 3 m\nSouth, Depth: ✓');
    const long = [...rows, '| `&&` | 😀 | — | $ |', `| ${'x'.repeat(900)} | |`];
    expect(embeddedText(long.join('\n'))).toMatch(/^Pier Depth\nNorth 3 m\nSouth ✓\n`&&` 😀\nx+$/);
  });

  it('ends code at the fence that began it, and lines at a return', () => {
    const [table, code] = ['| a | b |\n|-|-|\n| 1 | 2 |', '```\n~~~\n| a |\n~~~\n``` x\n| b |\n```\n'];
    expect(embeddedText(`${code}${table}`)).toBe(`${code}1, b: 2`);
    expect(embeddedText('```a``` b\n' + table)).toBe('```a``` b\n1, b: 2');
    expect(embeddedText('| a | b |\r\n|-|-|\r\n\r\n| 1 | 2 |\r\n')).toBe('\r\n1, b: 2\n');
  });

  it('is linear in rows, cells and blanks', () => {
    for (const text of [
      '|'.repeat(300_000),
      '| a '.repeat(100_000),
      '|-|\n'.repeat(100_000),
      `| a |${' '.repeat(300_000)}x`,
      '`'.repeat(300_000) + '`x`\n| a |',
      '| a |\n|-|\n\n'.repeat(50_000),
      `| a | b |\n|-|-|\n${'| | 2019 |\n'.repeat(30_000)}`,
    ])
      expect(embeddedText(text).length).toBeLessThanOrEqual(text.length);
  });

  it('is the text that a call with embeddings gives to the embedder', async () => {
    const sent: string[] = [];
    const embed = (texts: readonly string[]) => {
      sent.push(...texts);
      return Promise.resolve(texts.map(({ length }) => [1, length]));
    };
    const text = `# Guide\n\n${TIDES.join('\n')}`;
    const chunks = await chunk(text, { tier: 'semantic', embed, embeddings: true });
    expect(chunks.map(({ text: own }) => own)).toEqual([text]);
    expect(sent).toContain(embeddedText(indexedText(chunks[0]!)));
    expect(sent).not.toContain(text);
  });
});
