import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '@grainline/testing/cases';
import { ExtractError } from '../errors.ts';
import { attributeOf, attributesOf, readXml } from './xml.ts';

/** The tags of a part, each with its attributes. */
function tagsOf(xml: string): unknown[] {
  const tags: unknown[] = [];
  const open = (name: string, written: string): void => {
    tags.push([name, Object.fromEntries(attributesOf(written))]);
  };
  readXml(xml, { open, close: (name) => tags.push(name), text: (text) => tags.push({ text }) }, { tags: 0 });
  return tags;
}

const blanks = (minLength: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(' ', '\t', '\n', '\r\n'), minLength, maxLength: 3 });
const name = fc.string({
  unit: fc.constantFrom('a', 'B', 'é', '-', '1', '.', '漢'),
  minLength: 1,
  maxLength: 5,
});
/** A value in quotes, in which the other quote, signs and brackets are text. */
const value = fc
  .tuple(
    fc.constantFrom('"', "'"),
    fc.string({ unit: fc.constantFrom('x', '=', '>', '<', '/', ' ', '"', "'", ':') }),
  )
  .map(([quote, text]) => ({ quote, text: text.replaceAll(quote, '') }));
const attribute = fc.record({
  before: blanks(1),
  prefix: fc.constantFrom('', 'w:'),
  name,
  blanks: blanks(0),
  value,
});

describe('a tag', () => {
  it('gives its attributes, whatever blanks, quotes and signs it has', () => {
    fc.assert(
      fc.property(
        name,
        fc.array(attribute, { maxLength: 6 }),
        blanks(0),
        fc.boolean(),
        (tag, some, end, isEmpty) => {
          const written = some
            .map(
              ({ value: { quote, text }, ...one }) =>
                `${one.before}${one.prefix}${one.name}${one.blanks}=${one.blanks}${quote}${text}${quote}`,
            )
            .join('');
          const xml = `<${tag}${written}${end}${isEmpty ? '/>' : `></${tag}${end}>`}`;
          const expected = Object.fromEntries(some.map((one) => [one.name, one.value.text]));
          expect(tagsOf(xml)).toEqual([[tag, expected], tag]);
          for (const [key, text] of Object.entries(expected)) expect(attributeOf(written, key)).toBe(text);
        },
      ),
      cases(200),
    );
  });

  it.each([
    '<a',
    '<a b',
    '<a b=',
    '<a b="',
    '<a b=c></a>',
    '<a b="c"d="e"></a>',
    '<a ="c"></a>',
    '<a / >',
    '<></>',
    '< a></a>',
    '<a></b>',
    `<a${' b=""'.repeat(101)}/>`,
  ])('that is broken ends in a coded error: %s', (xml) => {
    expect(() => tagsOf(xml)).toThrow(ExtractError);
  });
});

describe('the defaults of styles', () => {
  const word = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';

  it('are skipped', () => {
    const xml = `<w:s ${word}><w:latentStyles w:n="1"><w:lsdException w:name="x"/></w:latentStyles><w:b/></w:s>`;
    expect(tagsOf(xml).slice(1)).toEqual([
      ['w:latentStyles', { n: '1' }],
      'w:latentStyles',
      ['w:b', {}],
      'w:b',
      'w:s',
    ]);
  });

  it('without an end are broken', () => {
    expect(() => tagsOf(`<w:s ${word}><w:latentStyles><w:b/></w:s>`)).toThrow(ExtractError);
  });
});
