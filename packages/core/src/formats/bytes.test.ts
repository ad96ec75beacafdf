import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '@grainline/testing/cases';
import { jsonBytes } from './bytes.ts';

const written = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

describe('jsonBytes', () => {
  it('counts what JSON.stringify writes, for any JSON value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => jsonBytes(value) === written(value)),
      cases(100),
    );
  });

  it('counts escapes, pairs and lone surrogates as JSON.stringify writes them', () => {
    const unit = fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code));
    const hostile = fc.constantFrom(
      '"',
      '\\',
      '\n',
      '\0',
      '\x1f',
      '\x7f',
      '\u2028',
      '\uD83D',
      '\uDE00',
      '😀',
      'é',
      '漢',
    );
    const text = fc.array(fc.oneof(unit, hostile), { maxLength: 60 }).map((units) => units.join(''));
    fc.assert(
      fc.property(text, (string) => jsonBytes(string) === written(string)),
      cases(100),
    );
  });

  it('counts numbers as they are written', () => {
    for (const number of [0, -0, 1, -1.5, 1e21, 1e-7, 0.1 + 0.2, Number.MAX_VALUE]) {
      expect(jsonBytes(number)).toBe(written(number));
    }
  });

  it('leaves out members that are undefined, as JSON.stringify does', () => {
    expect(jsonBytes({ a: undefined, b: 1 })).toBeGreaterThanOrEqual(written({ a: undefined, b: 1 }));
    expect(jsonBytes({ b: undefined })).toBe(written({ b: undefined }));
  });
});
