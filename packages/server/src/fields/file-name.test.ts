import { describe, expect, it } from 'vitest';
import { cleanName } from './file-name.ts';

describe('the name of a file', () => {
  it.each([
    ['C:\\docs\\report.pdf', 'report.pdf'],
    ['../../etc/passwd', 'passwd'],
    ['a\u202etxt.exe\u0000', 'atxt.exe'],
    ['folder/', undefined],
    ['..', undefined],
  ])('%j is kept as %j', (name, kept) => {
    expect(cleanName(name)).toBe(kept);
  });

  it.each([
    ['a'.repeat(200), 'a'.repeat(200)],
    ['a'.repeat(201), 'a'.repeat(200)],
    [`${'a'.repeat(197)}.md`, `${'a'.repeat(197)}.md`],
    [`${'a'.repeat(198)}.md`, `${'a'.repeat(197)}.md`],
    [`${'a'.repeat(300)}.tar.gz`, `${'a'.repeat(197)}.gz`],
    // A dot in a sentence is no ending.
    [`${'a'.repeat(190)}. ${'b'.repeat(30)}`, `${'a'.repeat(190)}. ${'b'.repeat(8)}`],
    [`.${'a'.repeat(300)}`, `.${'a'.repeat(199)}`],
    // 196 units, and half a character more that would fit.
    [`${'a'.repeat(196)}😀😀.md`, `${'a'.repeat(196)}.md`],
    [`${'a'.repeat(199)}😀`, 'a'.repeat(199)],
    [`${'a'.repeat(300)}.😀`, `${'a'.repeat(197)}.😀`],
  ])('that is too long keeps its ending: %#', (name, kept) => {
    expect(cleanName(name)).toBe(kept);
  });
});
