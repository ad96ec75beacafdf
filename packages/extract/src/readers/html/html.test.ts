import { describe, expect, it } from 'vitest';
import type { Block, Document } from '@grainline/core';
import { expectLawful } from '../../../test/laws.ts';
import { ExtractError } from '../../errors.ts';
import { HTML } from './index.ts';

async function read(html: string | Uint8Array, charset?: string): Promise<Document> {
  const bytes = typeof html === 'string' ? new TextEncoder().encode(html) : html;
  const document = await HTML.read({ bytes, charset, links: 'markdown', furniture: 'keep' });
  expectLawful(document);
  return document;
}

const markdown = async (html: string): Promise<string> => (await read(html)).text;

function kinds(blocks: readonly Block[]): string {
  return blocks
    .map(
      ({ kind, depth, children }) =>
        `${kind}${depth ?? ''}${children === undefined ? '' : `(${kinds(children)})`}`,
    )
    .join(' ');
}

describe('text', () => {
  it('is collapsed and parted as browsers do', async () => {
    expect(await markdown('a <span> b</span>\n\t<b>c</b><div>d<br>e</div>f<p>g<p>h')).toBe(
      'a b **c**\n\nd\ne\n\nf\n\ng\n\nh',
    );
  });

  it.each([
    ['Sphinx', 'Install<a class="headerlink" href="#install">¶</a>'],
    ['GitHub', '<a href="#install" aria-hidden="true"><svg></svg></a>Install'],
    ['Docusaurus', 'Install<a href="#install" class="hash-link" aria-label="Direct link">&#8203;</a>'],
    ['a page whose sign stands in a box', 'Install <a href="#install"><span># </span></a>'],
    ['a page that never ends the link', 'Install<a href="#install">§'],
    ['Doxygen', '<span class="permalink"><a href="#a">&#9670;&nbsp;</a></span>Install'],
    ['a theme of Sphinx with an icon font', 'Install<a class="headerlink" href="#install">\uf0c1</a>'],
    ['MediaWiki', 'Install<span class="mw-editsection">[<a href="/edit">edit</a>]</span>'],
  ])('leaves out what links to the heading itself, as %s writes it', async (_, heading) => {
    expect(await markdown(`<h2>${heading}</h2><p>Text.`)).toBe('## Install\n\nText.');
  });

  it('keeps links into the page that say something, and all signs that are not such a link', async () => {
    expect(await markdown('<h2><a href="#c">C#</a> and <a href="#p">+</a></h2><a href="#n"> </a>')).toBe(
      '## C# and +',
    );
    expect(await markdown('a<a href="#b"> </a>b <a href="/other">¶</a> # § <a href="#f">§ 3</a>')).toBe(
      'a b [¶](/other) # § § 3',
    );
    expect(await markdown('<a href="#x">a<b> b</b> ¶</a><pre><a href="#1">#</a>include</pre>')).toBe(
      'a **b** ¶\n\n```\n#include\n```',
    );
    expect(await markdown('<p>Word <a href="#note">↩<p>Next</a> one')).toBe('Word\n\nNext one');
  });

  it('has its character references decoded', async () => {
    expect(await markdown('a &lt;b&gt; &amp;amp; &#x1F600; &nbspc &unknown; &#0;')).toBe(
      'a <b> &amp; \u{1f600} \u00a0c &unknown; \ufffd',
    );
  });

  it('leaves out what is never shown', async () => {
    const html =
      '<script>1<2</script><style>p{}</style><template>t</template><noscript>n</noscript><p hidden>h' +
      '<div style="color: red; DISPLAY : none">d<div>inner</div></div><dialog>closed</dialog><div popover>menu</div><aside popover=manual>note</aside><b hidden>b <i>c</i></b>' +
      '<iframe>f</iframe><!-- c --><?php p ?><p>shown</p><dialog open>open</dialog>';
    expect(await markdown(html)).toBe('shown\n\nopen');
  });

  it('leaves out the names that icon fonts draw pictures for, and the letters of their own', async () => {
    const icons =
      '<i class="material-icons">expand_more</i><span class="material-symbols-outlined">home</span><mat-icon class="mat-icon">menu</mat-icon>';
    expect(await markdown(`<h2>${icons}Prices<i class="fa">&#xf107;</i></h2><p><b>\uf101 </b> Open`)).toBe(
      '## Prices\n\nOpen',
    );
    expect(
      await markdown('<p class="material-icons-list">a \ue000b &#xe001;c</p><pre><b>\uf101</b> d</pre>'),
    ).toBe('a \ue000b \ue001c\n\n```\n\uf101 d\n```');
  });

  it('keeps tabs that are not chosen', async () => {
    const tab = (attributes: string, text: string): string =>
      `<div role="tabpanel" ${attributes}>${text}</div>`;
    expect(await markdown(tab('', 'npm') + tab('hidden', 'yarn') + tab('style="display:none"', 'pnpm'))).toBe(
      'npm\n\nyarn\n\npnpm',
    );
  });

  it('goes on after a hidden element whose end tag is left out', async () => {
    expect(
      await markdown('<ul><li hidden>a<li>b</ul><table><tr hidden><td>c<tr><td>d<td hidden>e<td>f</table>'),
    ).toBe('- b\n\n| d | f |\n| --- | --- |');
  });

  it('keeps what is hidden from screen readers only, and pages that scripts are to show', async () => {
    expect(
      await markdown('<body style="display:none" hidden><p aria-hidden="true">a<p hidden="until-found">b'),
    ).toBe('a\n\nb');
  });

  it('keeps formulas in the notation of their author, once', async () => {
    const tex =
      '<annotation encoding="application/x-tex">z^2</annotation><annotation encoding="StarMath">no</annotation>';
    const katex = `<span class="katex-mathml"><math><mi>z</mi>${tex}</math></span><span class="katex-html" aria-hidden="true">z2</span>`;
    expect(
      await markdown(
        `<p>so <math alttext="x^2"><mi>x</mi><mn>2</mn></math>, <math><mi>y</mi><mo>=</mo></math>, ${katex}.`,
      ),
    ).toBe('so $x^2$, $y=$, $z^2$.');
    expect(await markdown('<p><math><mi>open</p><p>after')).toBe('$\\mathrm{open}$\n\nafter');
  });

  it('raises the figures that are raised, and nothing else', async () => {
    expect(
      await markdown(
        '<p>10<sup>6</sup> m<sup>&minus;<b>2</b></sup>, 1<sup>st</sup>, word<sup><a href="#f">3</a></sup><sup>[<b>1</b>]</sup>, note<a href="#g"><sup>4</sup></a>, H<sub>2</sub>O <code>x<sup>2</sup></code>',
      ),
    ).toBe('10⁶ m⁻², 1st, word³[1], note⁴, H2O `x²`');
  });

  it.each([
    ['x<sup>n+1</sup>', 'x^(n+1)'],
    ['<i>x</i><sup><i>n</i>&minus;1</sup>y', 'x^(n−1)y'],
    ['O(2<sup>n</sup>), (a+b)<sup>T</sup>, e<sup>(ab)</sup>', 'O(2^n), (a+b)^T, e^(ab)'],
    ['m<sup>-1/2</sup>, 10<sup>1.5</sup>', 'm^(-1/2), 10^1.5'],
    [
      'Smith<sup>a</sup>, Jones<sup>a,b</sup>, 4.2<sup>c</sup>, Li<sup>1,2</sup>',
      'Smith^a, Jones^a,b, 4.2^c, Li¹,²',
    ],
    [
      '1<sup>st</sup>, XIX<sup>e</sup> 3<sup>o</sup> N<sup>o</sup> 2<sup>\u00e8me</sup>',
      '1st, XIXe 3o No 2\u00e8me',
    ],
    ['Word<sup>TM</sup> Word<sup>®</sup> Word<sup>*</sup> Word<sup>[2]</sup>', 'WordTM Word® Word* Word[2]'],
    ['word <sup>see below</sup>, word<sup> see</sup>', 'word see below, word see'],
    [
      'a<a href="#n">note<sup>4</sup></a> b<a href="x"><sup>5</sup></a> c<sup><a href="x">6</a></sup>',
      'anote⁴ b[⁵](x) c[⁶](x)',
    ],
    ['L<sup><small>A</small></sup>T<sub>E</sub>X A<sup>T</sup> B<sup>T</sup>.', 'LATEX A^T B^T.'],
    ['<b>x</b><sup>2k</sup> <code>y<sup>n</sup></code>', 'x^(2k) `y^n`'],
    ['5 m<sup>2<sup> of land, e<sup>x<sup>2</sup></sup>', '5 m² of land, e^x²'],
    ['Word<sup>a remark in small type that goes on</sup>', 'Word a remark in small type that goes on'],
  ])('shows what is set raised as people write it: %s', async (html, expected) => {
    expect(await markdown(`<p>${html}`)).toBe(expected);
    expect(await markdown(`<h2>${html}</h2>`)).toBe(`## ${expected.replace(/\[(.)\]\(x\)/g, '$1')}`);
  });

  it('survives NUL, CR and a byte order mark, and says so', async () => {
    const { text, warnings } = await read('\ufeff<p>a\0b\r\nc&#13;d<pre>e\r\nf\rg&#xfeff;</pre>');
    expect(text).toBe('ab c d\n\n```\ne\nf\ng\n```');
    expect(warnings.map(({ code }) => code)).toEqual(['nul_dropped']);
  });
});

