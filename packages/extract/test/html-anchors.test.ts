// A text fragment leads to the first words of its span: it is searched in the page as a browser does it, by the steps
// of https://wicg.github.io/scroll-to-text-fragment/#finding-ranges-in-a-document.
import { anchorOf, chunkSync, cite, type Span } from '@grainline/core';
import { cases } from '@grainline/testing/cases';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { extract } from '../src/index.ts';

/** The blocks of a page with their words, each perhaps marked. */
type Page = readonly { readonly tag: string; readonly words: readonly Marked[] }[];
interface Marked {
  readonly word: string;
  readonly mark: '' | 'b' | 'i' | 'code';
}

const WORDS = 'tide moon Bar re-read naïve 12 (see ship), harbour the of and water pilot. “low” ebb'.split(
  ' ',
);
const word = fc.record({
  word: fc.constantFrom(...WORDS),
  mark: fc.constantFrom('', '', '', '', '', '', 'b', 'i', 'code'),
});
const page: fc.Arbitrary<Page> = fc.array(
  fc.record({
    tag: fc.constantFrom('p', 'p', 'p', 'h2', 'li', 'td', 'blockquote', 'pre'),
    words: fc.array(word, { minLength: 1, maxLength: 30 }),
  }),
  { minLength: 1, maxLength: 25 },
);

function htmlOf(blocks: Page): string {
  const inner = ({ words }: Page[number]): string =>
    words.map(({ word: text, mark }) => (mark === '' ? text : `<${mark}>${text}</${mark}>`)).join(' ');
  const around: Readonly<Record<string, readonly string[]>> = {
    li: ['<ul><li>', '</li></ul>'],
    td: ['<table><tr><th>x</th><td>', '</td></tr></table>'],
  };
  const written = blocks.map((block) => {
    const [open, close] = around[block.tag] ?? [`<${block.tag}>`, `</${block.tag}>`];
    return block.tag === 'pre' ? `<pre>${shownOf(block)}</pre>` : open! + inner(block) + close!;
  });
  return `<!doctype html><title>Page</title><body>${written.join('\n')}`;
}

const shownOf = ({ words }: Page[number]): string => words.map(({ word: text }) => text).join(' ');

const encoded = (html: string): Uint8Array => new TextEncoder().encode(html);
const countOf = (text: string): number => text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0;

interface Match {
  readonly block: number;
  readonly start: number;
  readonly end: number;
}

/** The place in the blocks of a page to which a fragment leads. */
function follow(blocks: readonly string[], fragment: string): Match | undefined {
  const terms = fragment.replace(/^:~:text=/, '').split(',');
  const prefix = terms[0]!.endsWith('-') ? terms.shift()!.slice(0, -1) : undefined;
  const suffix = terms.at(-1)!.startsWith('-') ? terms.pop()!.slice(1) : undefined;
  const [start, end] = terms.map((term) => decodeURIComponent(term));
  for (let from: Match | undefined = { block: 0, start: 0, end: 0 }; ;) {
    let match: Match | undefined;
    if (prefix === undefined) match = find(blocks, start!, from.block, from.end);
    else {
      const before = find(blocks, decodeURIComponent(prefix), from.block, from.end);
      if (before === undefined) return undefined;
      from = { ...before, end: before.start + 1 };
      match = startingAt(blocks, start!, before);
      if (match === undefined) continue;
    }
    if (match === undefined) return undefined;
    const last = end === undefined ? match : find(blocks, end, match.block, match.end);
    if (last === undefined) return undefined;
    if (suffix === undefined || startingAt(blocks, decodeURIComponent(suffix), last) !== undefined)
      return match;
    if (prefix === undefined) from = { ...match, end: match.start + 1 };
  }
}

const PLAIN = new Map<string, string>();
function plain(text: string): string {
  const known = PLAIN.get(text) ?? plainOf(text);
  PLAIN.set(text, known);
  return known;
}
const plainOf = (text: string): string =>
  Array.from(text, (letter) => letter.normalize('NFD')[0]!)
    .join('')
    .toLowerCase();

