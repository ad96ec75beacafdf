import { documentFromText } from '@grainline/core';
import { cases } from '@grainline/testing/cases';
import { anyDocument } from '@grainline/testing/documents';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EvalError } from '../errors.ts';
import { makeQuestions } from './make.ts';
import type { EvalDocument } from './question.ts';
import { readQuestions, writeQuestions } from './read.ts';

const documentOf = (name: string, text: string): EvalDocument => ({ name, document: documentFromText(text) });

const TIDES = documentOf(
  'guide/tides.md',
  'High water comes at six.\nLow water comes at\nnoon. Low water is calm. Rope (20 m*) is here.\n',
);
const MOON = documentOf('guide/moon.md', 'The moon pulls the sea.');

function issuesOf(lines: readonly (object | string)[]): readonly string[] {
  const jsonl = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
  try {
    readQuestions(jsonl, [TIDES, MOON]);
  } catch (error) {
    if (error instanceof EvalError && error.code === 'invalid_questions') return error.issues;
    throw error;
  }
  return [];
}

describe('a file of questions', () => {
  it('gives the place of each answer, whatever its blanks, and the document by the end of its path', () => {
    const rows = [
      { question: ' When is low water? ', document: 'tides.md', answer: 'water  comes at noon.' },
      { question: 'Which rope?', document: 'guide/tides.md', answer: 'Rope (20 m*)' },
      { question: 'What pulls?', document: 'moon.md', span: [0, 8], answer: 'The moon' },
      { question: 'When is water?', document: 'tides.md', answer: ['noon', 'at six'] },
      {
        question: 'What is it?',
        document: 'tides.md',
        span: [
          [0, 4],
          [2, 10],
        ],
        made: 'heading',
      },
    ];
    const questions = readQuestions(`\uFEFF${rows.map((row) => JSON.stringify(row)).join('\r\n')}\n\n`, [
      TIDES,
      MOON,
    ]);
    const texts = questions.map(({ spans, document }) =>
      spans.map(({ start, end }) => (document === TIDES.name ? TIDES : MOON).document.text.slice(start, end)),
    );
    expect(texts).toEqual([
      ['water comes at\nnoon.'],
      ['Rope (20 m*)'],
      ['The moon'],
      ['at six', 'noon'],
      ['High water'],
    ]);
    expect(questions[0]?.question).toBe('When is low water?');
    expect(questions.map(({ origin }) => origin)).toEqual(['given', 'given', 'given', 'given', 'heading']);
  });

  it('needs no document name for a single document', () => {
    expect(readQuestions('{"question":"Who?","answer":"moon"}', [MOON])[0]?.document).toBe('guide/moon.md');
  });

  it('is refused with every line that is wrong', () => {
    const question = 'Who?';
    const document = 'moon.md';
    expect(
      issuesOf([
        { question, document, answer: 'The sun' },
        { question, document: 'tides.md', answer: 'Low water' },
        '',
        { question, document, span: [0, 99] },
        { question, document, span: [4, 4] },
        { question, document, span: [3, 4] },
        { question, document, span: ['0', 4] },
        { question, document, span: [0, 3], answer: 'moon' },
        { question, document: 'sun.md', answer: 'moon' },
        { question, document: 'md', answer: 'moon' },
        { question, document },
        { question: ' ', document, answer: 'moon' },
        { question, document, answer: 7 },
        { question, document, answer: 'moon', source: 'me' },
        { question, document, answer: 'moon', made: 'up' },
        '{"question":',
        '[]',
        { question, document, answer: 'moon' },
        { question: 'WHO? ', document: 'guide/moon.md', answer: 'The moon' },
        { question, document: 'tides.md', answer: 'at six' },
      ]).map((issue) => issue.replace(/,? which .*|; a line.*/, '')),
    ).toEqual([
      'line 1: the answer "The sun" does not occur in the document',
      'line 2: the answer "Low water" occurs more than once; give more of it, or its span',
      'line 4: the span [0, 99] is not in the document',
      'line 5: the span [4, 4] is not in the document',
      'line 6: the span [3, 4] is blank',
      'line 7: span must be [start, end] or a list of those, in integers',
      'line 8: the answer is not the text of the span',
      'line 9: there is no document "sun.md"',
      'line 10: there is no document "md"',
      'line 11: there is neither answer nor span',
      'line 12: question must be a text',
      'line 13: answer must be a text or a list of texts',
      'line 14: there is no member "source"',
      'line 15: made must be cell, definition, heading or absent',
      'line 16: it is no JSON',
      'line 17: it is no JSON object',
      'line 19: the question stands in line 18 already',
    ]);
  });

  it('has none of its megabytes in a message', () => {
    const long = 'm'.repeat(1e6);
    const issues = issuesOf([{ question: 'Who?', document: long, answer: 'moon' }, { [long]: 1 }]);
    expect(issues.map((issue) => issue.slice(0, 40))).toEqual([
      'line 1: there is no document "mmmmmmmmmm',
      'line 2: there is no member "mmmmmmmmmmmm',
    ]);
    expect(issues.join('').length).toBeLessThan(300);
  });

  it('is not checked to its end when nearly all of it is wrong', () => {
    const issues = issuesOf(Array.from({ length: 300 }, () => ({ question: 'Who?', answer: 'the sun' })));
    expect(issues).toHaveLength(201);
    expect(issues.at(-1)).toBe('the lines behind line 200 are not checked');
  });

  it('must hold a question', () => {
    expect(() => readQuestions('\n', [MOON])).toThrow(/holds no question/);
  });

  it('finds a long answer of marks in linear time', () => {
    const text = `${'(a+)+ '.repeat(20_000)}end`;
    const row = JSON.stringify({ question: 'Which?', answer: `${'(a+)+ '.repeat(5000)}end` });
    expect(readQuestions(row, [documentOf('a.txt', text)])[0]?.spans[0]?.end).toBe(text.length);
  });
});

