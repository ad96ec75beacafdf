// The chunks of every fixture by every tier, as text for a review: one file per fixture and tier. After an intended
// change, `npm run golden` renews them, and the difference shows its effect.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Chunk, chunk, type Document, documentFromText, type TierId } from '@grainline/core';
import { extract } from '@grainline/extract';
import { describe, expect, it } from 'vitest';
import { optionsOf, REPEATABLE_TIERS } from '../options-of.ts';
import {
  driftNotebook,
  letter,
  memorandum,
  openSoundings,
  outlookLetter,
  pilotBook,
  soundings,
  soundingsText,
} from './kinds.ts';
import { writeDocx } from '@grainline/testing/docx-writer';
import {
  openCell,
  openFrame,
  openHeading,
  openList,
  openPage,
  openPara,
  openRow,
  writeOpenDocument,
} from '@grainline/testing/open-document-writer';
import { writePdf } from '@grainline/testing/pdf-writer';
import {
  slideFrame,
  slidePara,
  slideShape,
  slideTable,
  slideTitle,
  writePptx,
} from '@grainline/testing/pptx-writer';

const FIXTURES = join(import.meta.dirname, 'fixtures');
/** A small size, so that a fixture of one page reaches a tier's limit. */
const SIZE = 320;

/** The documents, by the names of their golden files. */
const DOCUMENTS: Readonly<Record<string, () => Promise<Document> | Document>> = {
  'report.md': () => file('report.md'),
  'interview.txt': () => file('interview.txt'),
  'rules.txt': () => file('rules.txt'),
  'visit.html': () => file('visit.html'),
  'tides-zh-ja.txt': () => file('tides-zh-ja.txt'),
  'tide-table.md': () => file('tide-table.md'),
  'drift.py': () =>
    documentFromText(readFileSync(join(FIXTURES, 'drift.py'), 'utf8'), {
      kind: 'code',
      filename: 'drift.py',
    }),
  'survey.pdf': () => extract(survey(), { filename: 'survey.pdf' }),
  'notice.docx': () => extract(notice(), { filename: 'notice.docx' }),
  'briefing.pptx': () => extract(briefing(), { filename: 'briefing.pptx' }),
  'briefing.odp': () => extract(openBriefing(), { filename: 'briefing.odp' }),
  'orders.odt': () => extract(orders(), { filename: 'orders.odt' }),
  'soundings.xlsx': () => extract(soundings(), { filename: 'soundings.xlsx' }),
  'soundings.ods': () => extract(openSoundings(), { filename: 'soundings.ods' }),
  'soundings.csv': () => extract(bytesOf(soundingsText()), { filename: 'soundings.csv' }),
  'letter.eml': () => extract(letter(), { filename: 'letter.eml' }),
  'letter.msg': () => extract(outlookLetter(), { filename: 'letter.msg' }),
  'pilots.epub': () => extract(pilotBook(), { filename: 'pilots.epub' }),
  'drift.ipynb': () => extract(bytesOf(driftNotebook()), { filename: 'drift.ipynb' }),
  'memorandum.rtf': () => extract(bytesOf(memorandum()), { filename: 'memorandum.rtf' }),
};

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function file(filename: string): Promise<Document> {
  return extract(readFileSync(join(FIXTURES, filename)), { filename });
}

function survey(): Uint8Array {
  const lines = [
    ['Survey of the bar', '', 'The bar was sounded on 4 May, at low water, from the survey boat Alma.'],
    ['The least depth was 6.1 m, on the line between the two beacons. A year', 'ago it was 6.4 m.'],
    ['East of the line the bank has moved towards the channel by some 20 m.', 'It should be dredged.'],
  ];
  return writePdf({ title: 'Survey of the bar', pages: lines.map((page) => ({ lines: page })) });
}

function notice(): Uint8Array {
  const paragraph = (text: string, style?: string): string => {
    const properties = style === undefined ? '' : `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`;
    return `<w:p>${properties}<w:r><w:t>${text}</w:t></w:r></w:p>`;
  };
  const row = (...cells: string[]): string =>
    `<w:tr>${cells.map((text) => `<w:tc>${paragraph(text)}</w:tc>`).join('')}</w:tr>`;
  const heading = (depth: number): string =>
    `<w:style w:type="paragraph" w:styleId="Heading${depth}"><w:name w:val="heading ${depth}"/></w:style>`;
  return writeDocx({
    styles: heading(1) + heading(2),
    body: [
      paragraph('Notice to mariners 17', 'Heading1'),
      paragraph('The light on the west beacon is out of order. It will be replaced in June.'),
      paragraph('Lights nearby', 'Heading2'),
      paragraph('Until then, use these:'),
      `<w:tbl>${row('Light', 'Character', 'Range')}${row('East beacon', 'Fl 4s', '8 M')}${row('Pier head', 'Q R', '5 M')}</w:tbl>`,
      paragraph('Dredging', 'Heading2'),
      paragraph(
        'The dredger Marta works east of the channel until 30 June. Pass her on the side of the green lights.',
      ),
    ].join(''),
  });
}

