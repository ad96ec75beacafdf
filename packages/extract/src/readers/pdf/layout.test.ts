import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '@grainline/testing/cases';
import { expectLawful } from '../../../test/laws.ts';
import { lineStarts } from './pdfium/line-starts.ts';
import { layOut, orderPage, streamOf, styleOf, type LaidOut } from './layout.ts';
import type { Bookmark } from './pdfium/bookmarks.ts';
import type { PageCharacters } from './lines/text.ts';

/** Lines 14 points apart, but for those whose drop is given. */
const pageOf = (characters: string, drops: readonly number[] = []): PageCharacters => {
  let baseline = 800;
  const lines = lineStarts(characters).map((start, index) => ({
    start,
    baseline: (baseline -= drops[index] ?? 14),
    isTurned: false,
    isNumbered: false,
    segments: [],
  }));
  return { characters, lines, rules: [], dots: [], fieldValues: [] };
};
const lay = (
  pages: readonly (PageCharacters | undefined)[],
  outline: readonly Bookmark[] = [],
  lines?: 'join' | 'keep',
): LaidOut => {
  const streams = pages.map(streamOf);
  const style = styleOf(streams, { lines });
  return layOut(
    streams.map((stream) => orderPage(stream, style)),
    style,
    outline,
  );
};
const layPages = (...pages: (string | undefined)[]): LaidOut =>
  lay(pages.map((characters) => (characters === undefined ? undefined : pageOf(characters))));
const layText = (characters: string): string => layPages(characters).text;

describe('lines', () => {
  it('end in LF and lose the blanks around them', () => {
    expect(layText('one  \r\n  two\rthree\u2028four')).toBe('one\ntwo\nthree\nfour');
  });

  it('are joined where a hyphen divides a word', () => {
    for (const hyphen of ['\uFFFE', '\uFFFE\r\n', '\u00AD\r\n', '-\r\n', '- \r\n ']) {
      expect(layText(`docu${hyphen}ment`)).toBe('document');
    }
  });

  it('keep a hyphen that is more than a division', () => {
    expect(layText('pages 3-\r\n5')).toBe('pages 3-\n5');
    expect(layText('Anglo-\r\nSaxon')).toBe('Anglo-\nSaxon');
    expect(layText('well\u00ADknown')).toBe('well\u00ADknown');
  });

  it('keep the hyphen of a compound that PDFium took for a division', () => {
    expect(layText('the Eco-\uFFFE\r\nSchools'.replace('-', ''))).toBe('the Eco-\nSchools');
    expect(layText('in midS\uFFFE\r\nEPTEMBER')).toBe('in midSEPTEMBER');
    expect(layText('a word that is mea\uFFFE\r\nsured')).toBe('a word that is measured');
  });

  it('lose control characters and ligatures, and keep other compatibility characters', () => {
    expect(layText('\u0007a\u0099\uFEFFb \uFB01\uFB03 ² ™ \uFF21')).toBe('ab fiffi ² ™ \uFF21');
  });
});

describe('paragraphs', () => {
  const paragraphs = (characters: string): string[] => {
    const { text, blocks } = layPages(characters);
    return blocks.map(({ start, end }) => text.slice(start, end));
  };
  const full = 'a line that fills the measure of the page,';

  it('end at a blank line', () => {
    expect(paragraphs('one\r\n\r\n \r\ntwo')).toEqual(['one', 'two']);
  });

  it('end after a short line that ends a sentence, and not after a full one', () => {
    expect(paragraphs([full, 'which ends.', full, `${full.slice(0, -1)}.`, full].join('\r\n'))).toEqual([
      `${full}\nwhich ends.`,
      [full, `${full.slice(0, -1)}.`, full].join('\n'),
    ]);
  });

  it('end before a gap, unless a divided word goes on after it', () => {
    const drops = [0, 14, 14, 28, 14];
    const layText = (characters: string): string => lay([pageOf(characters, drops)]).text;
    expect(layText('one\r\ntwo\r\nthree\r\nfour\r\nfive')).toBe('one\ntwo\nthree\n\nfour\nfive');
    expect(layText('one\r\ntwo\r\nthr\uFFFEee\r\nfive')).toBe('one\ntwo\nthree\nfive');
  });

  it('do not end where a page has one line distance only, whatever it is', () => {
    expect(lay([pageOf('one\r\ntwo\r\nthree', [0, 40, 40])]).text).toBe('one\ntwo\nthree');
    expect(lay([pageOf('sideways\r\nlines\r\nhere', [0, 0, 0])]).text).toBe('sideways\nlines\nhere');
  });

  it('stand one blank line apart, within a page and between pages', () => {
    expect(layPages('one\r\n\r\ntwo', 'three').text).toBe('one\n\ntwo\n\nthree');
  });
});

