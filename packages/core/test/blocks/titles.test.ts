// Headings of plain text that other markups, laws, books and manual pages have, and lists that count in letters.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contentOf } from '../../src/blocks/content.ts';
import { blocksOf } from '../../src/blocks/index.ts';
import { chunkSync } from '../../src/chunk.ts';
import { outline } from './laws.ts';

const read = (text: string): string[] => outline(text, blocksOf(text, 'text'));
const headings = (text: string): string[] =>
  blocksOf(text, 'text')
    .filter(({ kind }) => kind === 'heading')
    .map((block) => {
      const { start, end } = contentOf(text, block);
      return `${block.depth} ${text.slice(start, end)}`;
    });

describe('titles of plain text', () => {
  it('are those of reStructuredText, as deep as their marks come one after another', () => {
    expect(
      headings(
        '*****\nGuide\n*****\n\nInstall\n-------\nText.\n\nOn Linux\n^^^^^^^^\n\nText.\n\nUse\n---\n\nWith a friend\n"""""""""""""\n\nText.',
      ),
    ).toEqual(['1 Guide', '2 Install', '3 On Linux', '2 Use', '4 With a friend']);
  });

  it('may have a rule that is shorter than they are, when nothing stands below it', () => {
    expect(headings('Redis internals\n===\n\nText.\n\nOther C files\n---\n\nText.')).toEqual([
      '1 Redis internals',
      '2 Other C files',
    ]);
    expect(headings('It was so.\n---\n\nText.\n\nIt was\n---\nso.')).toEqual([]);
  });

  it('have a rule as long as the columns that they take, where letters take two', () => {
    expect(
      headings(
        '概要\n****\n\n本文です。\n\n5.13. 共同メンテナンス\n======================\n\n本文です。\n\n7.2. バグ潰し (BSP)\n"""""""""""""""""""\n\n本文です。',
      ),
    ).toEqual(['1 概要', '2 5.13. 共同メンテナンス', '3 7.2. バグ潰し (BSP)']);
    expect(headings('패키지\n------\n\n본문.')).toEqual(['1 패키지']);
    expect(headings('共同の仕事だ\n=====================\n\n本文です。')).toEqual([]);
  });

  it('have rules across the page in some texts, whatever their length', () => {
    const [wide, dashes] = ['='.repeat(72), '-'.repeat(72)];
    const text = `Duties\n${wide}\n\nText.\n\nTo the stable release\n${dashes}\n\nText.\n\nThanks\n${wide}\n\nText.`;
    expect(headings(text)).toEqual(['1 Duties', '2 To the stable release', '1 Thanks']);
    expect(
      headings(`See you there\n${dashes}\n\nText.\n\nIt was so.\n${wide}\n\nText\n${wide}\nmore.`),
    ).toEqual([]);
    const long =
      'Diversions of a file that another package has, as the manual of packaging once explained them';
    expect(headings(`${long}\n${'='.repeat(long.length)}\n\nText.`)).toEqual([`1 ${long}`]);
    expect(headings(`${long}\n${'='.repeat(long.length - 4)}\n\nText.`)).toEqual([]);
  });

  it('are behind one star in a text that says that it is an outline', () => {
    const news = '* Changes in 3.8\n\n** Bug fixes\n\nIt is so.\n\n* Changes in 3.7\n\nNo more.';
    expect(headings(`News of it   -*- outline -*-\n\n${news}`)).toEqual([
      '1 Changes in 3.8',
      '2 Bug fixes',
      '1 Changes in 3.7',
    ]);
    expect(headings(`News of it\n\n${news}`)).toEqual(['2 Bug fixes']);
  });

  it('may have a blank behind their number that does not break, and numbers that begin anew in each chapter', () => {
    const text = [1, 2].map(
      (n) => `Chapter\u00a0${n}.\u00a0Part\n\n1.\u00a0Terms\n\nText.\n\n1.1\u00a0More\n\nText.\n\n`,
    );
    const each = ['2 1.\u00a0Terms', '3 1.1\u00a0More'];
    expect(headings(text.join(''))).toEqual([
      '1 Chapter\u00a01.\u00a0Part',
      ...each,
      '1 Chapter\u00a02.\u00a0Part',
      ...each,
    ]);
  });

  it('are no terms in capitals above what they mean, where titles have rules', () => {
    expect(headings('Terms\n=====\n\nASCII\n   A set of characters.\n\nUTF\n   Another.')).toEqual([
      '1 Terms',
    ]);
  });

  it('are below a line of marks alone when nothing else stands there', () => {
    expect(headings(`${'='.repeat(78)}\n*21.1*  Suspend and resume\n\nText.`)).toEqual([
      '1 *21.1*  Suspend and resume',
    ]);
    for (const text of ['----\nls -l\n----', `${'-'.repeat(78)}\nIt was so.`, '==========\n123\n=========='])
      expect(headings(text)).toEqual([]);
  });

  it('are no code that AsciiDoc parts off with dashes, of whatever length', () => {
    const [long, exact] = ['-'.repeat(40), '-'.repeat(12)];
    for (const code of [
      '$ tide --next',
      'tide --next',
      '#!/bin/sh',
      '"ports": 12',
      '# tide now',
      '/etc/tides.conf',
    ])
      for (const text of [`${long}\n${code}\n${long}`, `${long}\n${code}\n\nmore\n${long}`])
        expect(headings(`Text:\n\n${text}\n\nText.`), text).toEqual([]);
    expect(headings(`Text:\n\n${exact}\ntide -all\n${exact}\n\nText.`)).toEqual([]);
    expect(headings(`Text:\n\n${exact}\n$ tide --now\n${exact}\n\nText.`)).toEqual([]);
    for (const title of ['Tides of the day', '2. Tides', '潮汐表', 'Über Tiden'])
      expect(headings(`${long}\n${title}\n${long}\n\nText.`)).toEqual([`1 ${title}`]);
    expect(headings(`${exact}\ntide - ports\n${exact}\n\nText.`)).toEqual(['1 tide - ports']);
  });

  it('are those of AsciiDoc, POD and LaTeX', () => {
    expect(headings('= Guide\n\n== Install\nText.\n\n=== On Linux\n\nText.')).toEqual([
      '1 Guide',
      '2 Install',
      '3 On Linux',
    ]);
    expect(headings('=head1 NAME\n\na - b\n\n=head2 Of what?\n\nText.')).toEqual(['1 NAME', '2 Of what?']);
    expect(headings('\\section{Intro}\\label{a}\nText.\n\n\\subsection*{More}\n\nText.')).toEqual([
      '2 Intro',
      '3 More',
    ]);
    expect(headings('= 36 + 4\n\n= 40\n\n=  Permit  only this one')).toEqual([]);
  });

  it('are capitals above lines that are indented further', () => {
    expect(read('NAME\n       tar - an archiver\n\nSEE ALSO\n       cpio(1)')).toEqual([
      'heading 1: "NAME"',
      'paragraph: "tar - an archiver"',
      'heading 1: "SEE ALSO"',
      'paragraph: "cpio(1)"',
    ]);
    expect(headings('SELECT\n  a\nFROM b')).toEqual([]);
  });

  it('are chapters and articles, alone or above their name, as deep as their words come one after another', () => {
    expect(
      headings('ACT I\n\nSCENE I. Elsinore. A platform.\n\nEnter.\n\nSCENE II. A room.\n\nACT II\n\nEnter.'),
    ).toEqual(['1 ACT I', '2 SCENE I. Elsinore. A platform.', '2 SCENE II. A room.', '1 ACT II']);
    expect(
      headings(
        'ARTICLE 4\nLIMITATION OF LIABILITY\n\n4.1 It is so.\n\nSCHEDULE 1\nThe Services\n\nThe Provider shall.',
      ),
    ).toEqual(['1 ARTICLE 4\nLIMITATION OF LIABILITY', '1 SCHEDULE 1\nThe Services']);
    expect(
      headings('Abschnitt 8\n\n§ 433 Pflichten\n\n(1) So.\n\n§ 434 Sachmangel\n\nSo.\n\n第三章 总则\n\n文。'),
    ).toEqual(['1 Abschnitt 8', '2 § 433 Pflichten', '2 § 434 Sachmangel', '3 第三章 总则']);
    expect(headings('Section 5. Basic Duties.\n\nText.\n\nSection 6. It was never so.')).toEqual([
      '1 Section 5. Basic Duties.',
    ]);
    expect(headings('§ 5 Abs. 2 gilt nicht.\n\nArticle 5 of it says so.\n\nPart of it')).toEqual([]);
  });

  it('are short numbered lines with a full stop, where several count', () => {
    expect(headings('1. Source Code.\n\nIt is so.\n\n2. Basic Permissions.\n\nIt is not.')).toEqual([
      '1 1. Source Code.',
      '1 2. Basic Permissions.',
    ]);
    expect(headings('1. Definitions.\n\nIt is so.\n\n2. It was never so.\n\nText.')).toEqual([]);
  });

  it('are below the numbered ones with a rule, when their numbers say so', () => {
    expect(headings('Licence\n=======\n\n1. Terms\n--------\n\n1.1 Of what\n\nText.')).toEqual([
      '1 Licence',
      '2 1. Terms',
      '3 1.1 Of what',
    ]);
    expect(headings('Licence\n=======\n\n1. Terms\n--------\n\nText.\n\n1 Of what\n\nText.').at(-1)).toBe(
      '2 1 Of what',
    );
  });

  it('are neither names in code nor what is said aside', () => {
    expect(headings('CXX_MODULES\n\nText.\n\n[APPLAUSE]\n\nText.\n\n(LAUGHTER)\n\nText.')).toEqual([]);
  });

  it('stand in the path without their marks', () => {
    const text = `${'~'.repeat(12)}\nThe first\n${'~'.repeat(12)}\n\nText.\n\n\\section{The second}\n\nText.`;
    const cut = chunkSync(text, { tier: 'structure', kind: 'text', size: 60, target: 20 });
    expect(cut.map(({ metadata }) => metadata.headingPath)).toEqual([
      ['The first'],
      ['The first', 'The second'],
    ]);
  });
});