const DREDGING = [
  'The dredger Marta works east of the channel until 30 June.',
  'Pass her on the side of the green lights, and slowly.',
  'Her crew answers on channel 12 at any hour.',
];

function briefing(): Uint8Array {
  const bullets = DREDGING.map((text, level) =>
    slidePara(text, { level: Math.min(1, level), properties: '<a:buChar char="•"/>' }),
  );
  return writePptx({
    slides: [
      { shapes: slideShape('Briefing of pilots', { placeholder: 'ctrTitle' }) },
      {
        shapes:
          slideTitle('Dredging') +
          slideShape(bullets.join(''), { placeholder: 'body' }) +
          slideShape('Harbour office', { placeholder: 'ftr' }),
        notes: slideShape('Ask who has seen her lights at night.', { placeholder: 'body' }),
      },
      {
        shapes:
          slideTitle('Lights') +
          slideFrame(
            slideTable(
              [
                ['Light', 'Range'],
                ['East beacon', '8 M'],
                ['Pier head', '5 M'],
              ],
              'firstRow="1"',
            ),
          ),
      },
    ],
  });
}

function openBriefing(): Uint8Array {
  const title = (text: string): string => openFrame(openPara(text), { placeholder: 'title' });
  return writeOpenDocument({
    kind: 'presentation',
    body:
      openPage(
        title('Briefing of pilots') + openFrame(openPara('Harbour office'), { placeholder: 'subtitle' }),
      ) +
      openPage(
        title('Dredging') +
          openFrame(openList(DREDGING.map((text) => openPara(text))), { placeholder: 'outline' }),
      ),
  });
}

function orders(): Uint8Array {
  const row = (...cells: string[]): string => openRow(cells.map((text) => openCell(text)));
  return writeOpenDocument({
    kind: 'text',
    body:
      openHeading(1, 'Standing orders') +
      openPara(
        'These orders hold for all pilots of the harbour. They are read to each at the beginning of a year.',
      ) +
      openHeading(2, 'Dredging') +
      openList(DREDGING.map((text) => openPara(text))) +
      openHeading(2, 'Lights') +
      `<table:table><table:table-header-rows>${row('Light', 'Range')}</table:table-header-rows>${row('East beacon', '8 M')}${row('Pier head', '5 M')}</table:table>`,
  });
}

/** Every boundary, offset, path and injected word, with a bar before each line of the chunk. */
function written(name: string, tier: TierId, document: Document, chunks: readonly Chunk[]): string {
  const count = `${chunks.length} ${chunks.length === 1 ? 'chunk' : 'chunks'}`;
  const head = `${name} · ${tier} · size ${SIZE} · ${document.text.length} characters · ${count}\n`;
  return head + chunks.map(writtenChunk).join('');
}

function writtenChunk({ text, start, end, overlap, context = [], metadata }: Chunk, index: number): string {
  const { headingPath, blockKinds, pageStart, pageEnd, oversize } = metadata;
  const facts = [
    `${index}`,
    `${start}–${end}`,
    `${end - start}`,
    ...(overlap > 0 ? [`repeats ${overlap}`] : []),
    ...(pageStart === undefined
      ? []
      : [`page ${pageStart === pageEnd ? pageStart : `${pageStart}–${pageEnd}`}`]),
    ...(blockKinds === undefined ? [] : [blockKinds.join(', ')]),
    ...(headingPath === undefined ? [] : [headingPath.join(' > ')]),
    ...(oversize === undefined ? [] : ['oversize']),
  ];
  const injected = context.flatMap((part) =>
    part.text.split('\n').map((line) => `» ${part.kind} ${part.start}–${part.end}: ${line}\n`),
  );
  const lines = text.split('\n').map((line) => (line === '' ? '│\n' : `│ ${line}\n`));
  return `\n── ${facts.join(' · ')}\n${injected.join('')}${lines.join('')}`;
}

const TIER_IDS = REPEATABLE_TIERS;
const goldenName = (name: string, tier: string): string => `${name}.${tier}.txt`;

describe.each(Object.entries(DOCUMENTS))('%s', (name, read) => {
  it.each(TIER_IDS)('by %s is cut as it was', async (tier) => {
    const document = await read();
    const chunks = await chunk(document, { size: SIZE, ...(await optionsOf(tier)) });
    await expect(written(name, tier, document, chunks)).toMatchFileSnapshot(
      `expected/${goldenName(name, tier)}`,
    );
  });
});

it('no golden file is of a fixture or a tier that is gone', () => {
  const known = Object.keys(DOCUMENTS).flatMap((name) => TIER_IDS.map((tier) => goldenName(name, tier)));
  const present = readdirSync(join(import.meta.dirname, 'expected'));
  expect(present.filter((name) => !known.includes(name))).toEqual([]);
});
