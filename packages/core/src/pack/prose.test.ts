import { describe, expect, it } from 'vitest';
import { Atoms, FLAG, STRENGTH } from './atoms.ts';
import { LineReader } from './line-reader.ts';
import { UTF16 } from './measure.ts';
import { Prose } from './prose.ts';

/** The atoms of a text as strings. */
function atomsOf(text: string, size = 1000, longest = size): { pieces: string[]; atoms: Atoms } {
  const atoms = new Atoms(1, UTF16);
  const prose = new Prose(atoms, text, { size, longest, whole: 0 }, UTF16);
  new LineReader(prose, text).add(0, text.length, STRENGTH.paragraph);
  const pieces = Array.from({ length: atoms.count }, (_, at) => text.slice(atoms.starts[at], atoms.ends[at]));
  return { pieces, atoms };
}

const strengthsOf = (text: string): number[] => {
  const { atoms } = atomsOf(text);
  return [...atoms.strengths.slice(0, atoms.count)];
};

describe('sentences as atoms', () => {
  it('know the lines and paragraphs between them', () => {
    const { sentence, line, paragraph } = STRENGTH;
    expect(strengthsOf('One is here. Two is here.\nThree is here.\n\nFour is here.')).toEqual([
      paragraph,
      sentence,
      line,
      paragraph,
    ]);
  });

  it('are not looked for in a paragraph that is short enough', () => {
    const text = 'One is here. Two is here.';
    const atoms = new Atoms(1, UTF16);
    const prose = new Prose(atoms, text, { size: 100, longest: 100, whole: text.length }, UTF16);
    new LineReader(prose, text).add(0, text.length, STRENGTH.paragraph);
    expect(atoms.count).toBe(1);
  });

  it('are cut between the words of Thai, which no blank parts', () => {
    const text =
      'การท่องเที่ยวในประเทศไทยเป็นอุตสาหกรรมที่สำคัญของประเทศและสร้างรายได้ให้กับประชาชนจำนวนมากในทุกภูมิภาค'.repeat(5);
    const words = new Intl.Segmenter('th', { granularity: 'word' });
    const starts = new Set(Array.from(words.segment(text), ({ index }) => index));
    for (const size of [60, 100, 200, 300]) {
      const { atoms } = atomsOf(text, size);
      expect(atoms.count).toBeGreaterThan(2);
      expect(Array.from(atoms.starts.slice(0, atoms.count)).filter((start) => !starts.has(start))).toEqual(
        [],
      );
    }
  });

  it('take a line longer than anybody wraps for a paragraph', () => {
    const line = `${'Many words stand here '.repeat(9)}and end.`;
    expect(strengthsOf(`${line}\n${line}`)).toEqual([STRENGTH.paragraph, STRENGTH.paragraph]);
  });

  it('hold no heading of Markdown or of a wiki', () => {
    const { pieces, atoms } = atomsOf('Before.\n## Title\nText one.\n = = Wiki title = = \nText two.');
    expect(pieces).toEqual(['Before.', '## Title', 'Text one.', '= = Wiki title = =', 'Text two.']);
    const keepsWithNext = [...atoms.flags.slice(0, 5)].map((flags) => (flags & FLAG.keepWithNext) !== 0);
    expect(keepsWithNext).toEqual([false, true, false, true, false]);
  });

  it('know a heading in the second line, behind an empty one', () => {
    expect(strengthsOf('\n# Title\n')).toEqual([STRENGTH.heading]);
  });

  it.each(['####### seven', '#tag', '= 5', 'a = b =', `# ${'x'.repeat(400)}`])(
    'take no heading from %j',
    (text) => {
      expect(strengthsOf(text)).not.toContain(STRENGTH.heading);
    },
  );

  it('end at escaped line ends and records of a log', () => {
    const log = `[{'text': 'One.\\n\\nTwo\\nThree'}, {'text': 'Four\\nFive'}]`;
    expect(atomsOf(log).pieces).toEqual([
      `[{'text': 'One.\\n\\n`,
      'Two\\n',
      `Three'},`,
      `{'text': 'Four\\n`,
      `Five'}]`,
    ]);
  });

  it('leave a backslash in a path alone', () => {
    const text = 'Open C:\\new and C:\\nine and C:\\night and C:\\note.\nThen\nclose\nthem\nall.';
    expect(atomsOf(text).pieces.join(' ')).toContain('C:\\new and C:\\nine');
  });

  it('tell a lead-in by its colon', () => {
    const { atoms } = atomsOf('These are they:');
    expect((atoms.flags[0] ?? 0) & FLAG.introduces).toBe(FLAG.introduces);
  });
});

