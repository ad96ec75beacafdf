import { describe, expect, it } from 'vitest';
import { countWork } from '../../test/work.ts';
import { Atoms, FLAG, STRENGTH } from './atoms.ts';
import { LineReader } from './line-reader.ts';
import { UTF16 } from './measure.ts';
import { Prose } from './prose.ts';

interface Read {
  readonly pieces: readonly string[];
  readonly strengths: readonly number[];
  readonly headings: readonly string[];
}

/** The atoms of a text. By default nothing stays whole for being short. */
function read(text: string, { size = 1000, whole = 1 } = {}): Read {
  const atoms = new Atoms(1, UTF16);
  const prose = new Prose(atoms, text, { size, longest: size, whole }, UTF16);
  new LineReader(prose, text).add(0, text.length, STRENGTH.paragraph);
  const all = Array.from({ length: atoms.count }, (_, at) => at);
  const pieces = all.map((at) => text.slice(atoms.starts[at], atoms.ends[at]));
  return {
    pieces,
    strengths: all.map((at) => atoms.strengths[at]!),
    headings: pieces.filter((_, at) => (atoms.flags[at]! & FLAG.heading) !== 0),
  };
}

const SENTENCE = 'Low water follows six hours and thirteen minutes later.';

describe('items of a list', () => {
  it.each([
    ['dashes', '- One. Two.\n- Three.', ['- One.', 'Two.', '- Three.']],
    ['bullets', '• One\n  ◦ Two\n• Three', ['• One', '◦ Two', '• Three']],
    ['numbers', '1. One\n2. Two\n3) Three', ['1. One', '2. Two', '3) Three']],
  ])('begin atoms: %s', (_, text, pieces) => {
    expect(read(text).pieces).toEqual(pieces);
  });

  it('are parted by gaps of lines, or of paragraphs where items are as long', () => {
    const long = `- ${SENTENCE} ${SENTENCE} ${SENTENCE}`;
    expect(read('- One\n- Two', { whole: 5 }).strengths).toEqual([STRENGTH.paragraph, STRENGTH.line]);
    expect(read(`${long}\n${long}`, { whole: long.length + 1 }).strengths).toEqual([
      STRENGTH.paragraph,
      STRENGTH.paragraph,
    ]);
  });

  it('stay whole where they are short, and so does a whole list', () => {
    const text = '- One. Two.\n- Three. Four.';
    expect(read(text, { whole: 15 }).pieces).toEqual(['- One. Two.', '- Three. Four.']);
    expect(read(text, { whole: 50 }).pieces).toEqual([text]);
  });

  it('need a number that counts on', () => {
    expect(read('He was born in\n1984. That was late').pieces).toEqual([
      'He was born in\n1984.',
      'That was late',
    ]);
  });
});

