// The laws of documents on random, malformed HTML.
import fc from 'fast-check';
import { describe, it, expect } from 'vitest';
import type { Document } from '@grainline/core';
import { cases } from '@grainline/testing/cases';
import type { Source } from '../src/reader.ts';
import { HTML } from '../src/readers/html/index.ts';
import { expectLawful } from './laws.ts';

const TAGS =
  'p div span b i a code pre h1 h3 ul ol li dl dt dd blockquote table caption thead tbody tr td th q option section font nav article main aside footer'.split(
    ' ',
  );

/** Words of text are numbered, so that one that is lost can be named. */
const word = fc.integer({ min: 0, max: 99_999 }).map((number) => `w${number}w`);
const tag = fc
  .tuple(
    fc.constantFrom(...TAGS),
    fc.constantFrom('', '/'),
    fc.constantFrom(
      '',
      ' href="/x"',
      ' href="#x"',
      ' colspan=3',
      ' rowspan=2',
      ' border=0',
      ' reversed',
      ' class="language-ts"',
      ' class="fragment"',
      ' class="line"',
      ' class="toc"',
      ' class="skip-link"',
      ' class="cookie-banner"',
      ' class="sidebar"',
      ' role="navigation"',
    ),
  )
  .map(([name, slash, attribute]) => (slash === '' ? `<${name}${attribute}>` : `</${name}>`));
const oddity = fc.constantFrom(
  '<br>',
  '<hr>',
  '<img alt="pic">',
  '&nbsp;',
  '&amp;',
  '|',
  '`',
  '*',
  '#',
  '<',
  '>',
  '\r\n',
  '\0',
  '\ufeff',
  '\u00ad',
  '😀',
  '&#xd800;',
);
const html = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: tag },
    { weight: 3, arbitrary: word.map((text) => ` ${text} `) },
    { weight: 1, arbitrary: oddity },
  ),
  {
    maxLength: 120,
  },
);

/** Reads with a byte order mark, for how a few bytes are decoded is not the question here. */
async function read(text: string, options: Partial<Source> = {}): Promise<Document | undefined> {
  try {
    return await HTML.read({ bytes: new TextEncoder().encode(`\ufeff${text}`), ...options });
  } catch (error) {
    expect(error).toMatchObject({ code: 'empty_document' });
    return undefined;
  }
}

describe('any HTML', () => {
  const words = (text: string): string[] => text.match(/w\d+w/g) ?? [];

  it('becomes a lawful document that has every word once, or in its furniture', async () => {
    await fc.assert(
      fc.asyncProperty(html, async (pieces) => {
        const document = await read(pieces.join(''));
        if (document !== undefined) expectLawful(document);
        const furniture = (document?.furniture ?? []).map(({ text }) => text);
        const found = words([document?.text, ...furniture].join(' '));
        expect(found.toSorted()).toEqual(words(pieces.join('')).toSorted());
      }),
      cases(1500),
    );
  });

  it('keeps its words in order with its furniture, where no caption moves them', async () => {
    await fc.assert(
      fc.asyncProperty(html, async (pieces) => {
        const input = pieces.join('').replaceAll('caption', 'div');
        expect(words((await read(input, { furniture: 'keep' }))?.text ?? '')).toEqual(words(input));
      }),
      cases(1500),
    );
  });

  it('has as its main content a lawful document of words that the page has, each once', async () => {
    await fc.assert(
      fc.asyncProperty(html, async (pieces) => {
        const document = await read(pieces.join(''), { content: 'main' });
        if (document !== undefined) expectLawful(document);
        const left = words(pieces.join(''));
        for (const word of words(document?.text ?? '')) {
          expect(left).toContain(word);
          left.splice(left.indexOf(word), 1);
        }
      }),
      cases(1000),
    );
  });

  it('has no link without words, as that of a blank at the end of its paragraph', async () => {
    const document = await read('a word <a href="/x">&nbsp;</a>');
    expect(document).toBeDefined();
    expect(document?.links ?? []).toEqual([]);
  });

  it('reads the same twice', async () => {
    await fc.assert(
      fc.asyncProperty(html, async (pieces) => {
        const [first, second] = [await read(pieces.join('')), await read(pieces.join(''))];
        expect(second).toEqual(first);
      }),
      cases(100),
    );
  });
});
