// Bold paragraphs as headings: which ones are, and where a document keeps them as text.
import { describe, expect, it } from 'vitest';
import { para, run, styled, writeDocx } from '@grainline/testing/docx-writer';
import { expectLawful } from '../../test/laws.ts';
import { extract } from '../extract.ts';

const bold = (text: string): string => para(run(text, '<w:b/>'));
const plain = (text = 'It is described here at some length, and in words that end a sentence.'): string =>
  para(run(text));
const section = (title: string): string => bold(title) + plain() + plain();
const cell = (content: string): string => `<w:tc>${content}</w:tc>`;
const frame = (...cells: string[]): string =>
  `<w:tbl>${cells.map((content) => `<w:tr>${cell(content)}</w:tr>`).join('')}</w:tbl>`;

/** The headings of a document, with their depth, and its text. */
async function read(body: string): Promise<{ readonly headings: string[]; readonly text: string }> {
  const document = await extract(writeDocx({ body }), { filename: 'a.docx' });
  expectLawful(document);
  const headings = document.blocks.filter(({ kind }) => kind === 'heading');
  return { text: document.text, headings: headings.map(({ start, end }) => document.text.slice(start, end)) };
}

describe('a bold paragraph', () => {
  it.each([
    [
      ['STEP 1:', 'Step 2: ', '2. Biographic Data'],
      ['# STEP 1:', '# Step 2:', '## 2. Biographic Data'],
    ],
    [
      ['Job Summary:', 'Who May Be Considered?'],
      ['# Job Summary:', '# Who May Be Considered?'],
    ],
    [
      ['ROLE OF THE TRUSTEE', 'Duties'],
      ['# ROLE OF THE TRUSTEE', '## Duties'],
    ],
  ])('that stands alone above a text is a heading: %j', async (titles, headings) => {
    expect((await read(titles.map(section).join(''))).headings).toEqual(headings);
  });

  it.each([
    ['a sentence', 'You must sign it.'],
    ['a label with its value', 'Agency: Harbour Office'],
    ['a line to fill in', '_____'],
    ['an equation with its value', 'Chi-square = 1.52'],
    ['a date', 'Bath, 11-01-2012'],
    ['too long', 'Word '.repeat(30)],
  ])('that is %s stays text', async (_, text) => {
    expect((await read(section('One') + section('Two') + section(text))).headings).toEqual([
      '# One',
      '# Two',
    ]);
  });

  it('may be longer with a number', async () => {
    const title = `Art. 102. [${'Entry in the register of harbours '.repeat(3)}]`;
    expect((await read(section('One') + section(title))).headings).toEqual(['# One', `# ${title}`]);
  });

  it('may be plain in numbered capitals', async () => {
    const capitals = plain('A. PURPOSE') + plain() + plain('B. ROLE OF THE TRUSTEE') + plain();
    expect((await read(section('CHAPTER 1') + capitals)).headings).toEqual([
      '# CHAPTER 1',
      '## A. PURPOSE',
      '## B. ROLE OF THE TRUSTEE',
    ]);
    expect((await read(plain('A. Purpose') + plain() + plain('UN. USA') + plain())).headings).toEqual([]);
  });

  it('at the end, or right above other bold lines, stays text', async () => {
    const address = bold('Harbour Office') + bold('Quay 4, Bath.') + plain();
    expect((await read(section('One') + section('Two') + address + bold('Signed'))).headings).toEqual([
      '# One',
      '# Two',
    ]);
  });

  it('with plain words behind it stays text', async () => {
    const mixed = para(run('Note', '<w:b/>') + run(' that this is none'));
    expect((await read(section('One') + section('Two') + mixed + plain())).headings).toHaveLength(2);
  });

  it('in a frame is the heading of the cell below', async () => {
    const body = frame(bold('Major Duties:'), plain() + plain(), bold('Benefits:'), plain() + plain());
    expect((await read(plain() + body)).headings).toEqual(['# Major Duties:', '# Benefits:']);
  });

  it('in a table of values or in a list stays text', async () => {
    const row = `<w:tr>${cell(bold('Height'))}${cell(plain('4 m'))}</w:tr>`;
    const table = `<w:tbl><w:tblPr><w:tblBorders><w:insideH w:val="single"/></w:tblBorders></w:tblPr>${row.repeat(3)}</w:tbl>`;
    expect((await read(section('One') + section('Two') + table)).headings).toHaveLength(2);
  });
});

describe('a document', () => {
  it.each([
    ['with headings of its own', styled('Heading1', 'Real') + section('One') + section('Two')],
    ['with a single bold line', section('One') + plain()],
    [
      'in bold type for the most part',
      'ABCDEF'
        .split('')
        .map((name) => bold(`Line ${name}`) + plain())
        .join(''),
    ],
  ])('%s keeps them as text', async (_, body) => {
    const { headings } = await read(body);
    expect(headings.filter((heading) => heading !== '# Real')).toEqual([]);
  });
});
