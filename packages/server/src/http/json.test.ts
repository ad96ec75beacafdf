import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { cases } from '../../../core/test/cases.ts';
import { parseJsonObject } from './json.ts';

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

  it('may repeat names inside nested values', () => {
    expect(parse('{"a":{"b":1},"b":[{"a":1},{"a":2}]}').size).toBe(2);
  });
});