describe('code', () => {
  const LINES = Array.from({ length: 40 }, (_, line) => `  call(${line}). then(line); // Why. Because.`).join(
    '\n',
  );

  it('is cut between its lines, and with their indentation', () => {
    const text = `Before it.\n\`\`\`js\n${LINES}\n\`\`\`\nBehind it. And on.`;
    const { pieces, strengths } = read(text);
    expect(pieces[0]).toBe('Before it.');
    expect(pieces.slice(-2)).toEqual(['Behind it.', 'And on.']);
    const code = pieces.slice(1, -2);
    expect(code.length).toBeGreaterThan(3);
    expect(code.join('\n')).toBe(`\`\`\`js\n${LINES}\n\`\`\``);
    expect(strengths.slice(2, code.length + 1)).toEqual(code.slice(1).map(() => STRENGTH.clause));
  });

  it('goes on behind blank lines, and holds neither headings nor items', () => {
    const text = '```\n# comment\n\n- a. B.\n- c. D.\n```\n\n# Title\nText.';
    expect(read(text, { size: 30 })).toMatchObject({
      pieces: ['```\n# comment', '- a. B.\n- c. D.\n```', '# Title', 'Text.'],
      headings: ['# Title'],
    });
  });

  it('goes on behind blank lines that stand before a word', () => {
    const text = '```\ncall(it)\n\nthen. Why. Because.\n```\nOne. Two.';
    expect(read(text, { size: 30 }).pieces).toEqual([
      '```\ncall(it)',
      'then. Why. Because.\n```',
      'One.',
      'Two.',
    ]);
  });

  it('is not ended by a fence behind other text of its line', () => {
    expect(read('```\nA. B. ```\nC. D.\n```\nOne. Two.').pieces).toEqual([
      '```\nA. B. ```\nC. D.\n```',
      'One.',
      'Two.',
    ]);
  });

  it('stays whole where it fits, blank lines and all', () => {
    const code = '```\n# comment\n\n- a. B.\n```';
    expect(read(`${code}\n\nText.`, { size: code.length }).pieces).toEqual([code, 'Text.']);
    expect(read(`${code}\n\nText.`, { size: code.length - 1 }).pieces).not.toContain(code);
  });

  it('ends with a fence as long as the one that opens it', () => {
    const text = '````md\n```\nA. B.\n```\n````\nSea. Land.';
    expect(read(text).pieces).toEqual(['````md\n```\nA. B.\n```\n````', 'Sea.', 'Land.']);
  });

  it.each(['```\nOne. Two.', '``` inline ``` One.\n```x', `${'`'.repeat(20)}\nOne. Two.\n${'`'.repeat(20)}`])(
    'is not what nothing closes: %j',
    (text) => {
      expect(read(text).pieces.length).toBeGreaterThan(1);
    },
  );

  it('ends in its own range, and the search for its end costs no more where fences follow behind that', async () => {
    const readPart = async (lines: number): Promise<number> => {
      const part = '```js\n'.repeat(lines);
      const text = `${part}\nText.\n\n\`\`\`\n`;
      const atoms = new Atoms(1, UTF16);
      const prose = new Prose(atoms, text, { size: 100, longest: 100, whole: 1 }, UTF16);
      const reader = new LineReader(prose, text);
      return countWork(() => {
        reader.add(0, part.length, STRENGTH.paragraph);
        reader.add(part.length, text.length, STRENGTH.paragraph);
      });
    };
    expect(await readPart(800)).toBeLessThan(2.2 * (await readPart(400)));
  });

  it('is found in a range behind one whose fence nothing closes', () => {
    const text = '```\nOne. Two.\n\n```\nA. B.\n```';
    const atoms = new Atoms(1, UTF16);
    const prose = new Prose(atoms, text, { size: 100, longest: 100, whole: 1 }, UTF16);
    const reader = new LineReader(prose, text);
    reader.add(0, 13, STRENGTH.paragraph);
    reader.add(15, text.length, STRENGTH.paragraph);
    expect(text.slice(atoms.starts[atoms.count - 1], atoms.ends[atoms.count - 1])).toBe('```\nA. B.\n```');
  });

  it('is known in lines that end with a return', () => {
    expect(read('```\r\nA. B.\r\n```\r\nSea. Land.').pieces).toEqual([
      '```\r\nA. B.\r\n```',
      'Sea.',
      'Land.',
    ]);
  });
});

describe('rows of a table', () => {
  const ROWS = Array.from({ length: 20 }, (_, row) => `| Port no. ${row} | High. Low. | ${row} m |`);

  it('are cut between rows', () => {
    const { pieces } = read(`Ports. Tides.\n${ROWS.join('\n')}\nAll of them.`);
    expect(pieces.slice(0, 2)).toEqual(['Ports.', 'Tides.']);
    expect(pieces.at(-1)).toBe('All of them.');
    expect(pieces.slice(2, -1).flatMap((piece) => piece.split('\n'))).toEqual(ROWS);
  });

  it.each([
    ['by marks', '+----+----+\n| A. | B. |\n+====+====+\n| C. | D. |\n+----+----+'],
    ['by a frame', '┌────┬────┐\n│ A. │ B. │\n├────┼────┤\n│ C. │ D. │\n└────┴────┘'],
  ])('may be drawn %s', (_, table) => {
    expect(read(`${table}\nOne. Two.`).pieces).toEqual([table, 'One.', 'Two.']);
  });

  it('are cut where they have to be', () => {
    const row = `| ${SENTENCE.repeat(10)} |`;
    for (const piece of read(`${row}\n${row}`, { size: 200 }).pieces)
      expect(piece.length).toBeLessThanOrEqual(200);
  });
});
