// HTML made to break readers: depth, width and repetition. Work is counted in what comes out, not by the clock; a
// reader that is not linear in them would also run into the limit of time that every test has.
import { describe, expect, it } from 'vitest';
import type { Block, Document } from '@grainline/core';
import { HTML } from '../src/readers/html/index.ts';
import { sampleOf } from '@grainline/testing/cases';
import { expectLawful } from './laws.ts';

interface Case {
  readonly html: (n: number) => string;
  readonly n: number;
  /** Most characters that may come out for one that goes in. */
  readonly growth?: number;
  /** Words that must come out: `x` times n unless named. */
  readonly words?: number;
}

const CASES: Readonly<Record<string, Case>> = {
  'nested divs': { html: (n) => `${'<div>'.repeat(n)}x`, n: 100_000, words: 1 },
  'nested lists': { html: (n) => '<ul><li>x '.repeat(n), n: 5000, growth: 10 },
  'nested tables': { html: (n) => '<table><tr><td>x '.repeat(n), n: 2000 },
  'nested quotations': { html: (n) => '<blockquote>x '.repeat(n), n: 20_000, growth: 5 },
  'nested definition lists': { html: (n) => '<dl><dt>x <dd>'.repeat(n), n: 20_000, growth: 5 },
  'unclosed links': { html: (n) => '<a href="/">x '.repeat(n), n: 200_000 },
  'links to relative targets': {
    html: (n) => `<base href="https://a.example/${'b/'.repeat(300)}">${'<a href=c>x</a> '.repeat(n)}`,
    n: 300_000,
  },
  'links in headings and code': {
    html: (n) => `<a href="/${'a'.repeat(1900)}">${'<h2>x<code>x</code></h2><p>x'.repeat(n)}`,
    n: 30_000,
    words: 90_000,
  },
  'navigation in navigation': { html: (n) => '<nav><a class=skip-link>x '.repeat(n), n: 50_000 },
  'links over the navigation': { html: (n) => 'x<a class=skip-link href=#a>y</a>'.repeat(n), n: 50_000 },
  'names of menus and banners': {
    html: (n) => `<div class="${'cookie-'.repeat(60)}" id="${'nav-'.repeat(n)}">x</div>`.repeat(3),
    n: 200_000,
    words: 3,
  },
  'unclosed marks over paragraphs': {
    html: (n) => `<b><i><s><code><a href="/${'a'.repeat(1900)}">${'<p>x'.repeat(n)}`,
    n: 50_000,
    growth: 8,
  },
  'unclosed elements and foreign end tags': {
    html: (n) => `${'<span>'.repeat(n)}${'</p></q></x>'.repeat(n)}x`,
    n: 50_000,
    words: 1,
  },
  'indices one behind another': { html: (n) => 'x<sup>a+b</sup>'.repeat(n), n: 100_000 },
  'indices in one permalink': {
    html: (n) => `<p>x<a href="#y">${'¶ <sup>¶</sup>'.repeat(n)}</a>`,
    n: 100_000,
    words: 1,
  },
  'indices that never end': { html: (n) => '<p>x<sup>a <b>x</b>'.repeat(n), n: 50_000, words: 100_000 },
  'lists that end as others': { html: (n) => '<ul><li>x<ol></ul></ol>'.repeat(n), n: 30_000 },
  'feet of tables': {
    html: (n) => `<table>${'<tfoot><tr><td>x<tbody><tr><td>x'.repeat(n)}`,
    n: 30_000,
    words: 60_000,
  },
  'roles of one element': { html: (n) => `<div role="${'cell '.repeat(n)}">x`, n: 500_000, words: 1 },
  'items under many lists': {
    html: (n) => `${'<ol start=100000000><li>'.repeat(50)}${'<li>x'.repeat(n)}`,
    n: 50_000,
    growth: 20,
  },
  'cells in one row': { html: (n) => `<table><tr>${'<td>x'.repeat(n)}</table>`, n: 100_000, growth: 5 },
  'cells with great spans': {
    html: (n) => `<table><tr>${'<td colspan=1000000000 rowspan=1000000000>x'.repeat(n)}`,
    n: 20_000,
  },
  'links that overlap emphasis': { html: (n) => '<i><a href="/">x </i><b></a></b>'.repeat(n), n: 50_000 },
  'items of Word on all levels': {
    html: (n) =>
      Array.from(
        { length: n },
        (_, index) =>
          `<p style='mso-list:l0 level${1 + ((index * 7) % 9)} lfo1'><span style='mso-list:Ignore'>1.</span>x`,
      ).join(''),
    n: 10_000,
  },
  'a style of Word without end': {
    html: (n) => `<p style="${'mso-list:'.repeat(n)}">x<p style="${'mso-list: level '.repeat(n)}">`,
    n: 200_000,
    words: 1,
  },
  'lines of code in lines of code': { html: (n) => '<ol class=linenums><li>x'.repeat(n), n: 100_000 },
  'formulas in formulas': {
    html: (n) => `${'<math><annotation encoding=tex>'.repeat(n)}x`,
    n: 100_000,
    words: 1,
  },
  'a formula of many signs': { html: (n) => `<math>${'<mi>x</mi><mn>1</mn>'.repeat(n)}`, n: 100_000 },
  'blanks in the notation of a formula': {
    html: (n) => `<img class=tex alt="{\\displaystyle${' '.repeat(n)}x">`,
    n: 1_000_000,
    words: 1,
  },
  'fractions in fractions': { html: (n) => '<math>' + '<mfrac><mi>x</mi>'.repeat(n), n: 50_000 },
  'accents on accents': {
    html: (n) => `<math>${'<munderover><mi>x</mi><mi>y</mi>'.repeat(n)}`,
    n: 50_000,
  },
  'buttons in headings in buttons': {
    html: (n) => `<h1>x${'<button>x<h2>x'.repeat(n)}`,
    n: 20_000,
    words: 40_001,
  },
  'boxes of code in boxes': {
    html: (n) => '<div class=fragment>x<div class=line>x'.repeat(n),
    n: 20_000,
    words: 40_000,
  },
  'class names like those of switches': {
    html: (n) =>
      `<input type=checkbox class="${'nav-'.repeat(n)}"><pre class="${'hljs brush: sourceCode '.repeat(n)}">x`,
    n: 200_000,
    words: 1,
  },
  'items that count down': {
    html: (n) => `<ol reversed>${'<li value=-7>x'.repeat(n)}`,
    n: 50_000,
    growth: 5,
  },
  'drawings that HTML ends': { html: (n) => '<svg><g><title/><p>x'.repeat(n), n: 50_000 },
  'drawings in HTML in drawings': { html: (n) => '<svg><foreignObject><div>x'.repeat(n), n: 50_000 },
  'rows of headings': { html: (n) => `<table>${'<tr><td><h2>x</h2>'.repeat(n)}<tr><td>1<td>2`, n: 50_000 },
  'titles between rows': {
    html: (n) => `<table>${'<tr><td><h2>x</h2><tr><td>1<td>2'.repeat(n)}`,
    n: 20_000,
    growth: 20,
  },
  'tables of boxes in one another': {
    html: (n) => '<div role=table><div role=row><div role=cell>x'.repeat(n),
    n: 30_000,
    growth: 5,
  },
  'styles that keep lines': { html: (n) => '<div style="white-space:pre">x\n'.repeat(n), n: 100_000 },
  'sections in lists': { html: (n) => '<ul><li><h2>x</h2>y'.repeat(n), n: 30_000, growth: 5 },
  'lists alone in their items': { html: (n) => '<ul><li>x<li><ul>'.repeat(n), n: 30_000, growth: 20 },
  'readings in rubies': { html: (n) => '<ruby>x<rt>a'.repeat(n), n: 100_000 },
  'a line without end': { html: (n) => 'x '.repeat(n), n: 1_000_000 },
  'line breaks': { html: (n) => 'x<br>'.repeat(n), n: 200_000 },
};

