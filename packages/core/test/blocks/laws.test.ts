// The laws of blocks on every kind of text: generated, real, and made to nest as deeply as it is long.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases, sampleOf, scaled } from '@grainline/testing/cases';
import { blocksOf, type TextKind } from '../../src/blocks/index.ts';
import { corpusTexts, DOCUMENTS, packageTexts } from '@grainline/testing/documents';
import { countWork } from '../work.ts';
import { brokenLaw } from './laws.ts';
import { NESTED } from './nested.ts';

const KINDS: readonly TextKind[] = ['markdown', 'text', 'csv'];

const pieces = fc.constantFrom(
  ...[
    '- ',
    '-',
    '* ',
    '+ ',
    '1. ',
    '2) ',
    '> ',
    '>',
    '# ',
    '###',
    '```',
    '~~~ts',
    'word',
    'b c',
    ' ',
    '    ',
    '\t',
  ],
  ...[
    '\n',
    '\n',
    '\n',
    '\n\n',
    '---',
    '===',
    '***',
    '| ',
    ' | ',
    '|-|',
    '| - | - |',
    ':-',
    '[a]: b',
    '[^a]: ',
    '"t"',
  ],
  ...['<div>', '</div>', '<!--', '-->', '<pre>', '</pre>', '\\', '<table>', '<tr>', '<td>', '</td>', '</tr>'],
  ...[
    '</table>',
    '<th colspan=2>',
    '<caption>',
    '</caption>',
    '<thead>',
    '<h1>',
    '</h1>',
    '$$',
    '+++',
    '\u00a0',
    '\r\n',
  ],
  ...['\r', '\f', '😀', '• ', 'A:', 'ABCD EFG', '1.2 Ab', '\u2028', '1 Ab', '  ', 'x: y', '---\nk: v\n---\n'],
);

describe.each(KINDS)('blocks of %s', (kind) => {
  it('keep the laws on marks in any order', () => {
    const texts = fc.array(pieces, { maxLength: 20 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(texts, (text) => {
        expect(brokenLaw(text, blocksOf(text, kind))).toBeUndefined();
      }),
      cases(1500),
    );
  });

  it('keep the laws on generated documents', () => {
    for (const documents of Object.values(DOCUMENTS)) {
      fc.assert(
        fc.property(documents, (text) => {
          expect(brokenLaw(text, blocksOf(text, kind))).toBeUndefined();
        }),
        cases(100),
      );
    }
  });

  it('keep the laws on real documents', () => {
    const broken = sampleOf([...packageTexts(), ...corpusTexts()]).flatMap(({ name, text }) => {
      const law = brokenLaw(text, blocksOf(text, kind));
      return law === undefined ? [] : [`${name}: ${law}`];
    });
    expect(broken).toEqual([]);
  });

  it.each(Object.entries(NESTED))('keep the laws on very many marks of %s', (_name, make) => {
    const text = make(scaled(300_000));
    expect(brokenLaw(text, blocksOf(text, kind))).toBeUndefined();
  });

  it.each(Object.entries(NESTED))('cost work in proportion to the length of %s', async (_name, make) => {
    const [text, twice] = [make(20_000), make(40_000)];
    const once = await countWork(() => blocksOf(text, kind));
    const both = await countWork(() => blocksOf(twice, kind));
    // A text of n marks may be longer than n units, and not by the same factor when it is twice as long.
    expect(both / twice.length).toBeLessThanOrEqual((1.1 * once) / text.length + 1);
  });
});