describe('structure', () => {
  it('is that of the elements, also where end tags are left out', async () => {
    const { text, blocks } = await read(
      '<h1>A</h1><div><section><h2>B</h2></section><p>c<ul><li>d<li>e<ol start=5><li>f<li>g</ol><li>h</ul><blockquote>i<p>j</blockquote><hr>',
    );
    expect(text).toBe('# A\n\n## B\n\nc\n\n- d\n- e\n  5. f\n  6. g\n- h\n\n> i\n>\n> j\n\n---');
    expect(kinds(blocks)).toBe(
      'heading1 heading2 paragraph list1(item(paragraph) item(paragraph list2(item(paragraph) item(paragraph))) item(paragraph)) ' +
        'quote(paragraph paragraph) rule',
    );
  });

  it('takes headings out of links and paragraphs, and one line of what is inside them', async () => {
    expect(await markdown('<a href="/x"><h3><div>A</div><div>b <i>c</i></div></h3>d</a>')).toBe(
      '### A b c\n\n[d](/x)',
    );
    expect(await markdown('<p>a<h2>b</h2>c</p>')).toBe('a\n\n## b\n\nc');
  });

  it('does not let an unclosed heading swallow the page', async () => {
    expect(await markdown('<h1>Title<p>a<p>b')).toBe('# Title\n\na\n\nb');
    expect(await markdown('<h1>Title<h2>Next</h1>text')).toBe('# Title\n\n## Next\n\ntext');
  });

  it('makes an item of each term with its descriptions', async () => {
    expect(await markdown('<dl><dt>a<dt>b<dd>c<dd>d<dt>e<dd>f</dl><dl><dd>alone</dl>')).toBe(
      '- **a**\n\n  **b**\n\n  c\n\n  d\n\n- **e**\n\n  f\n\n- alone',
    );
  });

  it('is that of a table of contents where DocBook writes one: each term is an entry', async () => {
    expect(
      await markdown(
        '<dl class="toc"><dt><a href="a.html">1. A</a><dt><a href="b.html">2. B</a><dd><dl><dt>2.1<dt>2.2</dl><dt>3. C</dl><dl><dt>a<dt>b<dd>c</dl>',
      ),
    ).toBe('- [1. A](a.html)\n- [2. B](b.html)\n  - 2.1\n  - 2.2\n- 3. C\n\n- **a**\n\n  **b**\n\n  c');
  });

  it('has headings without the buttons behind them, which come next', async () => {
    expect(
      await markdown('<h2>fn <code>clone</code> <button>Copy <b>path</b></button> (unsafe)</h2><p>Text'),
    ).toBe('## fn `clone` (unsafe)\n\nCopy **path**\n\nText');
    expect(await markdown('<h3><button>Question?</button></h3><p>Answer')).toBe('### Question?\n\nAnswer');
    expect(await markdown('<h2>a<button>b</h2><p>c')).toBe('## a\n\nb\n\nc');
  });

  it('leaves out boxes that open the menus of a page', async () => {
    expect(
      await markdown(
        '<input type=checkbox role=button> <label>Menu</label><input type=checkbox class="md-nav__toggle md-toggle"><nav><ul><li><input type=checkbox><a href=/a>A</a></ul></nav><input type=checkbox role=switch class=toctree-checkbox><p><input type=checkbox class=toggle> on',
      ),
    ).toBe('Menu\n\n- [A](/a)\n\n[ ] on');
  });

  it('shows check boxes as task lists do', async () => {
    expect(await markdown('<ul><li><input type=checkbox checked> a<li><input type="checkbox"> b</ul>')).toBe(
      '- [x] a\n- [ ] b',
    );
  });

  it('keeps descriptions of images and the addresses of links as they are written', async () => {
    expect(await markdown('<p><a href="../x">a</a> <img alt="a dog" src="dog.png"> <img src="b.png">')).toBe(
      '[a](../x) ![a dog](dog.png)',
    );
  });

  it('has the targets of links beside its text, resolved where the page or its reader knows the address', async () => {
    const linksOf = async (html: string, url?: string): Promise<unknown> => {
      const { text, links = [] } = await HTML.read({ bytes: new TextEncoder().encode(html), url });
      return links.map(({ start, end, href }) => [text.slice(start, end), href]);
    };
    const page =
      '<base target=x><base href="/b/"><base href="/c/"><h2><a href=x>A</a> b</h2><p>c <a href="#d">d</a>' +
      '<table><tr><td>e | <a href="f|g">h</a><td><img alt=i src=j.png></table><a href=//k.example>l</a>';
    expect(await linksOf(page)).toEqual([
      ['A', 'x'],
      ['h', 'f|g'],
      ['i', 'j.png'],
      ['l', '//k.example'],
    ]);
    expect(await linksOf(page, 'https://a.example/x/y')).toEqual([
      ['A', 'https://a.example/b/x'],
      ['h', 'https://a.example/b/f|g'],
      ['i', 'https://a.example/b/j.png'],
      ['l', 'https://k.example/'],
    ]);
    expect(await linksOf('<p><a href="#a">b</a>')).toEqual([]);
  });

  it('keeps images apart that stand side by side', async () => {
    expect(
      await markdown('<p><a href=p><img alt=Prev></a><a href=n><img alt=Next></a><img alt=a><img alt=b>c'),
    ).toBe('[Prev](p) [Next](n) [a] [b]c');
  });

  it('keeps apart what an end tag may end and what it may not', async () => {
    expect(await markdown('<p>a<table><tr><td>b</p></div></li></b>c<td>d<tr><td>1<td>2</table>e')).toBe(
      'a\n\n| b<br>c | d |\n| --- | --- |\n| 1 | 2 |\n\ne',
    );
    expect(await markdown('<b>a<p>b</b>c</p>d')).toBe('**a**\n\nbc\n\nd');
    expect(await markdown('<ul><li>a<div>b</li>c</ul>d')).toBe('- a\n\n  b\n\n  c\n\nd');
  });

  it('keeps numbers of items as browsers show them', async () => {
    expect(
      await markdown('<ol type=a><li>x<li>y</ol><ol style="list-style-type: upper-roman" start=4><li>z</ol>'),
    ).toBe('- a. x\n- b. y\n\n- IV. z');
    expect(await markdown('<ol start=3><li>x<li value=7>y<li>z</ol>')).toBe('3. x\n\n7. y\n8. z');
    expect(await markdown('<ol type=a><li><pre>x</pre><li><ul><li>y</ul></ol>')).toBe(
      '- a.\n\n  ```\n  x\n  ```\n\n- b.\n\n  - y',
    );
    expect(await markdown('<ol start=0><li>x<li>y</ol>')).toBe('0. x\n1. y');
    expect(
      await markdown('<ol reversed start=2><li>x<li>y</ol><ol type=A><li><p>p<ul><li>q</ul><li>r</ol>'),
    ).toBe('- 2. x\n- 1. y\n\n- A. p\n  - q\n- B. r');
    expect(await markdown('<ol reversed><li>x<li>y<ol><li>z</ol><li>w</ol>')).toBe(
      '- 3. x\n- 2. y\n  1. z\n- 1. w',
    );
    expect(await markdown('<ol reversed type=A><li>x<li value=9>y<li hidden>h<li>z</ol>')).toBe(
      '- C. x\n- I. y\n- H. z',
    );
    expect(await markdown('<ol start=-1><li>x<li>y<li>z</ol>')).toBe('- -1. x\n- 0. y\n- 1. z');
    expect(await markdown('<ol><li>x<li value=-5>y<li value=4>z<li>w</ol>')).toBe(
      '1. x\n\n- -5. y\n\n4. z\n5. w',
    );
    expect(await markdown('<ol start=1000000000><li>x</ol>')).toBe('- 1000000000. x');
    expect(await markdown('<ol type=a start=26><li>x<li>y<li>z</ol>')).toBe('- z. x\n- aa. y\n- ab. z');
    expect(await markdown('<ol type=i><li><table><tr><th>n<th>m<tr><td>x<td><li>y</table></ol>')).toContain(
      '- i.\n\n  | n | m |',
    );
  });
});

