// The line of progress against a clock of the test.
import { expect, it } from 'vitest';
import { createProgress } from './progress.ts';

it('names the document at work, weighs documents by their length, and estimates the rest', () => {
  let ms = 0;
  const documents = [
    { shown: 'huge.md', bytes: 9_999 },
    { shown: 'a.pdf', bytes: 4_999 },
    { shown: 'b.pdf', bytes: 4_999 },
  ];
  const progress = createProgress(documents, () => ms);
  progress.begin('huge.md');
  progress.begin('a.pdf');
  expect(progress.line(50)).toBe('0/3 ░░░░░░░░░░ 0%  huge.md');
  ms = 1000;
  progress.finish('a.pdf');
  progress.begin('b.pdf');
  expect(progress.line(50)).toBe('1/3 ███░░░░░░░ 25%  huge.md');
  ms = 4000;
  progress.step('huge.md', 0.5, 'page 10 of 20');
  expect(progress.line(50)).toBe('1/3 █████░░░░░ 50% about 4 s left  huge.md, page 10 of 20');
  progress.finish('huge.md');
  expect(progress.line(50)).toBe('2/3 ████████░░ 75% about 2 s left  b.pdf');
  progress.finish('b.pdf');
  expect(progress.line(50)).toBe('3/3 ██████████ 100%');
});

it('counts documents the same where a length is unknown, and gives long estimates in minutes', () => {
  let ms = 0;
  const progress = createProgress([{ shown: 'standard input' }, { shown: 'a.txt', bytes: 1e9 }], () => ms);
  progress.begin('standard input');
  ms = 600_000;
  progress.finish('standard input');
  expect(progress.line(200)).toBe('1/2 ██████████░░░░░░░░░░ 50% about 10 min left');
});

it('ignores stages of documents that are not at work', () => {
  const progress = createProgress([{ shown: 'a.txt', bytes: 1 }], () => 0);
  progress.step('a.txt', 0.9, 'late');
  expect(progress.line(20)).toBe('0/1 ░░░░░░ 0%');
});

it('has no share of no documents', () => {
  expect(createProgress([], () => 0).line(80)).toBe('0/0 ░░░░░░░░░░░░░░░░ 0%');
});
