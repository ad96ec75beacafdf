// Characters that a page shows otherwise than its file says: unseen text, maps in another encoding, letters printed
// twice, ligatures from right to left, blanks within numbers, fonts that show other letters.
import { describe, expect, it } from 'vitest';
import { type Document, regionsOf } from '@grainline/core';
import { setText, writePdf, type PdfSpec } from '@grainline/testing/pdf-writer';
import { extract } from '../src/index.ts';
import { expectLawful } from './laws.ts';

async function read(spec: PdfSpec): Promise<Document> {
  const document = await extract(writePdf(spec), { filename: 'test.pdf' });
  expectLawful(document);
  return document;
}

const textOf = async (content: string, spec: Partial<PdfSpec> = {}): Promise<string> =>
  (await read({ pages: [{ content }], ...spec })).text;

const PROSE = 'The river rises in the hills and runs for sixty miles before it meets the sea.';
const shown = setText([{ x: 60, y: 700, text: PROSE }]);
/** Text that is neither filled nor stroked. */
const invisible = (text: string): string => `BT 3 Tr /F 10 Tf 60 600 Td (${text}) Tj 0 Tr ET`;

describe('text that a page does not show', () => {
  it('is left out where it lies outside the page', async () => {
    const marks = setText([
      { x: 60, y: 820, text: 'Proof 7 of the printer' },
      { x: 640, y: 700, text: 'of the next page' },
    ]);
    expect(await textOf(`${marks}\n${shown}`)).toBe(PROSE);
    const box = { content: `${marks}\n${shown}`, entries: '/MediaBox[0 0 900 900]/CropBox[0 0 600 800]' };
    expect((await read({ pages: [box] })).text).toBe(PROSE);
  });

  it('stays where it reaches into the page, and where the page has no other', async () => {
    const cut = setText([{ x: 580, y: 600, text: 'Cut off' }]);
    expect(await textOf(`${shown}\n${cut}`)).toContain('Cut off');
    expect(await textOf(setText([{ x: 60, y: 900, text: PROSE }]))).toBe(PROSE);
  });

  it('is left out where it is invisible beside visible text', async () => {
    expect(await textOf(`${shown}\n${invisible('Chapter of the template')}`)).toBe(PROSE);
    const within = setText([
      { x: 60, y: 700, text: 'The river' },
      { x: 160, y: 700, text: 'rises.' },
    ]);
    const between = 'BT 3 Tr /F 10 Tf 110 700 Td (template) Tj 0 Tr ET';
    const [first = '', second = ''] = within.split('\n');
    expect(await textOf([first, between, second].join('\n'))).toBe('The river rises.');
  });

  it('stays where it is a layer of a scan', async () => {
    const scan = { content: invisible(PROSE) };
    expect((await read({ pages: [scan] })).text).toBe(PROSE);
    const stamped = { content: `${setText([{ x: 60, y: 40, text: 'Archive 7' }])}\n${invisible(PROSE)}` };
    expect((await read({ pages: [stamped] })).text).toContain(PROSE);
    const picture = 'q 400 0 0 200 40 500 cm /P Do Q';
    expect(await textOf(`${shown}\n${picture}\n${invisible('A word of the scan')}`)).toContain(
      'A word of the scan',
    );
  });
});

/** The map of some codes to the UTF-8 bytes of their letters. */
const inUtf8 = (letters: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(letters).map(([code, letter]) => [code, Buffer.from(letter, 'utf8').toString('hex')]),
  );

it('letters of a map in UTF-8 are not Hangul', async () => {
  const toUnicode = inUtf8({ a: 'р', b: 'е', c: 'к', d: 'а', e: 'т', f: 'ч', g: 'т' });
  const content = setText([{ x: 60, y: 700, text: 'abcd gbfbe' }]);
  expect(await textOf(content, { toUnicode: { ...toUnicode, ' ': '0020' } })).toBe('река течет');
});