describe('pages', () => {
  it('start where their text starts, empty and lost ones where the next text does', () => {
    expect(layPages('', 'one', undefined, ' ', 'two', '').pages).toEqual([0, 0, 5, 5, 5, 8]);
    expect(layPages('', undefined)).toEqual({
      text: '',
      blocks: [],
      pages: [0, 0],
      furniture: [],
      links: [],
    });
    expect(layPages()).toEqual({ text: '', blocks: [], pages: [], furniture: [], links: [] });
  });

  it('end with the values of their form fields', () => {
    const nowhere = { left: 0, right: 0, bottom: 0, top: 0 };
    const fieldValues = ['Ada\r\n\r\nLovelace', ' ', 'London'].map((text) => ({ text, ...nowhere }));
    expect(lay([{ ...pageOf('Name, town'), fieldValues }]).text).toBe('Name, town\n\nAda\nLovelace\nLondon');
  });
});

it('makes lawful documents of any characters', () => {
  const pieces = fc.constantFrom(
    'a',
    'B.',
    '-',
    '\uFFFE',
    '\u00AD',
    '\u0002',
    '\r\n',
    '\r',
    '\n',
    ' ',
    '\0',
    '😀',
    '\uFB01',
    '\u2029',
  );
  const page = fc.option(
    fc.array(pieces, { maxLength: 30 }).map((parts) => parts.join('')),
    { nil: undefined },
  );
  fc.assert(
    fc.property(fc.array(page, { maxLength: 6 }), (pages) => {
      const layout = layPages(...pages);
      expect(layout.pages).toHaveLength(pages.length);
      expectLawful({ ...layout, mediaType: 'application/pdf', warnings: [] });
    }),
    cases(100),
  );
});

describe('pages with places', () => {
  const words = fc.constantFrom(
    '1.',
    '2.',
    '•',
    '-',
    'A',
    'Some words',
    '12.5',
    '`x`',
    'a|b',
    'Title',
    'a sentence that goes on.',
    '8 A note',
    'a word.8',
  );
  const number = fc.oneof(
    { weight: 8, arbitrary: fc.integer({ min: 0, max: 40 }).map((step) => step * 15) },
    { weight: 1, arbitrary: fc.constantFrom(NaN, Infinity, -Infinity, 1e38, -1e38) },
  );
  const segment = fc.record({
    word: words,
    left: number,
    width: number,
    size: fc.constantFrom(0, 8, 10, 14, 30, NaN),
    isBold: fc.boolean(),
    isFixedPitch: fc.boolean(),
  });
  const line = fc.record({
    baseline: number,
    isTurned: fc.boolean(),
    isNumbered: fc.boolean(),
    segments: fc.array(segment, { maxLength: 4 }),
  });
  const rule = fc.record({ isLevel: fc.boolean(), at: number, from: number, to: number });
  const dot = fc.record({ x: number, y: number, size: fc.constantFrom(2, 4, 6) });
  const page = fc
    .record({
      lines: fc.array(line, { maxLength: 25 }),
      rules: fc.array(rule, { maxLength: 20 }),
      dots: fc.array(dot, { maxLength: 10 }),
    })
    .map(({ lines, rules, dots }): PageCharacters => {
      let characters = '';
      const placed = lines.map(({ baseline, isTurned, isNumbered, segments }) => {
        const start = characters.length;
        const found = segments.map(({ word, left, width, size, isBold, isFixedPitch }) => {
          const at = characters.length;
          characters += `${word} `;
          return { start: at, left, right: left + width, baseline, size, isBold, isFixedPitch };
        });
        characters += '\r\n';
        return { start, baseline, isTurned, isNumbered, segments: found };
      });
      return { characters, lines: placed, rules, dots, fieldValues: [] };
    });
  const modes = fc.constantFrom('join' as const, 'keep' as const);
  const outline = fc.array(
    fc.record({ title: words, depth: fc.integer({ min: 1, max: 9 }), page: fc.integer({ min: -1, max: 3 }) }),
    { maxLength: 3 },
  );

  it('make lawful documents that hold each word, wherever they say it stands', () => {
    fc.assert(
      fc.property(fc.array(page, { maxLength: 4 }), outline, modes, (pages, entries, mode) => {
        const layout = lay(pages, entries, mode);
        expectLawful({ ...layout, mediaType: 'application/pdf', warnings: [] });
        expect(layout.pages).toHaveLength(pages.length);
        const letters = (text: string): string[] =>
          [...text.replace(/<br>/g, '').matchAll(/[a-z]/gi)].map(String).sort();
        const leftOut = layout.furniture.map(({ text }) => text);
        expect(letters([layout.text, ...leftOut].join(''))).toEqual(
          letters(pages.map(({ characters }) => characters).join('')),
        );
        expect(lay(pages, entries, mode)).toEqual(layout);
      }),
      cases(300),
    );
  });
});