describe('lists that count in letters', () => {
  it('are paragraphs in a row', () => {
    expect(read('It is:\n\n(a) one;\n\n(b) two.\n\nOr:\n\n(i) three;\n\n(ii) four.\n\nc) five')).toEqual([
      'paragraph: "It is:"',
      'list 1 ordered',
      '  item',
      '    paragraph: "(a) one;"',
      '  item',
      '    paragraph: "(b) two."',
      'paragraph: "Or:"',
      'list 1 ordered',
      '  item',
      '    paragraph: "(i) three;"',
      '  item',
      '    paragraph: "(ii) four."',
      'paragraph: "c) five"',
    ]);
  });

  it('go on over the letters that are Roman numbers as well', () => {
    const text = 'f g h i j k'
      .split(' ')
      .map((letter) => `(${letter}) so;`)
      .join('\n\n');
    const [list, ...more] = blocksOf(text, 'text');
    expect([list?.children?.length, list?.first, more.length]).toEqual([6, 6, 0]);
  });
});

it('titles and lists cover all text that is not blank, in order, whatever the text', () => {
  const lines = fc.constantFrom(
    '',
    '',
    '====',
    'NAME',
    '  text',
    '(a) b',
    '(b) c',
    '== T',
    '§ 1',
    'Act I',
    '1. A.',
    '2. B.',
    '\\section{A}',
    '----------',
    '*** T',
    'x',
  );
  fc.assert(
    fc.property(fc.array(lines), (given) => {
      const text = given.join('\n');
      let end = 0;
      for (const block of blocksOf(text, 'text')) {
        expect(text.slice(end, block.start).trim()).toBe('');
        expect(block.end).toBeGreaterThan(block.start);
        end = block.end;
      }
      expect(text.slice(end).trim()).toBe('');
    }),
  );
});