it('Hangul stays, also with a few syllables of that form', async () => {
  const toUnicode = { a: 'C790', b: 'D0C0', c: 'B294', d: 'AC15', e: 'C740', f: 'D750', g: 'B978' };
  const content = setText([{ x: 60, y: 700, text: 'abcdefg' }]);
  expect(await textOf(content, { toUnicode })).toBe(
    '자타는강은흐르'.replace('는', '\uB294').replace('흐', '\uD750').replace('르', '\uB978'),
  );
});

describe('letters that are printed twice', () => {
  const fixed = { 8: '<</Type/Font/Subtype/Type1/BaseFont/Courier-Bold/Encoding/WinAnsiEncoding>>' };
  const twice = (text: string, apart: number): string =>
    Array.from(text)
      .flatMap((letter, at) =>
        ['C', 'B'].map((font, twin) => ({ font, x: 60 + 6 * at + apart * twin, letter })),
      )
      .map(({ font, x, letter }) => `BT /${font} 10 Tf ${x} 700 Td (${letter}) Tj ET`)
      .join('\n');

  it('are one', async () => {
    expect(await textOf(twice('MUNICIPALITE', 0.3), { objects: fixed })).toBe('MUNICIPALITE');
  });

  it('are two where they stand apart', async () => {
    expect(await textOf(setText([{ x: 60, y: 700, text: 'aabbccdd' }]))).toBe('aabbccdd');
  });
});

describe('alef and lam', () => {
  const toUnicode = { a: '0628', l: '06270644', b: '0627', c: '0644', ' ': '0020' };

  it('of one glyph are lam and alef', async () => {
    const text = await textOf(setText([{ x: 60, y: 700, text: 'aala' }]), { toUnicode });
    expect(text).toContain('\u0644\u0627');
    expect(text).not.toContain('\u0627\u0644');
  });

  it('of two glyphs are the article', async () => {
    expect(await textOf(setText([{ x: 60, y: 700, text: 'acba' }]), { toUnicode })).toContain('\u0627\u0644');
  });
});

/** A font whose letters have these widths; the others are 500 wide. */
const measured = (widths: Readonly<Record<string, number>>): Record<number, string> => ({
  3:
    `<</Type/Font/Subtype/Type1/BaseFont/Body/Encoding/WinAnsiEncoding/FirstChar 32/LastChar 126/Widths[` +
    Array.from({ length: 95 }, (_, at) => widths[String.fromCharCode(at + 32)] ?? 500).join(' ') +
    `]/FontDescriptor 900 0 R>>`,
  900: '<</Type/FontDescriptor/FontName/Body/Flags 4/StemV 80/ItalicAngle 0/Ascent 700/Descent -200/CapHeight 700/FontBBox[0 -200 1000 700]>>',
});

it('a number is one where its font gives a 1 too narrow', async () => {
  const objects = measured({ '1': 200, '0': 500 });
  const number = 'BT /F 10 Tf 60 700 Td [(1) -300 (00)] TJ ET';
  expect(await textOf(number, { objects })).toBe('100');
  const numbers = 'BT /F 10 Tf 60 700 Td [(1) -650 (00)] TJ ET';
  expect(await textOf(numbers, { objects })).toBe('1 00');
});

