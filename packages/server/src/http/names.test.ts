import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '../../../core/test/cases.ts';
import { cleanName, MAX_NAME_CHARACTERS } from './names.ts';

describe('a file name', () => {
  it.each(['.md', '.html', '.c++'])(
    'that is too long keeps its ending %s, which says how to read it',
    (ending) => {
      const kept = cleanName(`${'n'.repeat(250)}${ending}`);
      expect(kept).toBe('n'.repeat(MAX_NAME_CHARACTERS - ending.length) + ending);
    },
  );

  it('that has no ending is cut at its end', () => {
    for (const name of ['n'.repeat(250), `n.${'n'.repeat(250)}`, `.${'n'.repeat(250)}`])
      expect(cleanName(name)).toBe(name.slice(0, MAX_NAME_CHARACTERS));
  });

  it('is short, well-formed, of one folder and without controls, whatever was sent', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (name) => {
        const kept = cleanName(name) ?? 'nothing';
        expect(kept.length).toBeLessThanOrEqual(MAX_NAME_CHARACTERS);
        expect(kept.isWellFormed()).toBe(true);
        expect(kept).not.toMatch(/[/\\\p{Cc}]/u);
      }),
      cases(200),
    );
  });
});
