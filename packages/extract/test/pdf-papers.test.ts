// Headings of papers in PDFs that only their numbers show: "I. INTRODUCTION", "A. Methods".
import { describe, expect, it } from 'vitest';
import { extract } from '../src/index.ts';
import { setText, writePdf, type SetText } from '@grainline/testing/pdf-writer';

/**
 * Lines at 12 points' distance; one that begins with `+` has as much white space above it again, and stands in the
 * middle when it begins with `+ `.
 */
async function headingsOf(lines: readonly string[]): Promise<string[]> {
  let y = 740;
  const texts = lines.map((text): SetText => {
    y -= text.startsWith('+') ? 20 : 12;
    return { x: text.startsWith('+ ') ? 260 - 2.2 * text.length : 60, y, text: text.replace(/^\+ ?/, '') };
  });
  const title: SetText = { x: 60, y: 760, text: 'The Salts of Rivers', size: 20 };
  const bytes = writePdf({ pages: [{ content: setText([title, ...texts]) }] });
  const { text } = await extract(bytes, { filename: 'test.pdf' });
  return text.split('\n').filter((line) => line.startsWith('#'));
}

const TEXT = [
  'The river rises in the hills and runs for sixty miles before it meets the sea. Its water was',
  'measured at nine places, twice a week, for three years, by two people who live beside it.',
];

describe('headings in the type of the text', () => {
  it('are found where roman numbers count titles in capitals, and letters those below', async () => {
    const lines = [
      ...['+I. INTRODUCTION', ...TEXT, '+II. METHODS', ...TEXT, '+A. Places of the River', ...TEXT],
      ...['+B. Days', ...TEXT, '+III. WHAT WAS FOUND IN THE WATER', ...TEXT, '+IV. CONCLUSION', ...TEXT],
    ];
    expect(await headingsOf(lines)).toEqual([
      '# The Salts of Rivers',
      '## I. INTRODUCTION',
      '## II. METHODS',
      '### A. Places of the River',
      '### B. Days',
      '## III. WHAT WAS FOUND IN THE WATER',
      '## IV. CONCLUSION',
    ]);
  });

  it('are none where the numbers do not count, or no white space is above', async () => {
    const lines = [
      ...['+I. INTRODUCTION', ...TEXT, '+V. METHODS', ...TEXT, '+II. PLACES', ...TEXT],
      ...['III. DAYS', ...TEXT, '+A. Smith and others', ...TEXT],
    ];
    expect(await headingsOf(lines)).toEqual(['# The Salts of Rivers']);
  });

  it('are found where figures count titles in the middle of the text', async () => {
    const lines = [
      ...['+ 1. Introduction', ...TEXT, '+ 2. Places of the River', ...TEXT, '+ 3. Days', ...TEXT],
      ...['+1. The first item of a list', ...TEXT],
    ];
    expect(await headingsOf(lines)).toEqual([
      '# The Salts of Rivers',
      '## 1. Introduction',
      '## 2. Places of the River',
      '## 3. Days',
    ]);
    expect(await headingsOf(lines.map((line) => line.replace('+ ', '+')))).toEqual(['# The Salts of Rivers']);
    const romans = [
      '+ I. Introduction',
      ...TEXT,
      '+ II. Places of the River',
      ...TEXT,
      '+ III. Days',
      ...TEXT,
    ];
    expect(await headingsOf(romans)).toHaveLength(4);
  });
});
