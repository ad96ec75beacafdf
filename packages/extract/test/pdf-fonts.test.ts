// The description of a font, and the substitutes for a missing or wrong one.
import { expect, it } from 'vitest';
import type { Document } from '@grainline/core';
import { extract } from '../src/index.ts';
import { expectLawful } from './laws.ts';
import { setText, writePdf, type PdfSpec } from '@grainline/testing/pdf-writer';

async function readPdf(spec: PdfSpec): Promise<Document> {
  const document = await extract(writePdf(spec), { filename: 'test.pdf' });
  expectLawful(document);
  return document;
}

/** A font whose stems are 148 units thick, of which PDFium makes the weight 732. */
const thick = (name: string, stems = 148): Record<number, string> => ({
  3:
    `<</Type/Font/Subtype/Type1/BaseFont/${name}/Encoding/WinAnsiEncoding/FirstChar 32/LastChar 126` +
    `/Widths[${'500 '.repeat(95)}]/FontDescriptor 900 0 R>>`,
  900: `<</Type/FontDescriptor/FontName/${name}/Flags 4/StemV ${stems}/ItalicAngle 0/Ascent 700/Descent -200/CapHeight 700/FontBBox[0 -200 1000 700]>>`,
});

it('a plain cut is not bold, however thick its stems are said to be', async () => {
  const texts = [
    { x: 60, y: 740, text: 'SYNOPSIS', font: 'B', size: 10.5 },
    ...[728, 716, 704].map((y) => ({
      x: 60,
      y,
      text: 'The water of the river was measured at nine places.',
    })),
    { x: 60, y: 680, text: 'Sources', font: 'B', size: 10.5 },
    { x: 60, y: 668, text: 'the water is measured where it was measured before, year by year.' },
  ] as const;
  const headings = async (name: string, stems?: number): Promise<string[]> => {
    const { text } = await readPdf({ pages: [{ content: setText(texts) }], objects: thick(name, stems) });
    return text.split('\n').filter((line) => line.startsWith('#'));
  };
  expect(await headings('Times-Roman')).toEqual(['# SYNOPSIS', '# Sources']);
  // Of a font whose name says nothing the stems are all that is known.
  expect(await headings('Fanwood')).toEqual([]);
  expect(await headings('CMR10')).toEqual(['# SYNOPSIS', '# Sources']);
  expect(await headings('SFRM1000')).toEqual(['# SYNOPSIS', '# Sources']);
  // Stems so thick are a mistake, whatever the name.
  expect(await headings('CIDFont', 1072)).toEqual(['# SYNOPSIS', '# Sources']);
});

const BOLD_CUTS = [
  'Frutiger-Bd',
  'Frutiger-Bol',
  'LinLibertineTB',
  'Minion-BdIt',
  'AdvOTb83ee1dd.B',
  'AdvOTb83ee1dd.B+20',
  'CMBXTI10',
  'SFBI1200',
  'SFRB1000',
];
it.each(BOLD_CUTS)('%s is the short name of a bold cut', async (name) => {
  const prose = [716, 704, 664, 652].map((y) => ({
    x: 60,
    y,
    text: 'The river was measured at nine places.',
  }));
  const title = { x: 60, y: 680, text: 'Sources', font: 'B' } as const;
  const content = setText([...prose.slice(0, 2), title, ...prose.slice(2)]);
  const read = async (baseFont: string): Promise<string> => {
    const font = `<</Type/Font/Subtype/Type1/BaseFont/${baseFont}/Encoding/WinAnsiEncoding>>`;
    return (await readPdf({ pages: [{ content }], objects: { 8: font } })).text;
  };
  expect(await read(name)).toContain('# Sources');
  expect(await read('Minion-Book')).not.toContain('# Sources');
});

/**
 * Fonts without names, drawn letter by letter, as old TeX files have them: of code 32 to 126 each is as wide as told.
 */
function drawn(widthOf: (code: number) => number): Record<number, string> {
  const codes = Array.from({ length: 95 }, (_, at) => at + 32);
  const glyphs = codes.map((code) => `/c${code} 905 0 R`).join('');
  return {
    9:
      `<</Type/Font/Subtype/Type3/FontBBox[0 0 1000 1000]/FontMatrix[.001 0 0 .001 0 0]/FirstChar 32/LastChar 126` +
      `/Widths[${codes.map(widthOf).join(' ')}]/Encoding<</Type/Encoding/Differences[32 ${codes.map((code) => `/c${code}`).join('')}]>>` +
      `/CharProcs<<${glyphs}>>/ToUnicode 904 0 R/Resources<<>>>>`,
    905: '<</Length 45>>\nstream\n500 0 0 0 400 500 d1 0 0 400 500 re f         \nendstream',
  };
}

