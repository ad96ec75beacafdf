// The values of form fields beside their labels. The writer sets field n at x 50 to 250 and y 50 + 30n to 70 + 30n.
import { assert, asyncProperty, integer, record, uniqueArray } from 'fast-check';
import { expect, it } from 'vitest';
import { cases } from '@grainline/testing/cases';
import { drawLines, setText, writePdf, type SetText } from '@grainline/testing/pdf-writer';
import { extract } from '../src/index.ts';
import { expectLawful } from './laws.ts';

async function textOf(
  texts: readonly SetText[],
  fields: Readonly<Record<string, string>>,
  drawn = '',
): Promise<string> {
  const document = await extract(writePdf({ pages: [{ content: `${setText(texts)}\n${drawn}`, fields }] }), {
    lines: 'keep',
  });
  expectLawful(document);
  return document.text;
}
const PROSE = { x: 50, y: 700, text: 'This form is to be filled in by the owner of the boat.' };
const label = (text: string, field: number, x = 12): SetText => ({ x, y: 55 + 30 * field, text });

it('are on the line of a label at their left, in the order of the page', async () => {
  const labels = [label('Town', 1), label('Name', 0)];
  const text = await textOf([PROSE, ...labels], { name: 'Ada', town: 'London' });
  expect(text.split(/\n+/)).toEqual([PROSE.text, 'Town London', 'Name Ada']);
});

it('are before a label at their right', async () => {
  const text = await textOf([PROSE, label('persons', 0, 260)], { count: '14' });
  expect(text.split(/\n+/)).toEqual([PROSE.text, '14 persons']);
});

it.each([
  ['above', 78, ['Name of the owner', 'Ada']],
  ['below', 34, ['Ada', 'Name of the owner']],
])('are next to a label %s them', async (_, y, text) => {
  const found = await textOf([PROSE, { x: 50, y, text: 'Name of the owner' }], { name: 'Ada' });
  expect(found.split(/\n+/)).toEqual([PROSE.text, ...text]);
});

it('of several lines stay together below their label', async () => {
  const found = await textOf([PROSE, { x: 50, y: 78, text: 'Address' }], { address: 'Quay 4\nBath' });
  expect(found.replaceAll(/\s+/g, ' ')).toBe(`${PROSE.text} Address Quay 4 Bath`);
});

it('fill the cells of a ruled table', async () => {
  const rows = [0, 1, 2].flatMap((row) => label(['Name', 'Town', 'Boat'][row]!, row, 12));
  const levels = [45, 75, 105, 135].map((y) => [10, y, 260, y] as const);
  const uprights = [10, 46, 260].map((x) => [x, 45, x, 135] as const);
  const fields = { a: 'Ada', b: 'London', c: 'Ariel' };
  const text = await textOf([PROSE, ...rows.toReversed()], fields, drawLines([...levels, ...uprights]));
  expect(text).toContain('| Boat | Ariel |');
  expect(text).toContain('| Town | London |');
  expect(text).toContain('| Name | Ada |');
});

it('are all in the text once, wherever their labels are', async () => {
  // Labels on top of each other are one word of both, as for any eye.
  const place = record({ x: integer({ min: 0, max: 8 }), y: integer({ min: 2, max: 78 }) });
  const apart = { maxLength: 12, selector: ({ x, y }: { x: number; y: number }) => `${x} ${y}` };
  await assert(
    asyncProperty(uniqueArray(place, apart), integer({ min: 1, max: 5 }), async (places, count) => {
      const names = Array.from({ length: count }, (_, at) => `value${at}`);
      const fields = Object.fromEntries(names.map((name) => [name, `${name}x`]));
      const texts = places.map(({ x, y }, at) => ({ x: x * 60, y: y * 10, text: `label${at}` }));
      const text = await textOf([PROSE, ...texts], fields);
      for (const name of names) expect(text.split(`${name}x`)).toHaveLength(2);
      for (const at of places.keys()) expect(text).toContain(`label${at}`);
    }),
    cases(40),
  );
});
