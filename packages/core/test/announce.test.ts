// What announces what stands below it, without a colon: no chunk of `structure` ends with it where both fit.
import { describe, expect, it } from 'vitest';
import { chunkSync } from '../src/chunk.ts';
import type { TextKind } from '../src/blocks/index.ts';

const said = (words: number): string => `It ${'was said '.repeat(words).trim()}.`;

/** The texts of chunks of two paragraphs with something between them, whose middle is where a cut would fall. */
function around(between: string, kind: TextKind = 'text', below = said(20)): string[] {
  const text = `${said(20)}\n\n${between}\n\n${below}`;
  return chunkSync(text, { tier: 'structure', kind, size: 260, target: 200 }).map((chunk) => chunk.text);
}

describe('a line that announces what stands below it', () => {
  it.each([
    'Ingredients',
    '* Performance',
    'Hi Ben,',
    'II',
    '=== On Windows',
    'openssh (1:9.1) unstable; urgency=medium',
  ])('is a label: %s', (label) => {
    expect(around(label).map((text) => text.startsWith(label))).toEqual([false, true]);
  });

  it('is a question', () => {
    expect(around('INTERVIEWER: What did you find?')[1]).toMatch(/^INTERVIEWER/);
  });

  it('is a line in strong type, also with a full stop', () => {
    expect(around('**Example 1.**', 'markdown')[1]).toMatch(/^\*\*Example/);
  });

  it('is a line without a full stop above what is indented', () => {
    const between =
      'Alternatively the whole of it can be undone at once, and without any trace of what was done, with';
    expect(around(between, 'text', `     undo --all ${'--quickly '.repeat(12).trim()}`)[1]).toMatch(
      /^Alternatively/,
    );
  });

  it('is the caption of a table, whatever it is called', () => {
    const table = `| a | b |\n|---|---|\n${'| 1 | 2 |\n'.repeat(9).trim()}`;
    expect(around('Exhibit 2.4. Children, by age', 'markdown', table)[1]).toMatch(/^Exhibit/);
  });
});

it('a short sentence announces nothing', () => {
  expect(around('It was so.')[0]).toMatch(/It was so\.$/);
});
