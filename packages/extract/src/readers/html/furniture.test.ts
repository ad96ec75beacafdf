import type { Document } from '@grainline/core';
import { describe, expect, it } from 'vitest';
import { HTML } from './index.ts';

const BODY = '<h1>Tides</h1><p>The tide turns twice a day, and the boats with it.</p>';

function read(html: string, furniture?: 'keep'): Promise<Document> {
  return HTML.read({ bytes: new TextEncoder().encode(html), furniture });
}

/** Text and furniture of a page around the same article. */
async function around(html: string): Promise<[text: string, ...(readonly [kind: string, text: string])[]]> {
  const { text, furniture = [] } = await read(html.replace('BODY', BODY));
  return [text, ...furniture.map(({ kind, text }) => [kind, text] as const)];
}

const ARTICLE = '# Tides\n\nThe tide turns twice a day, and the boats with it.';

describe('furniture of a page', () => {
  it.each([
    ['navigation', '<nav><ul><li><a href=/>Home</a><li><a href=/b>B</a></ul></nav>', '- Home\n- B'],
    ['navigation', '<div role="navigation"><a href=/>Home</a></div>', 'Home'],
    ['navigation', '<ul role=menubar><li>File<li>Edit</ul>', '- File\n- Edit'],
    ['navigation', '<ol class="breadcrumb"><li><a href=/>Home</a><li>Here</ol>', '1. Home\n2. Here'],
    ['navigation', '<table class="plainlinks navbox"><tr><td>A<td><a href=/b>B</a></table>', 'A | B'],
    ['navigation', '<div role=search><button>Search</button></div>', 'Search'],
    [
      'consent',
      '<div id="onetrust-banner-sdk"><p>We use cookies.<button>Accept</button></div>',
      'We use cookies. Accept',
    ],
    ['consent', '<section class="box cookie-consent"><p>We use cookies.</section>', 'We use cookies.'],
    ['skip-link', '<a class="skip-link" href="#main">Skip to content</a>', 'Skip to content'],
    ['skip-link', '<span class="mw-jump-link"><a href="#main">Jump</a></span>', 'Jump'],
    ['skip-link', '<a class="sr-only sr-only-focusable" href="#main">To the text</a>', 'To the text'],
    ['edit-link', '<a class="theme-edit-this-page" href="/edit">Edit this page</a>', 'Edit this page'],
    ['edit-link', '<div class="md-content__button"><a href="/edit">Edit</a></div>', 'Edit'],
  ])('is %s: %s', async (kind, html, text) => {
    expect(await around(`${html}BODY`)).toEqual([ARTICLE, [kind, text]]);
    expect(await around(`BODY${html}`)).toEqual([ARTICLE, [kind, text]]);
    expect((await read(html + BODY, 'keep')).text).toContain(ARTICLE);
    expect((await read(html + BODY, 'keep')).furniture).toBeUndefined();
  });

  it.each([
    '<ul id="footer-places-cookiestatement"><li>Cookies</ul>',
    '<body class="cookie-consent has-navigation">',
    '<article class="cookie-banner"><p>How to bake one</article>',
    '<p class="navigational">Lights</p>',
    '<div class="toc-navy">Blue</div>',
    '<pre><span class="skip-link">code</span></pre>',
    '<aside role=note>Mind the gap.</aside>',
  ])('is not what only resembles it: %s', async (html) => {
    expect((await around(`${html}BODY`)).length).toBe(1);
  });

  it('leaves the words and the heading around it apart', async () => {
    const html =
      '<h2>High<a class="edit-link" href=/e>edit</a>water</h2><p>one<span class="skip-link">skip</span>two<nav>A</nav>three';
    expect(await around(`BODY${html}`)).toEqual([
      `${ARTICLE}\n\n## High water\n\none two\n\nthree`,
      ['edit-link', 'edit'],
      ['skip-link', 'skip'],
      ['navigation', 'A'],
    ]);
  });

  it('is no text, whatever holds it', async () => {
    const sentence = 'The light on the west beacon is out of order. '.repeat(6);
    const [text] = await around(`BODY<nav><p>${sentence}</nav>`);
    expect(text).toContain(sentence.trim());
    // An element without an end takes the rest of its page with it.
    expect(await around(`<nav><a href=/>Home</a><p>${sentence}BODY`)).toEqual([
      `Home\n\n${sentence.trim()}\n\n${ARTICLE}`,
    ]);
    expect(
      await around(`<div class="cookie-bar">${'<p>We use a cookie.'.repeat(300)}</div>BODY`),
    ).toHaveLength(1);
    expect(await around(`<a class="skip-link" href=#x>${'to '.repeat(40)}</a>BODY`)).toHaveLength(1);
  });

  it('is the line above a section of Texinfo, and no other header', async () => {
    const line = 'Next: <a href=#b>B</a>, Previous: <a href=#a>A</a>, Up: <a href=#top>Top</a>';
    expect(await around(`BODY<div class="header"><p>${line}</div>`)).toEqual([
      ARTICLE,
      ['navigation', 'Next: B, Previous: A, Up: Top'],
    ]);
    expect(await around('<div class="header"><p>Tides of Bath</div>BODY')).toEqual([
      `Tides of Bath\n\n${ARTICLE}`,
    ]);
  });

  it('is the text where there is next to none beside it', async () => {
    const links = '<li><a href=/x>One of the chapters</a>'.repeat(40);
    expect((await read(`<nav><ul>${links}</ul></nav><p>© A. Author`)).furniture).toBeUndefined();
    expect((await read(`<nav>A</nav>`)).text).toBe('A');
  });

  it('is reported in the singular where it is one place', async () => {
    const { warnings } = await read(`<nav>A</nav>${BODY}`);
    expect(warnings[0]?.message).toContain(' in 1 place; ');
  });

  it('is reported by one warning', async () => {
    const { warnings } = await read(`<nav>A</nav>${BODY}<nav>B</nav>`);
    expect(warnings).toEqual([
      {
        code: 'furniture_left_out',
        message:
          "Navigation, banners and the like were left out of the text in 2 places; the option furniture: 'keep' keeps them.",
      },
    ]);
  });
});