function find(blocks: readonly string[], term: string, block: number, from: number): Match | undefined {
  for (; block < blocks.length; block++, from = 0) {
    const text = plain(blocks[block]!);
    for (
      let start = text.indexOf(plain(term), from);
      start !== -1;
      start = text.indexOf(plain(term), start + 1)
    ) {
      const end = start + term.length;
      const isBorder = (at: number): boolean =>
        !(/[\p{L}\p{N}]/u.test(text[at - 1] ?? '') && /[\p{L}\p{N}]/u.test(text[at] ?? ''));
      if (isBorder(start) && isBorder(end)) return { block, start, end };
    }
  }
  return undefined;
}

/** A term right behind another, blanks and the ends of blocks left out. */
function startingAt(blocks: readonly string[], term: string, { block, end }: Match): Match | undefined {
  const rest = blocks[block]!.slice(end);
  const [at, from] =
    rest.trim() === '' ? [block + 1, 0] : [block, end + rest.length - rest.trimStart().length];
  const found = at < blocks.length ? find(blocks, term, at, from) : undefined;
  return found?.block === at && found.start === from ? found : undefined;
}

describe('anchorOf of HTML', () => {
  it('leads to the first words of a chunk', async () => {
    let [led, all] = [0, 0];
    const law = fc.asyncProperty(page, fc.integer({ min: 20, max: 400 }), async (blocks, size) => {
      const document = await extract(encoded(htmlOf(blocks)), { contentType: 'text/html' });
      const shown = blocks.flatMap((block) =>
        block.tag === 'td' ? ['x', shownOf(block)] : [shownOf(block)],
      );
      for (const chunk of chunkSync(document, { size })) {
        const { fragment } = anchorOf(document, chunk) ?? {};
        all += 1;
        if (fragment === undefined) continue;
        led += 1;
        const found = follow(shown, fragment);
        expect(found, fragment).toBeDefined();
        const before = [...shown.slice(0, found!.block), shown[found!.block]!.slice(0, found!.start)].join(
          '\n',
        );
        // Words of which marks leave it in doubt how they are shown may stand before it, and half a word.
        const passed = countOf(before) - countOf(document.text.slice(0, chunk.start));
        expect(passed, fragment).toBeGreaterThanOrEqual(0);
        expect(passed, fragment).toBeLessThan(Math.max(3, countOf(chunk.text)));
      }
    });
    await fc.assert(law, cases(25));
    // Most of these short pages of few words say some things twice.
    expect(led / all).toBeGreaterThan(0.8);
  }, 60_000);

  const PAGE =
    '<h1>Tides</h1><p>The <b>pilot</b> waits, and the ship waits.</p><table><tr><th>Port<th>Depth<tr><td>Bar, North<td>12 m</table><p>The pilot waits - always.</p>';
  it.each([
    ['some words', 'pilot waits, and', ':~:text=pilot%20waits%2C%20and'],
    ['words with a sign behind them', 'the ship waits', ':~:text=the%20ship%20waits.'],
    ['words with a dash', 'waits - always', ':~:text=waits%20%2D%20always.'],
    ['a cell', 'Bar, North', ':~:text=Bar%2C%20North'],
    ['the first of equal words', 'The pilot', ':~:text=The%20pilot'],
  ])('names %s', async (_, quote, fragment) => {
    const document = await extract(encoded(PAGE), { contentType: 'text/html' });
    const [span] = cite(document, quote)!.spans;
    expect(anchorOf(document, span!)).toEqual({ fragment });
  });

  it('names the words around those that stand in the page before', async () => {
    const document = await extract(encoded(PAGE), { contentType: 'text/html' });
    const start = document.text.lastIndexOf('The pilot');
    const anchor = (span: Span): string | undefined => anchorOf(document, span)?.fragment;
    expect(anchor({ start, end: start + 9 })).toBe(':~:text=m-,The%20pilot');
    expect(anchor({ start, end: document.text.length })).toBe(':~:text=The%20pilot%20waits%20%2D%20always.');
    expect(anchor({ start: 0, end: document.text.length })).toBe(
      ':~:text=Tides,pilot%20waits%20%2D%20always.',
    );
    expect(anchor({ start: 0, end: 1 })).toBeUndefined();
  });

  it('has no fragment for another kind', async () => {
    const document = await extract(encoded('# Tides\n'), { contentType: 'text/markdown' });
    expect(anchorOf(document, { start: 0, end: 7 })).toBeUndefined();
  });
});