const HANDBOOK = `# Handbook of the harbour

The harbour is a place where ships land in the lee of a long wall.

## Rules of the night watch

Every light burns from dusk on, and the watch walks the wall twice.

| Setting | Default | Meaning |
| ------- | ------- | ------- |
| \`wall_height\` | 7 m | above low water |
| \`lamp\` | oil | what burns |
| \`lamp\` | gas | stands twice |

- **Spring tide**: the largest tide of a month, after a full or a new moon. It is twice.
- It is a rule that nobody sails alone at night in winter.
`;

describe('questions made by rules', () => {
  it('come from cells, definitions and headings, and hold their answers', () => {
    const document = documentOf('handbook.md', HANDBOOK);
    const made = makeQuestions([document]).map(({ question, spans, origin }) => [
      origin,
      question,
      HANDBOOK.slice(spans[0]?.start, spans[0]?.end),
    ]);
    expect(made).toHaveLength(5);
    expect(made).toContainEqual([
      'cell',
      expect.stringMatching(/^What is the (?:Default|Meaning) of wall_height\?$/),
      '| `wall_height` | 7 m | above low water |',
    ]);
    expect(made).toContainEqual([
      'definition',
      'What is harbour?',
      'The harbour is a place where ships land in the lee of a long wall.',
    ]);
    expect(made).toContainEqual([
      'definition',
      'What is Spring tide?',
      '**Spring tide**: the largest tide of a month, after a full or a new moon.',
    ]);
    expect(
      made
        .filter(([origin]) => origin === 'heading')
        .map(([, question]) => question)
        .sort(),
    ).toEqual(['Handbook of the harbour', 'Rules of the night watch']);
  });

  it('are left out when two places answer them, and are bounded', () => {
    const twice = ['a.md', 'b.md'].map((name) => documentOf(name, HANDBOOK));
    expect(makeQuestions(twice)).toEqual([]);
    const rows = Array.from(
      { length: 50 },
      (_, index) => `## Part number ${index}\n\n| Name | Use |\n|--|--|\n| tool${index} | use ${index} |\n\n`,
    );
    const many = [documentOf('many.md', rows.join(''))];
    expect(makeQuestions(many, { most: 10, mostHeadings: 0 })).toHaveLength(10);
    expect(makeQuestions(many)).toEqual(makeQuestions(many));
  });

  it('of a table of many rows, and of a title of brackets, take linear time', () => {
    const rows = Array.from({ length: 30_000 }, (_, index) => `| tool${index} | use ${index} |\n`);
    const text = `# ${'['.repeat(500_000)}\n\n| Name | Use |\n|--|--|\n${rows.join('')}`;
    expect(makeQuestions([documentOf('many.md', text)])).toHaveLength(5);
  });

  it('have answers inside any document, and survive a file', () => {
    const holds = fc.property(anyDocument, anyDocument, (one, other) => {
      const documents = [documentOf('one.md', `${one}\n\n${HANDBOOK}`), documentOf('other.md', other)];
      const made = makeQuestions(documents);
      for (const { document, spans } of made) {
        const { length } = documents.find(({ name }) => name === document)!.document.text;
        for (const { start, end } of spans)
          expect([start >= 0, start < end, end <= length]).toEqual([true, true, true]);
      }
      if (made.length > 0) expect(readQuestions(writeQuestions(made, documents), documents)).toEqual(made);
    });
    fc.assert(holds, cases(60));
  });
});
