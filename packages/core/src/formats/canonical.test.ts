import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '@grainline/testing/cases';
import { canonicalJson } from './canonical.ts';

describe('canonical JSON', () => {
  it('is the example of RFC 8785, section 3.2.3', () => {
    const value = {
      numbers: [Number('333333333.33333329'), 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
      string: '\u20ac$\u000f\nA\'B"\\\\"/',
      literals: [null, true, false],
    };
    expect(canonicalJson(value)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],' +
        '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
  });

  it('orders names by their UTF-16 units, as section 3.2.3 lists them', () => {
    const names = ['\u20ac', '\r', '\ufb33', '1', '\ud83d\ude00', '\u0080', '\u00f6'];
    const written = canonicalJson(Object.fromEntries(names.map((name) => [name, 0])));
    const order = ['\r', '1', '\u0080', '\u00f6', '\u20ac', '\ud83d\ude00', '\ufb33'];
    expect(written).toBe(`{${order.map((name) => `${JSON.stringify(name)}:0`).join(',')}}`);
  });

  it('means the same value, whatever the order of its members', () => {
    const reversed = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(reversed);
      if (typeof value !== 'object' || value === null) return value;
      return Object.fromEntries(
        Object.entries(value)
          .reverse()
          .map(([name, member]) => [name, reversed(member)]),
      );
    };
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), (value) => {
        const written = canonicalJson(value);
        expect(isDeepStrictEqual(JSON.parse(written), JSON.parse(JSON.stringify(value)))).toBe(true);
        expect(canonicalJson(reversed(value))).toBe(written);
      }),
      cases(200),
    );
  });

  it('is the text of a plain recursion, whatever the names', () => {
    const name = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.nat(1200).map(String),
      fc.constantFrom('__proto__', 'toString', 'constructor', '01', '-1', '4294967295', '4294967296'),
    );
    const leaf = fc.oneof(
      fc.constant(null),
      fc.boolean(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      name,
    );
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        leaf,
        fc.array(tie('value'), { maxLength: 5 }),
        fc.dictionary(name, tie('value'), { maxKeys: 6 }),
      ),
    }));
    fc.assert(
      fc.property(value, (any) => {
        expect(canonicalJson(any)).toBe(recursive(any));
      }),
      cases(100),
    );
    expect(canonicalJson({ 10: 'b', 9: 'c', a: 'd', ' ': 'a' })).toBe('{" ":"a","10":"b","9":"c","a":"d"}');
  });

  it('leaves out members without a value', () => {
    expect(canonicalJson({ a: undefined, b: { c: undefined } })).toBe('{"b":{}}');
  });
});

/** Section 3.2 word for word, a call for each value. */
function recursive(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(recursive).join(',')}]`;
  const members = Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${recursive(member)}`);
  return `{${members.join(',')}}`;
}
