// Letters that a page shows otherwise than its text says them: accents drawn apart, and blanks that part nothing.
import { describe, expect, it } from 'vitest';
import { regionsOf } from '@grainline/core';
import { extract } from '../src/index.ts';
import { expectLawful } from './laws.ts';
import { writePdf } from '@grainline/testing/pdf-writer';

/** The text of a page with this content stream. */
async function textOf(content: string): Promise<string> {
  const document = await extract(writePdf({ pages: [{ content }] }), { filename: 'test.pdf' });
  expectLawful(document);
  return document.text.trim();
}

/** A line in Helvetica: texts and, in thousandths of the font size, how far to go back between them. */
function line(y: number, ...pieces: readonly (string | number)[]): string {
  const shown = pieces.map((piece) => (typeof piece === 'number' ? String(piece) : `(${piece})`)).join(' ');
  return `BT /F 12 Tf 60 ${y} Td [${shown}] TJ ET`;
}

it('an accent that is shown before its letter, above it, is one with it', async () => {
  const content = [
    line(740, 'The Universit', -111.5, '\xB4', 444.5, 'e de Bordeaux and the Universit'),
    line(726, 'J', -111.5, '\xA8', 444.5, 'org is read, and Fran', -83.5, '\xB8', 416.5, 'coise too.'),
  ].join('\n');
  expect(await textOf(content)).toBe(
    'The Université de Bordeaux and the Universit Jörg is read, and Françoise too.',
  );
});

it('an accent that is shown behind the whole line goes to the letter below it', async () => {
  const text = `${line(740, 'The town of Nurnberg lies there')}\n${line(700, 'and nobody doubts it.')}`;
  // The widths of "The town of N" in Helvetica are 6225 thousandths; the accent is 333 wide and the letter 556.
  const accent = `BT /F 12 Tf ${60 + 12 * (6.225 + 0.1115)} 740 Td (\xA8) Tj ET`;
  const [first = '', second = ''] = text.split('\n');
  expect(await textOf([first, accent, second].join('\n'))).toBe(
    'The town of Nürnberg lies there and nobody doubts it.',
  );
});

it('an accent by itself stays', async () => {
  expect(await textOf(line(740, 'The sign \xB4e stands before its letter, as `x` does.'))).toBe(
    'The sign ´e stands before its letter, as `x` does.',
  );
});

it('a blank whose width is taken back parts no word', async () => {
  expect(
    await textOf(line(740, 'It is giv', ' ', 278, 'en, and hav', ' ', 290, 'e we not been told so?')),
  ).toBe('It is given, and have we not been told so?');
});

it('a blank of an ordinary width stays, between letters set close too', async () => {
  expect(await textOf(line(740, 'It is giv', ' ', 60, 'en by them.'))).toBe('It is giv en by them.');
});

describe('letters that are set apart', () => {
  /** A line whose letters are parted by a share of the size, and its words by more. */
  const apart = (y: number, text: string, gap: number, between = 3 * gap): string =>
    line(y, ...Array.from(text).flatMap((letter) => (letter === ' ' ? [gap - between] : [letter, -gap])));

  it('are words, which wider gaps part', async () => {
    expect(await textOf(apart(740, 'ANNUAL REPORT', 400))).toBe('ANNUAL REPORT');
    expect(
      await textOf(line(740, 'It is set in ', ...['l', 'a', 't', 'e', 'x'].flatMap((x) => [x, -350]))),
    ).toBe('It is set in latex');
    expect(await textOf(line(740, 'R E P O R T'))).toBe('REPORT');
  });

  it('are words in a line of 180,000 letters', async () => {
    const words = '(R) -400 (E) -400 (P) -400 (O) -400 (R) -400 (T) -1000 '.repeat(30_000);
    expect(await textOf(`BT /F 0.01 Tf 60 740 Td [${words}] TJ ET`)).toMatch(/^(?:REPORT ){1000}/);
  });

  it('are none in lists of letters, marks and variables', async () => {
    for (const text of [
      'A B C D E F',
      'Y N N Y Y N',
      'p q x y z',
      'T x y j w n',
      'N D K R',
      'J. R. R. Tolkien',
    ])
      expect(await textOf(line(740, text))).toBe(text);
    for (const text of ['I saw a B by it', 'It is tuned E A D G B E by most', 'Answers: A C B D'])
      expect(await textOf(line(740, text))).toBe(text);
  });
});

