import { describe, expect, it } from 'vitest';
import { blocksOf, documentFromText } from '../../src/blocks/index.ts';
import { guessKind } from '../../src/blocks/guess.ts';
import { outline } from './laws.ts';

const read = (text: string): string[] => outline(text, blocksOf(text, 'text'));

describe('headings of plain text', () => {
  it('are underlined, numbered or in capitals, and stand alone', () => {
    expect(
      read('Title\n=====\nText.\n\n1 Scope\n\nText.\n\n1.2 Of what\n\nCHAPTER IV\n\nNOTES ON USE\n\nText.'),
    ).toEqual([
      'heading 1: "Title\\n====="',
      'paragraph: "Text."',
      'heading 1: "1 Scope"',
      'paragraph: "Text."',
      'heading 2: "1.2 Of what"',
      'heading 1: "CHAPTER IV"',
      'heading 1: "NOTES ON USE"',
      'paragraph: "Text."',
    ]);
  });

  it('need no capital behind a number of several parts with a dot', () => {
    const titles = ['3.5. /boot : Static files', '4.1. 0.x 릴리스', '4.13.1. 2000 m. liepa'];
    expect(titles.map((title) => read(title)[0]?.slice(0, 9))).toEqual([
      'heading 2',
      'heading 2',
      'heading 3',
    ]);
  });

  it('need one behind a number of a single part', () => {
    expect(read('3. 10 apples')[0]).not.toMatch(/^heading/);
  });

  it('are not sentences, dates, rules between paragraphs or lines of a paragraph', () => {
    for (const text of [
      '1. It rained.',
      '10.12. 2024 um 15 Uhr',
      '12.5. 10:30 in der Kirche',
      '1945 was a year',
      'NO!',
      'USA',
      'SCOPE\nof this',
      'a\n--------------',
      'Title\n**',
      'Title\n#####',
      'Title\naaaaa',
      '3.5 kg of it',
      '3.5 % of it',
      '3.5. 100 %',
    ]) {
      expect(read(text)).toEqual([`paragraph: ${JSON.stringify(text)}`]);
    }
  });
});

describe('paragraphs of plain text', () => {
  it('are all lines between two blank ones, however many', () => {
    const lines = 'A line of it.\n'.repeat(1000).trim();
    expect(read(`${lines}\n \t\n${lines}`)).toEqual(Array(2).fill(`paragraph: ${JSON.stringify(lines)}`));
  });
});

