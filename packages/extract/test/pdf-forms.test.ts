// The order of pages whose stream does not give it: columns between drawn lines, forms that are drawn label by label,
// a title over one of several columns, and icons beside a text.
import { expect, it } from 'vitest';
import { extract } from '../src/index.ts';
import { expectLawful } from './laws.ts';
import { drawLines, setText, writePdf, type SetText } from '@grainline/testing/pdf-writer';

type Edges = readonly [number, number, number, number];

async function read(texts: readonly SetText[], lines: readonly Edges[] = []): Promise<string> {
  const content = `${drawLines(lines)}\n${setText(texts)}`;
  const document = await extract(writePdf({ pages: [{ content }] }), { filename: 'test.pdf' });
  expectLawful(document);
  return document.text;
}

const words = (text: string): string => text.replace(/[\s|-]+/g, ' ').trim();

it('reads columns of labels and values between drawn lines one after the other', async () => {
  const offices = ['Governor', 'Treasurer', 'Assessor', 'Controller', 'Sheriff'];
  const ballot = (prefix: string, x: number, height: number): SetText[] =>
    offices.flatMap((office, block) => {
      const y = 700 - height * block;
      return [
        { x, y, text: `${prefix} ${office}` },
        { x, y: y - 12, text: 'Yes' },
        { x: x + 120, y: y - 12, text: `${block}1` },
        { x, y: y - 24, text: 'No' },
        { x: x + 120, y: y - 24, text: `${block}2` },
      ];
    });
  // From edge to edge, row by row.
  const across = [...ballot('First', 40, 60), ...ballot('Second', 240, 48)].sort(
    (a, b) => b.y - a.y || a.x - b.x,
  );
  const text = words(await read(across, [[220, 400, 220, 720]]));
  const column = (prefix: string): string =>
    offices.map((office, block) => `${prefix} ${office} Yes ${block}1 No ${block}2`).join(' ');
  expect(text).toBe(`${column('First')} ${column('Second')}`);
});

it('keeps rows between drawn lines whose cells have no values of their own', async () => {
  const rows = Array.from({ length: 12 }, (_, row): SetText[] => [
    { x: 40, y: 700 - 20 * row, text: `The term number ${row} of the contract` },
    { x: 240, y: 700 - 20 * row, text: `Its meaning number ${row} in the contract` },
  ]);
  const text = words(await read(rows.flat(), [[230, 450, 230, 720]]));
  expect(text.indexOf('meaning number 0')).toBeLessThan(text.indexOf('term number 1'));
});

it('reads a form whose labels are drawn in any order from above', async () => {
  const labels = Array.from({ length: 24 }, (_, row): SetText => {
    const text = `Field ${String.fromCharCode(65 + row)} of this form`;
    return { x: 40 + ((row * 97) % 230), y: 700 - 24 * row, text };
  });
  const shuffled = labels
    .map((_, at) => labels[(at * 11) % labels.length])
    .filter((one) => one !== undefined);
  expect(words(await read(shuffled))).toBe(words(labels.map(({ text }) => text).join(' ')));
});

it('parts a title from the small text of the next column on its line', async () => {
  const lines = [
    'The river rises in the hills',
    'and runs for sixty miles and',
    'meets the sea in the marshes,',
    'where its water was measured',
    'at nine places, twice a week.',
  ];
  const left = lines.flatMap((text, row) => ({ x: 60, y: 660 - 12 * row, text, size: 9 }));
  const others = [...lines, ...lines].map((text, row) => ({
    x: 219,
    y: 700 - 12 * row,
    text: `${text} ${row}`,
    size: 9,
  }));
  const texts = [{ x: 60, y: 700, text: 'General Instructions', size: 16 }, ...left];
  const rows = [...texts, ...others].sort((a, b) => b.y - a.y || a.x - b.x);
  const text = await read(rows);
  expect(text).not.toContain('Instructions The river');
});

it('puts the letters of an icon before the text that it stands beside', async () => {
  const square = '60 672 30 30 re S';
  const texts: SetText[] = [
    { x: 95, y: 692, text: 'Nonresident aliens who make this election' },
    { x: 95, y: 680, text: 'may forfeit the right to claim benefits' },
    { x: 62, y: 674, text: 'CAUTION', size: 5 },
    { x: 72, y: 684, text: '!', size: 17 },
    { x: 60, y: 664, text: 'otherwise available under a tax treaty, and' },
    { x: 60, y: 652, text: 'cannot change it in a later year.' },
  ];
  const content = `${square}\n${setText(texts)}`;
  const { text } = await extract(writePdf({ pages: [{ content }] }), { filename: 'test.pdf' });
  expect(text.replace(/\n+/g, ' ')).toBe(
    'CAUTION ! Nonresident aliens who make this election may forfeit the right to claim benefits otherwise available under a tax treaty, and cannot change it in a later year.',
  );
});