const PARAGRAPH = '<p>The tides turn twice a day, and all of the boats turn with them.</p>';
const BOXES: Readonly<Record<string, string>> = {
  'boxes in boxes': `<div>${PARAGRAPH}`.repeat(20_000),
  'boxes beside boxes': `<div>${PARAGRAPH}</div>`.repeat(50_000),
  'articles in articles': `<main><article>${PARAGRAPH}`.repeat(20_000),
  'articles beside articles': `<article>${PARAGRAPH}</article>`.repeat(50_000),
  'boxes in items': `<ul>${`<li><div>${PARAGRAPH}</div>`.repeat(50_000)}</ul>`,
  'boxes in cells': `<table>${`<tr><td><div>${PARAGRAPH}</div>`.repeat(30_000)}</table>`,
  'titles beside an article': `${'<h1>a</h1>'.repeat(100_000)}<article>${PARAGRAPH.repeat(10)}</article>`,
};

function countBlocks(blocks: readonly Block[]): number {
  return blocks.reduce((sum, { children = [] }) => sum + 1 + countBlocks(children), 0);
}

async function read(html: string, content?: 'main'): Promise<Document> {
  const document = await HTML.read({ bytes: new TextEncoder().encode(html), content });
  expectLawful(document);
  return document;
}

describe('hostile HTML', () => {
  for (const [name, { html, n, growth = 2, words = n }] of sampleOf(Object.entries(CASES))) {
    it(`keeps its text and grows no more than ${growth} times: ${name}`, async () => {
      const input = html(n);
      const { text, blocks } = await read(input);
      expect(text.match(/x/g)?.length).toBe(words);
      expect(text.length).toBeLessThan(growth * input.length + 60_000);
      expect(countBlocks(blocks)).toBeLessThan(input.length + 40_000);
    });
  }

  for (const [name, html] of sampleOf(Object.entries(BOXES)))
    it(`finds the main content of ${name}`, async () => {
      expect((await read(html, 'main')).text).toContain('tides');
    });

  it.each(sampleOf(['<', '</', '<a ', '&', '&#', '<!--', '<!', '<p a="', '<![CDATA[', '</p>', '<br/>']))(
    'ends for five million characters of %j',
    async (piece) => {
      const input = piece.repeat(Math.ceil(5e6 / piece.length));
      const outcome: unknown = await HTML.read({ bytes: new TextEncoder().encode(input) }).catch(
        (error: unknown) => error,
      );
      expect(outcome).toMatchObject(
        ['<', '&', '&#'].includes(piece) ? { text: input } : { code: 'empty_document' },
      );
    },
  );
});
