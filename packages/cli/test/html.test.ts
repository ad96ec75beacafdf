// The page of --html holds exactly the chunks, and no content of a document becomes markup.
import { createHash } from 'node:crypto';
import { chunkSync, type Document, documentFromText } from '@grainline/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '@grainline/testing/cases';
import { writePdf } from '@grainline/testing/pdf-writer';
import { chunksFoot, chunksHead, renderHtml } from '../src/output/html.ts';
import { get, grainline, PROSE, put, useFolder } from './command.ts';

useFolder();

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' };

/** Text as a browser decodes it. */
const unescaped = (html: string): string =>
  html.replaceAll(/&(\w+);/g, (_, name: string) => ENTITIES[name] ?? 'unknown');

/** The own text of each chunk: the last `pre` of its article, without its first line feed and its marks. */
function textsOf(page: string): string[] {
  return [...page.matchAll(/<article .*?<\/article>/gs)].map(([article]) => {
    const pre = /.*<pre(?: class="columns")?>\n(.*)<\/pre>/s.exec(article)?.[1] ?? '';
    return unescaped(pre.replaceAll(/<\/?mark>/g, ''));
  });
}

/** Every allowed tag, in its exact spelling. */
const TAGS =
  /^<(?:!doctype html|html lang="en"|meta [^<>]*|(?:\/?(?:html|head|title|style|body|section|h1|p|pre|mark|header|span|bdi|article|svg|a|rect|text))|article class="h[0-4]" id="[\w%.!~*'()-]+"|a href="#[\w%.!~*'()-]+"|pre class="context" title="[a-z-]+"|pre class="columns"|svg [^<>]*|rect [^<>]*|text [^<>]*)>$/;

function page(document: Document, names: { shown: string; documentId: string }, size = 60): string {
  const chunks = chunkSync(document, { tier: 'structure', size, overlap: 10 });
  const finished = {
    ...names,
    document,
    chunks,
    tier: 'structure',
    sizeBytes: 0,
    modelWarnings: [],
    recordsNameDocument: false,
    formatted: { records: [], extras: {}, warnings: [] },
  };
  const counts = { documents: 1, pages: 1, characters: document.text.length, chunks: chunks.length };
  return [chunksHead([names.shown]), ...renderHtml(finished), chunksFoot(counts)].join('');
}

/** Contrast of two colours (WCAG 2.2). */
function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

/** Relative luminance of `#rrggbb` (WCAG 2.2). */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

describe('--html', () => {
  it('shows every chunk as it is, whatever stands in it, and gets no tag from a document or its name', () => {
    const nasty = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom(
        '<script>alert(1)</script>',
        '</pre></article><img src=x onerror=alert(1)>',
        '"onmouseover="x',
        '&lt;b&gt;',
        '\n\n```\n<b>code</b>\n```\n\n',
        '\n\n# A <b>heading</b>\n\n',
        '\n\n',
        "' --> ]]>",
      ),
    );
    const text = fc.array(nasty, { maxLength: 12 }).map((parts) => parts.join(' '));
    fc.assert(
      fc.property(text, nasty, nasty, (content, shown, documentId) => {
        const document = documentFromText(content);
        const html = page(document, { shown, documentId });
        const chunks = chunkSync(document, { tier: 'structure', size: 60, overlap: 10 });
        expect(textsOf(html)).toEqual(chunks.map((chunk) => chunk.text.replaceAll('\0', '\ufffd')));
        const style = /<style>.*?<\/style>/s;
        for (const [tag] of html.replace(style, '').matchAll(/<[^>]*>/g)) expect(tag).toMatch(TAGS);
      }),
      cases(200),
    );
  });

  it('sets headings and descriptions apart, so that none changes the order of the next', () => {
    const html = page(documentFromText('# المد\n\n## 1 <Tides>\n\nHigh water.', { kind: 'markdown' }), {
      shown: 'a.md',
      documentId: 'a.md',
    });
    expect(html).toContain('<span><bdi>المد</bdi> › <bdi>1 &lt;Tides&gt;</bdi></span>');
  });

  it('writes what stands over a chunk in a colour that can be read on its ground, light and dark', () => {
    const hues = chunksHead(['a.txt']).matchAll(
      /--ground: light-dark\((#\w+), (#\w+)\); --edge: light-dark\((#\w+), (#\w+)\)/g,
    );
    const ratios = [...hues].flatMap(([, ground = '', darkGround = '', edge = '', darkEdge = '']) => [
      contrast(edge, ground),
      contrast(darkEdge, darkGround),
    ]);
    expect(ratios).toHaveLength(10);
    for (const ratio of ratios) expect(ratio).toBeGreaterThanOrEqual(4.5);
  });

  it('lets a browser load nothing, run nothing, and use the style that stands in it', () => {
    const html = chunksHead(['a.txt']);
    const style = /<style>(.*?)<\/style>/s.exec(html)?.[1] ?? '';
    const digest = createHash('sha256').update(style).digest('base64');
    expect(html).toContain(`content="default-src 'none'; style-src 'sha256-${digest}'"`);
  });

  it('tells length, place, page, headings and the reason of each boundary', async () => {
    put('a.md', `# Tides\n\n${PROSE.slice(0, 150)}\n\n## Winds\n\n${PROSE.slice(0, 150)}`);
    const { code, stdout } = await grainline('a.md --html --size 200');
    expect(code).toBe(0);
    expect(stdout).toMatch('<title>a.md · chunks</title>');
    expect(stdout).toMatch(/<a href="#a.md-1">1<\/a> · \d+ characters · \d+–\d+ · begins at a heading/);
    expect(stdout).toMatch('<span><bdi>Tides</bdi> › <bdi>Winds</bdi></span>');
    put('a.pdf', writePdf({ pages: [{ lines: ['One.'] }, { lines: ['Two.'] }] }));
    expect((await grainline('a.pdf --html --tier free --size 5')).stdout).toMatch('· page 2');
  });

  it('is one page of several documents on standard output, and one of each below --out', async () => {
    put('a.txt', 'One.');
    put('b.txt', 'Two.');
    const { stdout } = await grainline('a.txt b.txt --html');
    expect(stdout.match(/<html/g)).toHaveLength(1);
    expect(stdout).toMatch('<title>2 documents · chunks</title>');
    expect(stdout).toMatch('Together 2 pages · 8 characters · 2 chunks');
    expect(textsOf(stdout)).toEqual(['One.', 'Two.']);
    expect((await grainline('a.txt b.txt --html --out out')).code).toBe(0);
    expect(get('out/b.txt.html')).toBe((await grainline('b.txt --html')).stdout);
  });

  it('goes with no format and no service', async () => {
    put('a.txt');
    expect((await grainline('a.txt --html -f qdrant')).stderr).toMatch(
      '--html shows the chunks and no records',
    );
    expect((await grainline('a.txt --html --remote http://a')).stderr).toMatch(
      '--html does not go with --remote',
    );
  });
});
