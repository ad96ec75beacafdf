import { describe, expect, it } from 'vitest';
import { HTML } from './index.ts';

const SENTENCES =
  'The tide turns twice a day, and the boats turn with it. At low water the bar shows, and nobody crosses it.';
const PARAGRAPHS = `<p>${SENTENCES}</p>`.repeat(4);
const TEXT = Array.from({ length: 4 }, () => SENTENCES).join('\n\n');
const LINKS = '<ul><li><a href=/a>How the bar was sounded</a><li><a href=/b>Ten lights to see</a></ul>';

async function mainOf(html: string): Promise<string> {
  return (await HTML.read({ bytes: new TextEncoder().encode(html), content: 'main' })).text;
}

describe('the main content of a page', () => {
  it.each([
    [
      'a main element',
      `<header>Daily Tide</header><main>${PARAGRAPHS}</main><footer>© 2026 A. Author</footer>`,
    ],
    ['a role', `<div>Daily Tide</div><div role=main>${PARAGRAPHS}</div><div>Imprint</div>`],
    [
      'an article in it',
      `<main><div>Today</div><article>${PARAGRAPHS}</article><section>${LINKS}</section></main>`,
    ],
    [
      'no declaration',
      `<div><div>Daily Tide</div><div>${PARAGRAPHS}</div><div>${LINKS}</div></div><div>Imprint</div>`,
    ],
    [
      'side bars in it',
      `<article><div class="share-bar">Share</div>${PARAGRAPHS}<aside>Advertisement</aside></article>`,
    ],
    ['lists of links in it', `<article>${PARAGRAPHS}<div><h3>More</h3>${LINKS}</div></article>`],
    ['a table that lays it out', `<table><tr><td>${LINKS}<td>${PARAGRAPHS}<td>Weather</table>`],
    [
      'several boxes',
      `<div>${`<div><p>${SENTENCES}</p></div>`.repeat(4)}</div><div><div>${LINKS}</div></div>`,
    ],
  ])('is found by %s', async (_, html) => {
    expect(await mainOf(html)).toBe(TEXT);
  });

  it.each([
    ['comments longer than it', `<div class="post-comments">${PARAGRAPHS}${PARAGRAPHS}</div>`],
    ['comments in Spanish', `<div id="comentarios"><p>${SENTENCES}</p></div>`],
    ['a box under its title', `<div><h4>About the author</h4><p>A. Author sounds bars.</p></div>`],
    ['a list of shares', '<ul class="article-share"><li>Pin<li>Mail</ul>'],
    ['a choice', '<select><option>Low water<option>High water</select>'],
    [
      'a box whose other names are those of content',
      '<section class="outer--content newsletter">Sign</section>',
    ],
  ])('has no %s', async (_, html) => {
    expect(await mainOf(`<article>${PARAGRAPHS}${html}</article>`)).toBe(TEXT);
  });

  it.each([
    ['a caption with links', '<figure><figcaption><a href=/b>The bar</a> at dusk</figcaption></figure>'],
    [
      'the caption of a picture',
      '<div><img src="https://example.org/b.png" alt="Breakers on the bar"><p>The bar</div>',
    ],
    ['a section with the id of its title', '<section id="sharing-a-boat"><p>Two may row.</p></section>'],
    ['a widget of a page builder', '<div class="elementor-widget"><p>Two may row.</p></div>'],
    ['a state of a box', '<div class="has-sidebar no-comments"><p>Two may row.</p></div>'],
    ['a photo in an aside', '<aside class="single-photo"><p>The bar at dusk</p></aside>'],
  ])('keeps %s', async (_, html) => {
    const text = await mainOf(`<article>${PARAGRAPHS}${html}</article>`);
    expect(text.startsWith(TEXT)).toBe(true);
    expect(text.slice(TEXT.length)).toMatch(/The bar|Two may row/);
  });

  it('has the summary below the title, but no date', async () => {
    const summary = 'Sixteen boats cross the bar at the turn of the tide, and each has its own hour.';
    const head = `<div><h1>Bar</h1><p>November 28, 2026</p><p>${summary}</p></div>`;
    expect(await mainOf(`${head}<main>${PARAGRAPHS}</main>`)).toBe(`# Bar\n\n${summary}\n\n${TEXT}`);
  });

  it('has the only title of the page, if that is above it', async () => {
    const header = (title: string): string => `<header><a href=/>Daily Tide</a>${title}</header>`;
    expect(await mainOf(`${header('<h1>Bar</h1>')}<main>${PARAGRAPHS}</main>`)).toBe(`# Bar\n\n${TEXT}`);
    expect(await mainOf(`${header('<h1>A</h1><h1>B</h1>')}<main>${PARAGRAPHS}</main>`)).toBe(TEXT);
    expect(await mainOf(`<main><h1>Bar</h1>${PARAGRAPHS}</main>`)).toBe(`# Bar\n\n${TEXT}`);
  });

  it('keeps what sides with it by name alone, where that has most of the words', async () => {
    expect(await mainOf(`<main><div class="widget">${PARAGRAPHS}</div></main>`)).toBe(TEXT);
    expect(await mainOf(`<footer>${PARAGRAPHS}</footer>`)).toBe(TEXT);
  });

  it('is the whole page where none can be told', async () => {
    expect(await mainOf('<div>Monday</div><div>Low water 6:10</div><footer>Imprint</footer>')).toBe(
      'Monday\n\nLow water 6:10\n\nImprint',
    );
    expect(await mainOf(`<main>Loading…</main><div>${PARAGRAPHS}</div>`)).toBe(TEXT);
  });

  it('is announced by a warning', async () => {
    const bytes = new TextEncoder().encode(`<p>Daily Tide</p><main>${PARAGRAPHS}</main>`);
    const codes = async (content: 'all' | 'main'): Promise<string[]> =>
      (await HTML.read({ bytes, content })).warnings.map(({ code }) => code);
    expect(await codes('main')).toEqual(['content_left_out']);
    expect(await codes('all')).toEqual([]);
  });
});