describe('code', () => {
  it('keeps its lines, with or without <code>, and the language of its class', async () => {
    const fenced = (language: string): string => `\`\`\`${language}\n a\n\n  b\n\`\`\``;
    const code = '\n a\n\n  <b>b</b>\n';
    expect(await markdown(`<pre>${code}</pre>`)).toBe(fenced(''));
    expect(await markdown(`<pre class="x language-JS"><code>${code}</code></pre>`)).toBe(fenced('js'));
    expect(await markdown(`<pre><code class="lang-c++">${code}</code></pre>`)).toBe(fenced('c++'));
    expect(await markdown(`<div class="highlight highlight-source-ts"><pre>${code}</pre></div>`)).toBe(
      fenced('ts'),
    );
    expect(
      await markdown(
        `<div class="highlight-python notranslate"><div class="highlight"><pre>${code}</pre></div></div>`,
      ),
    ).toBe(fenced('python'));
  });

  it.each([
    ['Org', '<pre class="src src-python">x</pre>', 'python'],
    ['SyntaxHighlighter', '<pre class="brush: js; toolbar: false">x</pre>', 'js'],
    ['pandoc', '<div class="sourceCode"><pre class="sourceCode r code-with-copy">x</pre></div>', 'r'],
    ['pandoc, with numbers', '<pre class="sourceCode numberSource c"><code>x</code></pre>', 'c'],
    ['highlight.js', '<pre><code class="hljs language-css copyable">x</code></pre>', 'css'],
    ['highlight.js alone', '<pre><code class="hljs xml">x</code></pre>', 'xml'],
    ['MediaWiki', '<div class="mw-highlight mw-highlight-lang-lua"><pre>x</pre></div>', 'lua'],
    ['no tool', '<div class="sourceCode cell-code"><pre class="sourceCode">x</pre></div>', ''],
  ])('has the language that is named by %s', async (_, html, language) => {
    expect(await markdown(html)).toBe(`\`\`\`${language}\nx\n\`\`\``);
  });

  it('has a line for each <br> and each block in it', async () => {
    expect(await markdown('<pre>a<br>b<div>c</div><div>d</div></pre>')).toBe('```\na\nb\nc\nd\n```');
  });

  it('that holds a fence gets a longer one', async () => {
    expect(await markdown('<pre>````</pre>')).toBe('`````\n````\n`````');
  });

  it('in a line keeps its backticks', async () => {
    expect(await markdown('use <code>a`b</code>, <kbd>Ctrl</kbd>')).toBe('use ``a`b``, `Ctrl`');
  });
});

