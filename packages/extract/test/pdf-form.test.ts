// The values of form fields beside their labels. The writer sets field n at x 50 to 250 and y 50 + 30n to 70 + 30n.
import { assert, asyncProperty, integer, record, uniqueArray } from 'fast-check';
import { expect, it } from 'vitest';
import { cases } from '@grainline/testing/cases';
import { drawLines, type PdfSpec, setText, writePdf, type SetText } from '@grainline/testing/pdf-writer';
import { taggedPdf } from '@grainline/testing/tagged-pdf';
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

type Edges = readonly [left: number, bottom: number, right: number, top: number];

const widget = (edges: Edges, entries: string): string =>
  `<</Type/Annot/Subtype/Widget/F 4/Rect[${edges.join(' ')}]/P 10 0 R${entries}>>`;
const box = (edges: Edges, name: string, isOn: boolean, more = ''): string =>
  widget(
    edges,
    `/FT/Btn/T(${name})/V/${isOn ? 'On' : 'Off'}/AS/${isOn ? 'On' : 'Off'}/AP<</N<</On 890 0 R/Off 890 0 R>>>>${more}`,
  );

/** A form of fields by their dictionaries; object 891 shows the text of an appearance. */
function writeForm(spec: PdfSpec, fields: readonly string[], shown = ''): Uint8Array {
  const numbers = fields.map((_, at) => `${900 + at} 0 R`).join(' ');
  const drawn = `/Tx BMC BT /F 10 Tf 2 4 Td (${shown}) Tj ET EMC`;
  const form = (text: string): string =>
    `<</Type/XObject/Subtype/Form/BBox[0 0 200 20]/Resources<</Font<</F 3 0 R>>>>/Length ${text.length}>>\nstream\n${text}\nendstream`;
  return writePdf({
    ...spec,
    pages: spec.pages.map((page, at) =>
      at === 0 ? { ...page, entries: `${page.entries ?? ''}/Annots[${numbers}]` } : page,
    ),
    catalog: `${spec.catalog ?? ''}/AcroForm<</Fields[${numbers}]/DR<</Font<</F 3 0 R>>>>/DA(/F 10 Tf)>>`,
    objects: {
      ...spec.objects,
      890: form(''),
      891: form(drawn),
      ...Object.fromEntries(fields.map((field, at) => [900 + at, field])),
    },
  });
}

async function formOf(texts: readonly SetText[], fields: readonly string[], shown?: string): Promise<string> {
  const content = setText([PROSE, ...texts]);
  const document = await extract(writeForm({ pages: [{ content }] }, fields, shown), { lines: 'keep' });
  expectLawful(document);
  return document.text.slice(PROSE.text.length).trim();
}

it('of boxes and radio buttons are signs beside the nearer words of their row', async () => {
  const texts = [
    { x: 50, y: 500, text: 'Married?' },
    { x: 116, y: 500, text: 'Yes' },
    { x: 156, y: 500, text: 'No' },
    { x: 50, y: 460, text: 'I agree' },
    { x: 300, y: 460, text: 'An option without a box' },
  ];
  const radio = 1 << 15;
  const text = await formOf(texts, [
    box([104, 498, 113, 507], 'yes', true, `/Ff ${radio}`),
    box([144, 498, 153, 507], 'no', false, `/Ff ${radio}`),
    box([86, 458, 95, 467], 'agree', true),
    box([86, 458, 95, 467], 'hidden', true, '/F 2'),
    box([500, 100, 509, 109], 'nowhere', true),
  ]);
  expect(text.split(/\n+/)).toEqual(['Married? ☒ Yes ☐ No', 'I agree ☒ An option without a box']);
});

it('are shown as a script has formatted them, and otherwise as they were typed', async () => {
  const texts = [{ x: 12, y: 505, text: 'Date' }];
  const field = (more: string): string =>
    widget([50, 500, 250, 520], `/FT/Tx/T(date)/V(2024-03-01)/AP<</N 891 0 R>>${more}`);
  const script = '/AA<</F<</S/JavaScript/JS(AFDate_FormatEx\\("mmm d, yyyy"\\))>>>>';
  expect(await formOf(texts, [field(script)], 'Mar 1, 2024')).toBe('Date Mar 1, 2024');
  expect(await formOf(texts, [field('')], 'of an older value')).toBe('Date 2024-03-01');
  expect(await formOf(texts, [field(script)], '')).toBe('Date 2024-03-01');
});

it('of choices are the labels of the chosen options', async () => {
  const texts = [
    { x: 12, y: 505, text: 'Land' },
    { x: 12, y: 455, text: 'Isles' },
  ];
  const text = await formOf(texts, [
    widget([50, 500, 250, 520], '/FT/Ch/Ff 131072/T(land)/V(de)/Opt[[(fr)(France)][(de)(Germany)]]'),
    widget(
      [50, 430, 250, 470],
      '/FT/Ch/Ff 2097152/T(isles)/V[(a)(c)]/Opt[[(a)(Arran)][(b)(Bute)][(c)(Coll)]]',
    ),
  ]);
  expect(text.split(/\n+/)).toEqual(['Land Germany', 'Isles Arran, Coll']);
});

it('stand beside their labels on a page with a structure tree', async () => {
  const tagged = taggedPdf({
    tags: [
      { type: 'H1', children: [{ x: 50, y: 740, text: 'Form for boats' }] },
      { type: 'P', children: [PROSE] },
      { type: 'P', children: [{ x: 12, y: 505, text: 'Name' }] },
      { type: 'P', children: [{ x: 66, y: 460, text: 'I agree to all of it' }] },
    ],
  });
  const fields = [
    widget([50, 500, 250, 520], '/FT/Tx/T(name)/V(Ada)'),
    box([50, 458, 60, 468], 'agree', true),
    widget([50, 100, 250, 120], '/FT/Tx/T(rest)/V(apart)'),
  ];
  const { text } = await extract(writeForm(tagged, fields));
  expect(text.split(/\n+/)).toEqual([
    '# Form for boats',
    PROSE.text,
    'Name Ada',
    '☒ I agree to all of it',
    'apart',
  ]);
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