describe('words that PDFium parts', () => {
  it('are whole where all letters and blanks are as far apart', async () => {
    const words = 'it still fits till it lifts its list';
    /** In Helvetica, in thousandths of the size. */
    const widths: Readonly<Record<string, number>> = { i: 222, l: 222, s: 500 };
    for (const gap of [150, 400]) {
      const letters = Array.from(words, (one) => `(${one}) Tj ${0.012 * ((widths[one] ?? 278) + gap)} 0 Td`);
      expect(await textOf(`BT /F 12 Tf 60 740 Td ${letters.join(' ')} ET`)).toBe(words);
    }
  });

  it('are whole where each letter takes the place of one of a typewriter, with blanks and without', async () => {
    const places = (y: number, words: string, isBlankShown: boolean): string =>
      Array.from(words, (one, at) =>
        one === ' ' && !isBlankShown ? '' : `BT /F 12 Tf ${60 + 7.2 * at} ${y} Td (${one}) Tj ET`,
      ).join('\n');
    for (const isBlankShown of [true, false])
      expect(await textOf(places(740, 'git clone little files to it', isBlankShown))).toBe(
        'git clone little files to it',
      );
  });

  it('stay apart in lists beside text', async () => {
    const list = 'The guitar is tuned E A D G B E by most of us';
    expect(await textOf(line(740, list))).toBe(list);
  });
});

describe('a letter of several lines at the beginning of a text', () => {
  const text = [
    'HIS report begins with a letter of some lines, as articles of journals do, and the',
    'text stands beside it until it goes on below, and all lines of the river are full.',
    'After them it has the whole measure of its column, as any other text of the page.',
    'The end of it is near.',
  ];
  const page = (initial: string, lines: number, first = text[0] ?? ''): string =>
    [
      `BT /F ${16 * lines} Tf 60 ${740 - 14 * (lines - 1)} Td (${initial}) Tj ET`,
      ...[first, ...text.slice(1)].map(
        (words, at) =>
          `BT /F 12 Tf ${at < lines ? 60 + 13 * lines : 60} ${740 - 14 * at} Td (${words}) Tj ET`,
      ),
    ].join('\n');

  it('begins the word beside it', async () => {
    for (const lines of [2, 3]) expect(await textOf(page('T', lines))).toBe(`T${text.join(' ')}`);
  });

  it('is a word itself where the page has the next one', async () => {
    const first = 'river runs below the hills, and it is long enough for a line of the whole text';
    expect(await textOf(page('A', 2, first))).toBe([`A ${first}`, ...text.slice(1)].join(' '));
  });

  it('has a box of its own, and leaves those of the lines as high as they are', async () => {
    for (const initial of ['T', 'A']) {
      const content = page(initial, 3, initial === 'T' ? text[0] : 'river runs below the river');
      const document = await extract(writePdf({ pages: [{ content }] }), { regions: true });
      const boxes = regionsOf(document, { start: 0, end: document.text.indexOf('text stands') });
      const heights = boxes.map(({ y0, y1 }) => y1 - y0);
      expect(heights).toEqual([expect.closeTo(48, -1), expect.closeTo(12, 0)]);
    }
  });

  it('is the letter of an index before a word that begins with it or has a capital', async () => {
    for (const first of ['Tides are low', 'tides are low', 'Low tides are many'])
      expect(await textOf(page('T', 2, first))).toMatch(new RegExp(`^T ${first}`));
    expect(await textOf(page('A', 2, 'aron and Aaron'))).toMatch(/^Aaron and/);
  });

  it('stays a line where no line of text stands on its baseline', async () => {
    expect(await textOf(page('T', 2).replace('60 726', '60 750'))).not.toContain('THIS');
  });
});