describe('tables', () => {
  it('have header, spans and caption', async () => {
    const html =
      '<table><caption>Ages</caption><thead><tr><td>Name<td>Age</thead><tbody><tr><td rowspan=0>Ann<td>3<tr><td>4</tbody></table>';
    const { text, blocks } = await read(html);
    expect(text).toBe('Ages\n\n| Name | Age |\n| --- | --- |\n| Ann | 3 |\n|  | 4 |');
    expect(kinds(blocks)).toBe('paragraph table(row(cell cell) row(cell cell) row(cell))');
  });

  it('that a table in no cell interrupts end there', async () => {
    expect(await markdown('<table><tr><th>a<th>b<tr><table><tr><th>c<th>d</table>')).toBe(
      '| a | b |\n| --- | --- |\n\n| c | d |\n| --- | --- |',
    );
  });

  it('whose parts stand in no table are text', async () => {
    expect(await markdown('<tr><td>a</td><td>b</td></tr>c')).toBe('a\n\nb\n\nc');
  });

  it('know cells that name columns by their scope or role', async () => {
    const rows = '<tr><td>1<td>2</table>';
    const headed = async (first: string): Promise<boolean> =>
      (await read(`<table><tr>${first}${rows}`)).blocks[0]?.children?.[0]?.header === true;
    for (const name of ['scope=col', 'scope="colgroup"', 'role="columnheader"'])
      expect(await headed(`<td ${name}>2023<td ${name}>2024`)).toBe(true);
    expect(await headed('<td scope=row>2023<td>2024')).toBe(false);
  });

  it('of one row or column without a border are frames', async () => {
    expect(await markdown('<table border=0><tr><td>a<td>b</table>')).toBe('a\n\nb');
    expect(await markdown('<table border=1><tr><td>a<td>b</table>')).toContain('| a | b |');
    expect(await markdown('<table border=0><tr><td>a<td>b<tr><td>c<td>d</table>')).toContain('| c | d |');
  });

  it('of notes with a sign beside them are frames', async () => {
    const note = (sign: string): string =>
      `<table border=0><tr><td rowspan=2>${sign}<th>Note</th></tr><tr><td><p>Mind the gap.</table>`;
    expect(await markdown(note('<img alt="[Note]" src=n.png>'))).toBe(
      '![Note](n.png)\n\nNote\n\nMind the gap.',
    );
    expect(await markdown(note('!'))).toContain('| ! | Note |');
    expect(
      await markdown('<table border=0><tr><td><img alt=a><td>b<tr><td><img alt=c><td>d</table>'),
    ).toContain('| a | b |');
  });

  it('stand below the heading that is all of their first row', async () => {
    const { text, blocks } = await read(
      '<table><tr><td colspan=2><h2>Functions</h2></td></tr><tr><td>int<td>f()<tr><td>void<td>g()</table>',
    );
    expect(text).toMatch(/^## Functions\n\n\|/);
    expect(kinds(blocks)).toBe('heading2 table(row(cell cell) row(cell cell))');
    expect(await markdown('<table><tr><th><h2>a</h2><th>b<tr><td>c<td>d</table>')).toBe(
      '| a | b |\n| --- | --- |\n| c | d |',
    );
  });

  it('of one row that put long lists side by side are frames', async () => {
    const list = `<ul>${'<li>an entry of some length'.repeat(10)}</ul>`;
    expect(await markdown(`<table><tr><td>${list}<td>${list}</table>`)).not.toContain('|');
    expect(await markdown('<table><tr><td><ul><li>a<li>b</ul><td>c</table>')).toContain('| - a<br>- b | c |');
  });

  it('of a role that says layout are not shown as tables', async () => {
    expect(await markdown('<table role="presentation"><tr><td>a<td>b</table>')).toBe('a\n\nb');
  });
});

describe('a page', () => {
  it('has its title and its file name', async () => {
    const bytes = new TextEncoder().encode(
      '<title> A &amp;\n b </title><title>no</title><svg><title>c</title></svg><p>text',
    );
    expect(await HTML.read({ bytes, filename: 'a.html' })).toMatchObject({
      title: 'A & b',
      filename: 'a.html',
      mediaType: 'text/html',
      text: 'text',
    });
  });

  it('is decoded by what the transport says, else by its <meta>, but never against its bytes', async () => {
    const latin2 = Uint8Array.from([
      ...Buffer.from('<meta charset="iso-8859-2"><p>z'),
      0xb3,
      ...Buffer.from('oty'),
    ]);
    expect((await read(latin2)).text).toBe('złoty');
    expect((await read(latin2, 'windows-1252')).text).toBe('z³oty');
    for (const passedOver of ['utf-8', 'x-nonsense'])
      expect((await read(latin2, passedOver)).text).toBe('złoty');
    expect((await read('<meta charset="windows-1252"><p>złoty')).text).toBe('złoty');
  });

  it('without text is an empty document', async () => {
    const rejection: unknown = await HTML.read({
      bytes: new TextEncoder().encode('<title>t</title><script>x</script>'),
    }).catch((error: unknown) => error);
    expect(rejection).toBeInstanceOf(ExtractError);
    expect(rejection).toMatchObject({ code: 'empty_document' });
  });

  it('stops being read when the signal says so', async () => {
    const bytes = new TextEncoder().encode('<p>word'.repeat(500_000));
    const controller = new AbortController();
    const reading = HTML.read({ bytes, signal: controller.signal });
    controller.abort(new Error('enough'));
    await expect(reading).rejects.toThrow('enough');
  });

  it('reads the same in parts as in one', async () => {
    const piece =
      '<p>text &amp; <a href="http://x.example/">link</a> 😀 <!-- c --><script>"</p>"</script></p>';
    const { text } = await read(piece.repeat(30_000));
    expect(new Set(text.split('\n\n'))).toEqual(new Set(['text & [link](http://x.example/) 😀']));
  });
});
