import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { cases } from '@grainline/testing/cases';
import { MAX_SIGNS, parseJsonObject } from './json.ts';

const parse = (text: string): ReadonlyMap<string, unknown> => parseJsonObject(Buffer.from(text));

describe('a JSON body', () => {
  it('is read into its members, __proto__ being one like any other', () => {
    expect([...parse('{"a":1,"__proto__":{"b":2}}')]).toEqual([
      ['a', 1],
      ['__proto__', { b: 2 }],
    ]);
  });

  it('is the same that JSON.parse gives, for any object', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()), (object) => {
        const text = JSON.stringify(object);
        expect(Object.fromEntries(parse(text))).toEqual(
          Object.fromEntries(Object.entries(JSON.parse(text) as object)),
        );
      }),
      cases(100),
    );
  });

  it('is refused when a name comes twice, wherever quotes, escapes and nested names stand', () => {
    fc.assert(
      fc.property(fc.string(), fc.jsonValue(), fc.jsonValue(), (name, one, two) => {
        const member = (value: unknown): string => `${JSON.stringify(name)}:${JSON.stringify(value)}`;
        expect(() => parse(`{${member(one)},${member(two)}}`)).toThrow(
          expect.objectContaining({ code: 'invalid_json' }),
        );
      }),
      cases(100),
    );
  });

  it('is refused when it has more signs than any request, and never for what stands in its strings', () => {
    const signs = (count: number): string =>
      `{"text":[${Array.from({ length: count }, () => '0').join(',')}]}`;
    // Besides the commas: two braces, a name, a colon, and two brackets.
    expect(parse(signs(MAX_SIGNS - 5)).size).toBe(1);
    expect(() => parse(signs(MAX_SIGNS - 4))).toThrow(expect.objectContaining({ code: 'invalid_json' }));
    const text = '{"a":[1,2,"\\\\"]},'.repeat(MAX_SIGNS);
    expect(parse(JSON.stringify({ text })).get('text')).toBe(text);
  });

  it('is refused when it ends within a string, however many quotes and slashes it has', () => {
    for (const text of [
      '{"',
      '{"a',
      '{"a\\',
      '{"a\\"',
      `{"${'\\"'.repeat(100_000)}`,
      `{"${'\\'.repeat(100_001)}"`,
    ])
      expect(() => parse(text)).toThrow(expect.objectContaining({ code: 'invalid_json' }));
  });

  it('may repeat names inside nested values', () => {
    expect(parse('{"a":{"b":1},"b":[{"a":1},{"a":2}]}').size).toBe(2);
  });
});