describe('parts of a long sentence', () => {
  const words = 'word after word and so on, with a clause now and then, '.repeat(30).trim();

  it('are even, and end at clauses where they can', () => {
    const { pieces } = atomsOf(words);
    for (const piece of pieces) {
      expect(piece.length).toBeLessThanOrEqual(340);
      expect(piece.length).toBeGreaterThanOrEqual(150);
    }
    for (const piece of pieces.slice(0, -1)) expect(piece).toMatch(/,$/);
  });

  it('are never longer than the maximum, whatever it is', () => {
    for (let size = 1; size < 120; size++) {
      for (const piece of atomsOf(words, size).pieces) expect(piece.length).toBeLessThanOrEqual(size);
    }
  });

  it('lose nothing', () => {
    for (const size of [1, 2, 3, 5, 8, 13, 100])
      expect(atomsOf(words, size).pieces.join('').replaceAll(' ', '')).toBe(words.replaceAll(' ', ''));
  });

  it('break no cluster that a chunk can hold', () => {
    const family = '👨‍👩‍👧‍👦';
    expect(atomsOf(family.repeat(5), 7, 11).pieces).toEqual(Array.from({ length: 5 }, () => family));
    for (const piece of atomsOf(family, 5, 5).pieces) expect(piece.isWellFormed()).toBe(true);
  });

  it('leave a mark the blank that it stands on', () => {
    expect(atomsOf('aaaaaa \u0301bbbbb', 8).pieces.join('|')).not.toMatch(/\|\u0301/);
  });

  it('leave room behind a heading', () => {
    const { pieces } = atomsOf(`# ${'h'.repeat(60)}\n${words}`, 200);
    expect((pieces[0] ?? '').length + 1 + (pieces[1] ?? '').length).toBeLessThanOrEqual(200);
  });

  it('leave room behind a heading in a range that would stay whole, too', () => {
    const text = `# ${'h'.repeat(58)}\n${'word '.repeat(11)}`;
    const atoms = new Atoms(1, UTF16);
    const prose = new Prose(atoms, text, { size: 100, longest: 100, whole: 100 }, UTF16);
    new LineReader(prose, text).add(0, text.length, STRENGTH.paragraph);
    expect(atoms.ends[1]).toBeLessThanOrEqual(100);
  });
});

describe('lines that no sentence runs through', () => {
  const row = (length: number): string => `| ${'x'.repeat(length - 4)} |`;

  it('are parted before a long one, which stays whole', () => {
    const rows = [row(30), row(30), row(180), row(30), row(30)];
    const { pieces } = atomsOf(rows.join('\n'), 200);
    expect(pieces.flatMap((piece) => piece.split('\n'))).toEqual(rows);
  });

  it('leave room behind a heading, and have all of it after that', () => {
    const { pieces } = atomsOf(`# ${'h'.repeat(98)}\n${Array(40).fill(row(20)).join('\n')}`, 200);
    expect(101 + (pieces[1] ?? '').length).toBeLessThanOrEqual(200);
    expect(pieces[2]?.length).toBeGreaterThan(pieces[1]?.length ?? 0);
  });
});