it.each(['SFTT1000', 'SFST0800', 'SFIT1000'])('%s has a fixed pitch by its name', async (name) => {
  const code = ['> places <- read("river")', '> median(places)'].map((text, at) => ({
    x: 60,
    y: 660 - 12 * at,
    text,
  }));
  const prose = [740, 728, 716, 704, 692].map((y) => ({
    x: 60,
    y,
    text: 'The river was measured at nine places.',
    font: 'B' as const,
  }));
  const { text } = await readPdf({
    pages: [{ content: setText([...prose, ...code]) }],
    objects: thick(name, 80),
  });
  expect(text).toContain('```\n> places <- read("river")\n> median(places)\n```');
});

it('a font without a name has a fixed pitch when its narrow letters are as wide as its wide ones', async () => {
  const map =
    '/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def /CMapType 2 def ' +
    '1 begincodespacerange <00> <FF> endcodespacerange 1 beginbfrange <20> <7E> <0020> endbfrange endcmap end end';
  const prose = {
    x: 60,
    y: 740,
    text: 'The width of the river is told below, as a program has it, line by line:',
  };
  const more = {
    ...prose,
    y: 660,
    text: 'Its mouth is wider than that, but nobody has measured it, for want of time.',
  };
  const code = ['width <- sum(measured)', 'print(width / times)'].map((text, row) => ({
    x: 60,
    y: 716 - 12 * row,
    text,
    font: 'C' as const,
  }));
  const read = async (widthOf: (code: number) => number): Promise<string> => {
    const objects = {
      ...drawn(widthOf),
      904: `<</Length ${map.length}>>\nstream\n${map}\nendstream`,
    };
    return (await readPdf({ pages: [{ content: setText([prose, ...code, more]) }], objects })).text;
  };
  expect(await read(() => 600)).toContain('```\nwidth <- sum(measured)\nprint(width / times)\n```');
  const isNarrow = (code: number): boolean => 'iljtf'.includes(String.fromCharCode(code));
  expect(await read((code) => (isNarrow(code) ? 400 : 600))).not.toContain('```');
});

/** Two lines of prose, and a program of two lines in the font C. */
function codeBelowProse(lastLine: string): string {
  const prose = 'The program below computes the width of the river from measured values:';
  return setText([
    { x: 60, y: 740, text: prose },
    { x: 60, y: 728, text: prose },
    { x: 60, y: 704, text: 'width <- sum(measured)', font: 'C' },
    { x: 60, y: 692, text: lastLine, font: 'C' },
  ]);
}

it.each(['t1xtt', 'txtt', 'newtxbtt', 'Inconsolatazi4-Regular'])('%s has a fixed pitch', async (name) => {
  const content = codeBelowProse('print(width)');
  const read = async (baseFont: string): Promise<string> => {
    const font = `<</Type/Font/Subtype/Type1/BaseFont/${baseFont}/Encoding/WinAnsiEncoding>>`;
    return (await readPdf({ pages: [{ content }], objects: { 9: font } })).text;
  };
  expect(await read(name)).toContain('```\nwidth <- sum(measured)\nprint(width)\n```');
  expect(await read('Minion-Book')).not.toContain('```');
});

it('a font whose name does not show its pitch has the one of its letters', async () => {
  const content = codeBelowProse('print(width / times)');
  const read = async (widthOfNarrow: number): Promise<string> => {
    const widths = Array.from({ length: 95 }, (_, at) =>
      'iljtf'.includes(String.fromCharCode(32 + at)) ? widthOfNarrow : 600,
    );
    const objects = {
      9: `<</Type/Font/Subtype/Type1/BaseFont/LetterGothic/Encoding/WinAnsiEncoding/FirstChar 32/LastChar 126/Widths[${widths.join(' ')}]/FontDescriptor 900 0 R>>`,
      900: '<</Type/FontDescriptor/FontName/LetterGothic/Flags 4/StemV 80/ItalicAngle 0/Ascent 700/Descent -200/CapHeight 700/FontBBox[0 -200 1000 700]>>',
    };
    return (await readPdf({ pages: [{ content }], objects })).text;
  };
  expect(await read(600)).toContain('```\nwidth <- sum(measured)\nprint(width / times)\n```');
  expect(await read(400)).not.toContain('```');
});