describe('characters that a font names by no letters', () => {
  const named = (font: string, differences: string): Record<number, string> => ({
    8: `<</Type/Font/Subtype/Type1/BaseFont/${font}/Encoding<</Type/Encoding/Differences[${differences}]>>>>`,
  });
  it('are signs of mathematics in fonts of TeX', async () => {
    const content = setText([
      { x: 60, y: 700, text: 'set' },
      { x: 78, y: 700, text: 'h', font: 'B' },
      { x: 90, y: 700, text: 'text' },
    ]);
    const brackets = '104/angbracketleft/angbracketright';
    expect(await textOf(content, { objects: named('ABCDEF+CMSY10', brackets) })).toMatch(/^set ?⟨ ?text$/);
    expect(await textOf(content, { objects: named('ABCDEF+LMMathSymbols10-Regular', brackets) })).toContain(
      '⟨',
    );
    expect(await textOf(content, { objects: named('ABCDEF+Other', brackets) })).toContain('h');
    expect(await textOf(content, { objects: named('ABCDEF+CMSY10', '104/h/i') })).toContain('h');
    expect(await textOf(content, { objects: named('CMEX10', '104/bracketleftBig') })).toMatch(
      /^set ?\[ ?text$/,
    );
  });

  it('are the letters of ligatures, in their places', async () => {
    const content = setText([
      { x: 60, y: 700, text: 'the of' },
      { x: 88, y: 700, text: '\x80ce', font: 'B' },
      { x: 112, y: 700, text: '\x81e third', font: 'B' },
      { x: 160, y: 700, text: 'ends.' },
      { x: 60, y: 680, text: 'fi', font: 'B' },
      { x: 80, y: 680, text: '\x93op a\x96ed, rob\x93', font: 'B' },
    ]);
    // The codes from 0x93 on are missing in the text of PDFium.
    const objects = named('ABCDEF+LinLibertineT', '128/f_f_i.alt/T_h 147/s_t 150/uni00660066');
    const document = await extract(writePdf({ pages: [{ content }], objects }), { regions: true });
    expectLawful(document);
    expect(document.text.replaceAll(/\s+/g, ' ')).toMatch(
      /^the of ?ffice The third ends\. fi stop affed, robst$/,
    );
    const start = document.text.indexOf('ends.');
    const [box] = regionsOf(document, { start, end: start + 5 });
    expect(box?.x0).toBeCloseTo(160, 0);
    expect(box?.x1).toBeLessThan(200);
  });

  it('are no ligatures where two encodings of a font contradict each other', async () => {
    const content = setText([{ x: 60, y: 700, text: 'the \x80e', font: 'B' }]);
    const first = named('ABCDEF+LinLibertineT', '128/T_h');
    const [other = ''] = Object.values(named('GHIJKL+LinLibertineT', '128/f_f'));
    expect(await textOf(content, { objects: { ...first, 901: other } })).not.toMatch(/Th|ff/);
  });

  it('are letters of mathematics, which move no place behind them', async () => {
    const content = setText([
      { x: 60, y: 700, text: 'The sum of' },
      { x: 116, y: 700, text: 'ab', font: 'B' },
      { x: 140, y: 700, text: 'is known.' },
      { x: 60, y: 680, text: 'ba', font: 'B' },
      { x: 80, y: 680, text: 'too.' },
    ]);
    const objects = named('ABCDEF+STIXMath-Italic', '97/u1D44E/u1D44F');
    const document = await extract(writePdf({ pages: [{ content }], objects }), { regions: true });
    expectLawful(document);
    expect(document.text.replaceAll(/\s+/g, ' ')).toBe('The sum of 𝑎𝑏 is known. 𝑏𝑎 too.');
    const start = document.text.indexOf('too.');
    const [box, ...more] = regionsOf(document, { start, end: start + 4 });
    expect(more).toEqual([]);
    expect(box?.x0).toBeCloseTo(80, 0);
    expect(box?.x1).toBeLessThan(105);
  });

  it('are U+FFFD where a code has two bytes', async () => {
    const map =
      '/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def /CMapType 2 def 1 begincodespacerange ' +
      '<0000> <FFFF> endcodespacerange 2 beginbfchar <0024> <0928> <0025> <091F> endbfchar endcmap end end';
    const objects = {
      8: '<</Type/Font/Subtype/Type0/BaseFont/Deva/Encoding/Identity-H/DescendantFonts[906 0 R]/ToUnicode 904 0 R>>',
      904: `<</Length ${map.length}>>\nstream\n${map}\nendstream`,
      906:
        '<</Type/Font/Subtype/CIDFontType2/BaseFont/Deva/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)' +
        '/Supplement 0>>/DW 600/FontDescriptor 900 0 R>>',
      900: '<</Type/FontDescriptor/FontName/Deva/Flags 4/StemV 80/ItalicAngle 0/Ascent 700/Descent -200/CapHeight 700/FontBBox[0 -200 1000 700]>>',
    };
    expect(await textOf('BT /B 10 Tf 60 700 Td <0024046000250024> Tj ET', { objects })).toBe(
      '\u0928\uFFFD\u091F\u0928',
    );
  });
});

describe('the warning that much is unreadable', () => {
  const warningsOf = async (spec: PdfSpec): Promise<string[]> =>
    (await read(spec)).warnings.map(({ code }) => code);
  const pages = [{ content: shown }];
  const map =
    '/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def /CMapType 2 def ' +
    '1 begincodespacerange <00> <FF> endcodespacerange 1 beginbfrange <20> <7E> <0020> endbfrange endcmap end end';
  const codes = Array.from({ length: 95 }, (_, at) => at + 32);
  /** A font that is in the file, drawn letter by letter, with these widths. */
  const drawn = (widths: Readonly<Record<string, number>>): Record<number, string> => ({
    3:
      '<</Type/Font/Subtype/Type3/FontBBox[0 0 1000 1000]/FontMatrix[.001 0 0 .001 0 0]/FirstChar 32/LastChar 126' +
      `/Widths[${codes.map((code) => widths[String.fromCharCode(code)] ?? 500).join(' ')}]` +
      `/Encoding<</Type/Encoding/Differences[32 ${codes.map((code) => `/c${code}`).join('')}]>>` +
      `/CharProcs<<${codes.map((code) => `/c${code} 905 0 R`).join('')}>>/ToUnicode 904 0 R/Resources<<>>>>`,
    904: `<</Length ${map.length}>>\nstream\n${map}\nendstream`,
    905: '<</Length 45>>\nstream\n500 0 0 0 400 500 d1 0 0 400 500 re f         \nendstream',
  });
  const wide = { m: 800, w: 700, M: 900, W: 950, D: 700, G: 700, H: 700, N: 700, O: 750, Q: 750 };
  const narrow = { i: 250, j: 250, l: 250, f: 300, t: 300 };

  it('comes where the widths of letters contradict the letters', async () => {
    const turned = { ...wide, m: 250, w: 300, i: 800, l: 780, t: 700, f: 650, j: 700 };
    expect(await warningsOf({ pages, objects: drawn(turned) })).toEqual(['unmappable_text']);
  });

  it('comes where letters of a font without a map have no order of widths', async () => {
    const unmapped = (widths: Readonly<Record<string, number>>): Record<number, string> => {
      const { 3: font = '', ...rest } = drawn(widths);
      return { ...rest, 3: font.replace('/ToUnicode 904 0 R', '') };
    };
    const text = 'the time of his jump will not fit in my film';
    const page = { content: setText([{ x: 60, y: 700, text }]) };
    expect(await warningsOf({ pages: [page], objects: unmapped({ ...wide, ...narrow }) })).toEqual([]);
    const turned = { ...wide, m: 250, w: 300, i: 800, l: 780, t: 700, f: 650, j: 700 };
    expect(await warningsOf({ pages: [page], objects: unmapped(turned) })).toEqual(['unmappable_text']);
  });

  it('does not where they are as in every font, or in a fixed pitch', async () => {
    expect(await warningsOf({ pages, objects: drawn({ ...wide, ...narrow }) })).toEqual([]);
    expect(await warningsOf({ pages, objects: drawn({ j: 900 }) })).toEqual([]);
  });

  it('does not where only the fonts outside the file have other widths', async () => {
    const turned = { ...wide, m: 250, w: 300, i: 800, l: 780, t: 700, f: 650, j: 700 };
    expect(await warningsOf({ pages, objects: measured(turned) })).toEqual([]);
  });
});