describe('lists of plain text', () => {
  it('are bullets or numbers in a row, behind a lead-in perhaps, with or without blank lines', () => {
    expect(read('Buy:\n- milk\n- bread\n  and butter\n\n1. Wash\n\n2. Dry\n\n• a\n\n• b')).toEqual([
      'paragraph: "Buy:"',
      'list 1',
      '  item',
      '    paragraph: "- milk"',
      '  item',
      '    paragraph: "- bread\\n  and butter"',
      'list 1 ordered',
      '  item',
      '    paragraph: "1. Wash"',
      '  item',
      '    paragraph: "2. Dry"',
      'list 1',
      '  item',
      '    paragraph: "• a"',
      '  item',
      '    paragraph: "• b"',
    ]);
  });

  it('begin with one of eleven bullets, or with up to three digits and what closes them', () => {
    for (const mark of [...Array.from('-*+•‣◦▪●○–·'), '-\t', '12.', '(1)', '(1.', '100)'].map(
      (sign) => `${sign} `,
    )) {
      const next = mark.replace(/\d+/, (number) => String(Number(number) + 1));
      expect(read(`${mark}milk\n${next}bread`)[0], mark).toMatch(/^list 1/);
    }
    for (const mark of ['-', '\u2014 ', '1 ', '1.', '1000. ', '. ', '() ', '(a) ', '-\u00a0'])
      expect(read(`${mark}milk\n${mark}bread`), mark).toHaveLength(1);
  });

  it('hold what does not count on in the item before', () => {
    expect(read('1. Wash\n3. Dry\n2) Iron\n2. Fold')).toEqual([
      'list 1 ordered',
      '  item',
      '    paragraph: "1. Wash\\n3. Dry\\n2) Iron"',
      '  item',
      '    paragraph: "2. Fold"',
    ]);
  });

  it('stand in the item above them where their marks stand further right, also behind a blank line', () => {
    const nested = [
      'list 1',
      '  item',
      '    paragraph: "* drinks:"',
      '    list 2',
      '      item',
      '        paragraph: "- milk"',
      '      item',
      '        paragraph: "- tea"',
      '  item',
      '    paragraph: "* bread"',
    ];
    expect(read('* drinks:\n    - milk\n    - tea\n* bread')).toEqual(nested);
    expect(read('* drinks:\n\n    - milk\n\n    - tea\n\n* bread')).toEqual(nested);
    expect(read('- a\n  - b\n  - c\n    - d\n    - e\n- f').filter((line) => line.includes('list'))).toEqual([
      'list 1',
      '    list 2',
      '        list 3',
    ]);
    expect(read('1. a\n   1. b\n   2. c\n2. d').filter((line) => line.includes('list'))).toEqual([
      'list 1 ordered',
      '    list 2 ordered',
    ]);
  });

  it('stand in one another to a bounded depth, also where each group of lines nests deeper than the one before', () => {
    const group = (level: number): string =>
      Array.from({ length: 8 }, (_, index) => `${' '.repeat(14 * level + 2 * index)}- a`).join('\n');
    const lines = read(Array.from({ length: 40 }, (_, level) => group(level)).join('\n\n'));
    const depths = lines.flatMap((line) => /^ *list (\d+)/.exec(line)?.[1] ?? []).map(Number);
    expect(Math.max(...depths)).toBeLessThanOrEqual(15);
  });

  it('go on where numbers count on, however far a scan has moved them', () => {
    expect(read('1. a\n    2. b\n  3. c').filter((line) => line.includes('item'))).toHaveLength(3);
  });

  it('are not lines in an item that begin with a dash, unless a colon leads to them', () => {
    expect(read('* all of it\n  - or most -\n* bread')[2]).toBe('    paragraph: "* all of it"');
    expect(read('* all of it\n  - or most -\n* bread')).toContain('    paragraph: "- or most -"');
    expect(read('* drinks:\n  - milk\n* bread')).toContain('    list 2');
  });

  it('are not single dashes', () => {
    expect(read('- said he.\n\nThen nothing.')).toEqual([
      'paragraph: "- said he."',
      'paragraph: "Then nothing."',
    ]);
  });
});

describe('the kind of a text', () => {
  it('is code of no language where its name ends in .txt', () => {
    const block = { kind: 'code', start: 0, end: 12 };
    expect(documentFromText('#!/bin/sh\nls', { filename: 'run.txt' }).blocks).toEqual([block]);
    expect(documentFromText('#!/bin/sh\nls', { filename: 'run.sh' }).blocks).toEqual([
      { ...block, language: 'sh' },
    ]);
  });

  it('is code by shebang, first line or braces', () => {
    for (const text of [
      '#!/bin/sh\nls',
      '<?php\n',
      '#include <a.h>\n',
      'package main\n',
      "import a from 'b';",
      '{\n  "a": 1 }',
    ]) {
      expect(guessKind(text), text).toBe('code');
    }
  });

  it('is Markdown by headings, fences, tables and links, and otherwise plain text', () => {
    for (const text of ['# A', '```\n', 'a | b\n--- | ---\n', 'See [a](https://b.c).']) {
      expect(guessKind(text), text).toBe('markdown');
    }
    for (const text of ['# A\n## B\n', 'a\n# B\nc', '\n~~~ts\n'])
      expect(guessKind(text), text).toBe('markdown');
    for (const text of [
      '# a\n# b\n',
      'Title\n~~~~~\n\n.. note::',
      '.. _a: https://b.c\n\n# d',
      // AsciiDoc, with and without what only it has.
      'Title\n~~~~~\n\nText.',
      'include::a.txt[]\n\n----\n# d\n----',
      'SYNOPSIS\n--------\n[verse]\nd [-a]\n\n----\n# d\n----',
      // Comments in code of Org, POD and LaTeX, and lines that people draw.
      '* Install\n\n#+BEGIN_SRC sh\n\n# or\n\n#+END_SRC',
      '=head1 NAME\n\na\n\n# b\n\n c',
      '\\documentclass{article}\n\n# or\n',
      'a\n\n# ----------\n\nb',
    ])
      expect(guessKind(text), text).toBe('text');
    for (const text of ['', 'import duties rose.', 'a [note] (b)', 'from here on', '- a\n- b']) {
      expect(guessKind(text), text).toBe('text');
    }
  });
});
