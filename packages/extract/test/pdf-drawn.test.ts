// Tables told by the lines drawn around their cells: where those are drawn, and what they leave open.
import { describe, expect, it } from 'vitest';
import { extract } from '../src/index.ts';
import { expectLawful } from './laws.ts';
import { drawLines, setText, writePdf, type PdfSpec, type SetText } from '@grainline/testing/pdf-writer';

async function read(spec: PdfSpec): Promise<string> {
  const document = await extract(writePdf(spec), { filename: 'test.pdf' });
  expectLawful(document);
  return document.text;
}

/** A frame around columns and rows, with a line at each border. */
const frame = (xs: readonly number[], ys: readonly number[]): string =>
  drawLines([
    ...ys.map((y) => [xs[0] ?? 0, y, xs.at(-1) ?? 0, y] as const),
    ...xs.map((x) => [x, ys[0] ?? 0, x, ys.at(-1) ?? 0] as const),
  ]);

/** Cells of one or more lines, each from its top. */
const cell = (x: number, y: number, ...lines: readonly string[]): SetText[] =>
  lines.map((text, row) => ({ x, y: y - 11 * row, text, size: 9 }));

const rowsOf = (text: string): string[] => text.split('\n').filter((line) => line.startsWith('|'));

it('lines are read where the whole page is one form, and not where a form is a figure', async () => {
  const drawing = frame([50, 150, 300], [700, 680, 660, 640]);
  const labels = [
    ...cell(60, 688, 'Place'),
    ...cell(152, 688, 'What it is'),
    ...cell(60, 668, 'Ford'),
    ...cell(152, 668, 'shallow, of stones'),
    ...cell(60, 648, 'Mill'),
    ...cell(152, 648, 'deep, of planks'),
  ];
  const texts = setText(labels);
  const form = (content: string): Record<number, string> => ({
    5:
      `<</Type/XObject/Subtype/Form/BBox[0 0 600 800]/Matrix[1 0 0 1 -10 -20]/Resources<</Font<</F 3 0 R>>>>` +
      `/Length ${content.length}>>\nstream\n${content}\nendstream`,
  });
  const page = 'q 1 0 0 1 10 20 cm /P Do Q';
  expect(rowsOf(await read({ pages: [{ content: page }], objects: form(`${drawing}\n${texts}`) }))).toEqual([
    '| Place | What it is |',
    '| --- | --- |',
    '| Ford | shallow, of stones |',
    '| Mill | deep, of planks |',
  ]);
  const figure = await read({
    pages: [{ content: `${page}\n${setText(labels.slice(0, 4))}` }],
    objects: form(drawing),
  });
  expect(rowsOf(figure)).toEqual([]);
});

describe('cells that no line parts', () => {
  const header = [...cell(60, 688, 'Name'), ...cell(172, 688, 'Type'), ...cell(222, 688, 'Meaning')];
  const drawing = frame([50, 170, 220, 420], [700, 680, 600]);

  it('are rows where labels stand beside labels, further apart than lines', async () => {
    const texts = [
      ...header,
      ...['width', 'depth', 'mouth', 'speed'].flatMap((name, row) =>
        cell(60, 668 - [0, 11, 33, 55][row]!, name),
      ),
      ...['real', 'real', 'place', 'real'].flatMap((type, row) =>
        cell(172, 668 - [0, 11, 33, 55][row]!, type),
      ),
      ...cell(
        222,
        668,
        'From bank to bank',
        'Where it is deepest, told',
        'in fathoms',
        'Where it ends, by',
        'degrees',
        'Of the water',
      ),
    ];
    expect(rowsOf(await read({ pages: [{ content: `${drawing}\n${setText(texts)}` }] })).slice(2)).toEqual([
      '| width | real | From bank to bank |',
      '| depth | real | Where it is deepest, told in fathoms |',
      '| mouth | place | Where it ends, by degrees |',
      '| speed | real | Of the water |',
    ]);
  });

  it('are one row where their texts are as long, in a table that has its rows ruled', async () => {
    const ys = [700, 680, 660, 640, 620, 580];
    const texts = [
      ...cell(60, 688, 'Name'),
      ...cell(172, 688, 'Meaning'),
      ...['ford', 'mill', 'bank'].flatMap((name, row) => [
        ...cell(60, 668 - 20 * row, name),
        ...cell(172, 668 - 20 * row, 'where it stands'),
      ]),
      ...cell(60, 610, 'the lists', 'of places', 'and banks'),
      ...cell(172, 610, 'are told at', 'the end of', 'this report'),
    ];
    const content = `${frame([50, 170, 320], ys)}\n${setText(texts)}`;
    expect(rowsOf(await read({ pages: [{ content }] })).at(-1)).toBe(
      '| the lists of places and banks | are told at the end of this report |',
    );
  });

  it('may hold a line that is justified, its words far apart', async () => {
    const texts = [
      ...cell(60, 688, 'Group'),
      ...cell(172, 688, 'Requests'),
      ...cell(60, 668, 'Special'),
      ...cell(172, 668, 'INIT, DESTROY'),
      ...cell(60, 648, 'Directory'),
      ...['MKDIR,', 'RMDIR,', 'OPEN,', 'RE-'].flatMap((word, at) => cell(172 + 50 * at, 648, word)),
      ...cell(172, 637, 'LEASE, READ'),
    ];
    const content = `${frame([50, 170, 400], [700, 680, 660, 630])}\n${setText(texts)}`;
    const rows = rowsOf(await read({ pages: [{ content }] }));
    expect(rows).toHaveLength(4);
    expect(rows.at(-1)).toBe('| Directory | MKDIR, RMDIR, OPEN, RELEASE, READ |');
  });
});
