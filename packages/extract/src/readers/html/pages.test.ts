// Constructs of real pages: highlighters, Word's HTML, MathJax, rubies, templates.
import { describe, expect, it } from 'vitest';
import { expectLawful } from '../../../test/laws.ts';
import { HTML } from './index.ts';

async function markdown(html: string): Promise<string> {
  const document = await HTML.read({ bytes: new TextEncoder().encode(html), links: 'markdown' });
  expectLawful(document);
  return document.text;
}

const code = (text: string, language = ''): string => `\`\`\`${language}\n${text}\n\`\`\``;

describe('classes', () => {
  it.each([
    ['<h1 class="f1 ttc">Invoice', '# Invoice'],
    ['<p>on <input type=checkbox role=switch checked> by night', 'on [x] by night'],
    ['<pre class="hljs-copy-wrapper"><code class="hljs theme-dark language-js">a()', code('a()', 'js')],
    ['<pre><code class="hljs undefined">a()', code('a()')],
  ])('of %s mean what their makers say', async (html, expected) => {
    expect(await markdown(html)).toBe(expected);
  });
});

describe('a picture', () => {
  it.each([
    [String.raw`K:\_projects\Pics\nature 3.jpg`, ''],
    ['http://example.org/images/spacer.gif', ''],
    ['A duck with a paper\n\nDescription automatically generated', '[A duck with a paper]'],
    ['Saved as duck.png', '[Saved as duck.png]'],
  ])('described by %j is %j', async (alt, expected) => {
    expect(await markdown(`<p>Here: <img alt="${alt}">`)).toBe(`Here: ${expected}`.trim());
  });
});

describe('tables', () => {
  it('have no columns that are blank in all rows, and are lines where one is left', async () => {
    const rows = ['Tides', 'Lights'].map((name) => `<tr><td>${name}<td>&nbsp;<td>`);
    expect(await markdown(`<table border=0>${rows.join('')}</table>`)).toBe('Tides\n\nLights');
    const values = ['Tea', 'Milk'].map((name) => `<tr><td>${name}<td> <td>3`);
    expect(await markdown(`<table>${values.join('')}</table>`)).toBe(
      '| Tea | 3 |\n| --- | --- |\n| Milk | 3 |',
    );
  });
});

describe('tables of boxes', () => {
  it('are what ARIA says, with spans and names of columns', async () => {
    const row = (role: string, ...cells: readonly string[]): string =>
      `<div role=row>${cells.map((cell) => `<span role=${role}>${cell}</span>`).join('\n')}</div>`;
    const head = `<div role=rowgroup>${row('columnheader', 'Name', 'Price', 'Stock')}</div>`;
    const body = `${row('cell', 'Tea', '3', '12')}<div role=row><div role=rowheader>Milk</div><div role=cell aria-colspan=2>none</div></div>`;
    expect(await markdown(`<p>a<div role=table>${head}${body}</div>b`)).toBe(
      'a\n\n| Name | Price | Stock |\n| --- | --- | --- |\n| Tea | 3 | 12 |\n| Milk | none |  |\n\nb',
    );
  });

  it('are the grids of Javadoc, where a class ends a row', async () => {
    const cell = (classes: string, text: string): string => `<div class="${classes}">${text}</div>\n`;
    const grid = `<div class="summary-table two-column-summary">
${cell('table-header col-first', 'Field')}${cell('table-header col-last', 'Description')}
${cell('col-first even-row-color', '<code>cell</code>')}${cell('col-last even-row-color', '<div class="block">The <i>cell</i>.</div>')}
${cell('col-first odd-row-color', '<code>view</code>')}${cell('col-last odd-row-color', '&nbsp;')}</div>`;
    expect(await markdown(`${grid}<p>a`)).toBe(
      '| Field | Description |\n| --- | --- |\n| `cell` | The *cell*. |\n| `view` |  |\n\na',
    );
    const constructors = ['A()', 'A(int)'].map(
      (name) => cell('col-constructor-name', name) + cell('col-last', 'Makes one.'),
    );
    const head = cell('table-header col-first', 'Constructor') + cell('table-header col-last', 'Description');
    expect(await markdown(`<div class="summary-table">${head}${constructors.join('')}</div>`)).toBe(
      '| Constructor | Description |\n| --- | --- |\n| A() | Makes one. |\n| A(int) | Makes one. |',
    );
  });

  it('are not what has but the class of their box', async () => {
    const boxes = '<div>Total</div><div class="col-md-6">3 items</div><div>tax included</div>';
    expect(await markdown(`<div class="summary-table">${boxes}</div>`)).toBe(
      'Total\n\n3 items\n\ntax included',
    );
  });

  it('have rows that are links or stand in bold type, too', async () => {
    const row = (tag: string, name: string, value: number): string =>
      `<${tag} role=row><b role=cell>${name}</b><i role=cell>${value}</i></${tag.split(' ')[0] ?? ''}>`;
    const rows = row('a href=x', 'a', 1) + row('b', 'b', 2);
    expect(await markdown(`<div role=table>${rows}</div>c`)).toBe('| a | 1 |\n| --- | --- |\n| b | 2 |\n\nc');
  });

  it('are no more than their text where a part stands alone', async () => {
    expect(await markdown('<div role=row><div role=cell>a</div><div role=cell>b</div></div>')).toBe('a\n\nb');
    expect(await markdown('<div role=grid><div role=cell>a</div><div role=cell>b</div></div>')).toBe(
      'a\n\nb',
    );
  });

  it('end at the tables in their cells', async () => {
    const inner = '<table><tr><th>x<th>y<tr><td><div role=cell>1</div><td>2</table>';
    const cells = `<div role=cell>10</div><div role=cell>${inner}</div>`;
    expect(
      await markdown(`<div role=table><div role=row>${cells}</div><div role=row>${cells}</div></div>`),
    ).toBe('| 10 | x | y |\n| --- | --- | --- |\n|  | 1 | 2 |\n| 10 | x | y |\n|  | 1 | 2 |');
  });
});

describe('a list', () => {
  it('is one where dates stand above the headings of its items, which would be of the section before', async () => {
    const item = (day: string, title: string): string => `<li><p>${day}</p><h3>${title}</h3><p>More.</p>`;
    expect(await markdown(`<ul>${item('12 May', 'A')}${item('13 May', 'B')}</ul>`)).toBe(
      '- 12 May\n\n  ### A\n\n  More.\n\n- 13 May\n\n  ### B\n\n  More.',
    );
  });

  it('keeps an item that begins with a list and goes on, or holds terms', async () => {
    expect(await markdown('<ul><li>a<li><ul><li>b</ul><p>c</ul>')).toBe('- a\n\n- - b\n\n  c');
    expect(await markdown('<ul><li>a<li><dl><dt>b<dd>c</dl></ul>')).toBe('- a\n- - **b**\n\n    c');
  });

  it('of buttons, which are headings, is one', async () => {
    expect(await markdown('<ul><li><h6>a</h6><li><h6>b</h6><h6>c</h6></ul>')).toBe(
      '- ###### a\n\n- ###### b\n\n  ###### c',
    );
  });
});

describe('code in boxes', () => {
  it('has a line for each box, as Doxygen writes it', async () => {
    const line = (number: number, text: string): string =>
      `<div class="line"><a id="l${number}"></a><span class="lineno">${number}</span>${text}</div>\n`;
    const lines = `${line(1, '<span class="keyword">int</span> f() {')}${line(2, ' ')}${line(3, '  return 1;')}`;
    const tip = '<div class="ttc"><div class="ttname"><a href="f.html">f</a></div></div>';
    expect(await markdown(`<p>a<div class="fragment">${lines}</div>${tip.replaceAll(/tt[a-z]+/g, '')}`)).toBe(
      `a\n\n${code('int f() {\n \n  return 1;')}\n\n[f](f.html)`,
    );
    expect(await markdown(`<div class="fragment"><div class="foldopen">${lines}</div>${tip}</div><p>b`)).toBe(
      `${code('int f() {\n \n  return 1;')}\n\nb`,
    );
  });

  it('is in no box without lines, and no line without a box', async () => {
    expect(await markdown('<div class="fragment">a<p>b</div><div class="line">c</div>')).toBe('a\n\nb\n\nc');
    expect(await markdown('<div class="fragment"><div class="line">a')).toBe(code('a'));
    expect(
      await markdown('<div class="fragment"><div class="line">a</div> b<div class="line">c</div><p>d</div>e'),
    ).toBe(`${code('a')}\n\nb\n\n${code('c')}\n\nd\n\ne`);
  });

  it('has no types of words in it, as Haddock hides them', async () => {
    expect(
      await markdown(
        '<pre><span class="annot"><span class="annottext">f :: Int\n</span><a href="#f">f</a></span> = 1</pre>',
      ),
    ).toBe(code('f = 1'));
  });

  it('has no links between code and its description, as Sphinx sets them', async () => {
    expect(
      await markdown(
        '<pre><a class="viewcode-back" href="a.html#f">[docs]</a>def f():</pre><dl><dt>f()<a class="reference internal" href="_modules/a.html"><span class="viewcode-link">[source]</span></a><dd>x</dl>',
      ),
    ).toBe(`${code('def f():')}\n\n- **f()**\n\n  x`);
  });
});

describe('the numbers of lines', () => {
  it.each([
    [
      'a table (Pygments)',
      '<table class="highlighttable"><tr><td class="linenos"><div class="linenodiv"><pre>1\n2</pre></div></td><td class="code"><div class="highlight"><pre>a:\n  b</pre></div></td></tr></table>',
    ],
    [
      'a table (Rouge)',
      '<table class="rouge-table"><tbody><tr><td class="rouge-gutter gl"><pre class="lineno">1\n2\n</pre></td><td class="rouge-code"><pre>a:\n  b\n</pre></td></tr></tbody></table>',
    ],
    [
      'a table (Hexo)',
      '<figure class="highlight"><table><tr><td class="gutter"><pre><span class="line">1</span><br><span class="line">2</span></pre></td><td class="code"><pre><span class="line">a:</span><br><span class="line">  b</span></pre></td></tr></table></figure>',
    ],
    [
      'a table (GTK-Doc)',
      '<table class="listing_frame" border="0"><tbody><tr><td class="listing_lines"><pre>1\n2</pre></td><td class="listing_code"><pre class="programlisting">a:\n  b</pre></td></tr></tbody></table>',
    ],
    [
      'a table (SyntaxHighlighter)',
      '<div class="syntaxhighlighter yaml"><table><tr><td class="gutter"><div class="line number1">1</div><div class="line number2">2</div></td><td class="code"><div class="container"><div class="line number1"><code class="plain">a:</code></div><div class="line number2"><code class="spaces">  </code><code class="plain">b</code></div></div></td></tr></table></div>',
    ],
    ['the line itself', '<pre><span class="linenos">1</span>a:\n<span class="linenos">2</span>  b</pre>'],
    [
      'a column of their own',
      '<pre>a:\n  b</pre><div class="line-numbers-wrapper"><span>1</span><br><span>2</span></div>',
    ],
    [
      'a table of a row for each line (gists)',
      '<table class="highlight js-file-line-container">\n <tbody><tr>\n <td class="blob-num" data-line-number="1"></td>\n <td class="blob-code">a:</td>\n</tr>\n<tr>\n <td class="blob-num">2</td>\n <td class="blob-code">  b</td>\n</tr></tbody></table>',
    ],
    [
      'such a table inside the code',
      '<pre><code><table class="hljs-ln"><tr><td class="hljs-ln-numbers"><div></div>1</td><td>a:</td></tr><tr><td class="hljs-ln-numbers">2</td><td>  b</td></tr></table></code></pre>',
    ],
    ['a list', '<pre class="prettyprint"><ol class="linenums"><li>a:</li><li>  b</li></ol></pre>'],
  ])('are left out where they stand in %s', async (_, html) => {
    expect(await markdown(`${html}<p>after`)).toBe(`${code('a:\n  b')}\n\nafter`);
  });

  it('keep empty lines between them', async () => {
    expect(await markdown('<pre><ol class="linenums"><li>a<li><li>b</ol></pre>')).toBe(code('a\n\nb'));
  });

  it('are no content of other gutters', async () => {
    expect(await markdown('<div class="gutter">text</div>')).toBe('text');
  });
});

describe('formulas', () => {
  it.each([
    ['a fraction', '<mfrac><mi>a</mi><mrow><mi>b</mi><mo>+</mo><mn>1</mn></mrow></mfrac>', '\\frac{a}{b+1}'],
    ['a binomial', '<mfrac linethickness="0"><mi>n</mi><mi>k</mi></mfrac>', '{n \\atop k}'],
    ['a line fraction', '<mfrac bevelled="true"><mi>a</mi><mi>b</mi></mfrac>', '{a}/{b}'],
    [
      'roots',
      '<msqrt><mi>x</mi><mo>+</mo><mn>1</mn></msqrt><mroot><mi>y</mi><mn>3</mn></mroot>',
      '\\sqrt{x+1}\\sqrt[3]{y}',
    ],
    [
      'indices',
      '<msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup><msup><mrow><mi>a</mi><mi>b</mi></mrow><mn>2</mn></msup>',
      'x_{i}^{2}{ab}^{2}',
    ],
    [
      'a sum',
      '<munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover><mi>i</mi>',
      '\\sum_{i=1}^{n} i',
    ],
    [
      'a limit',
      '<munder><mo>lim</mo><mrow><mi>x</mi><mo>→</mo><mn>0</mn></mrow></munder><mi>x</mi>',
      '\\lim_{x\\rightarrow 0} x',
    ],
    [
      'accents',
      '<mover><mi>v</mi><mo>→</mo></mover><mover accent="true"><mi>w</mi><mo>^</mo></mover>',
      '\\vec{v}\\hat{w}',
    ],
    [
      'lines and braces',
      '<munder><mi>x</mi><mo>_</mo></munder><mover><mi>z</mi><mo>⏞</mo></mover>',
      '\\underline{x}\\overbrace{z}',
    ],
    ['anything above', '<mover><mo>=</mo><mtext>def</mtext></mover>', '\\overset{\\text{def}}{=}'],
    [
      'names',
      '<mi>sin</mi><mo>&#x2061;</mo><mi>x</mi><mo>+</mo><mi>rank</mi><mi>A</mi>',
      '\\sin x+\\mathrm{rank}A',
    ],
    [
      'alphabets',
      '<mi mathvariant="double-struck">R</mi><mi>ℂ</mi><mi mathvariant="bold">v</mi>',
      '\\mathbb{R}\\mathbb{C} \\mathbf{v}',
    ],
    [
      'Greek letters and signs',
      '<mi>α</mi><mo>≤</mo><mn>5</mn><mo>%</mo><mo>−</mo><mi>x</mi>',
      '\\alpha \\leq 5\\%-x',
    ],
    ['words', '<mtext>if </mtext><mi>x</mi><mo>=</mo><mn>0</mn>', '\\text{if}x=0'],
    [
      'a matrix',
      '<mo>(</mo><mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>0</mn></mtd></mtr><mlabeledtr><mtd>(3)</mtd><mtd><mn>2</mn></mtd></mlabeledtr></mtable><mo>)</mo>',
      '(\\begin{matrix} 1 & 0 \\\\ 2 & (3) \\end{matrix})',
    ],
    ['brackets', '<mfenced open="[" close=""><mi>a</mi><mi>b</mi></mfenced>', '\\left[ a,b \\right.'],
    [
      'signs before the base',
      '<mmultiscripts><mi>X</mi><mi>a</mi><none/><mprescripts/><mn>6</mn><mn>14</mn></mmultiscripts>',
      '{}_{6}^{14}X_{a}',
    ],
    [
      'indices in pairs',
      '<mmultiscripts><mi>R</mi><mi>a</mi><none/><mi>b</mi><mi>c</mi><none/><none/></mmultiscripts>',
      'R_{a}{}_{b}^{c}',
    ],
    [
      'names that all objects have',
      '<constructor><mi mathvariant="constructor">x</mi></constructor><mover><mi>y</mi><mi>constructor</mi></mover><mfenced open="toString" close="">z</mfenced>',
      'x\\overset{\\mathrm{constructor}}{y}\\lefttoString z \\right.',
    ],
    ['what lacks a part', '<mfrac><mi>x</mi></mfrac><msup><mi>y</mi><mn>2</mn><mi>z</mi></msup>', 'xy2z'],
    ['figures side by side', '<mn>1</mn><mn>2</mn>', '1 2'],
    ['what is in no element it knows', '<mfoo><mi>x</mi> y</mfoo>', 'xy'],
  ])('in MathML alone are LaTeX: %s', async (_, mathml, latex) => {
    expect(await markdown(`<p>so <math>${mathml}</math>.`)).toBe(`so $${latex}$.`);
    const semantics = `<math display="block"><semantics><mrow>${mathml}</mrow><annotation-xml>x</annotation-xml></semantics></math>`;
    expect(await markdown(`<p>${semantics}`)).toBe(`$$${latex}$$`);
  });

  it('of any depth keep their letters', async () => {
    const deep = `<math>${'<msqrt>'.repeat(5000)}<mi>x</mi>${'</msqrt>'.repeat(5000)}</math>`;
    expect(await markdown(deep)).toMatch(/x\}*\$$/);
    expect(await markdown('<p>a<math></math>b')).toBe('ab');
  });

  it('are those of MathJax’s scripts and of pictures that say so', async () => {
    expect(
      await markdown(
        '<p>so <span class="MathJax_Preview">x2</span><script type="math/tex">x^2</script>, <script type="math/tex; mode=display">y</script>, ' +
          '<img class="mwe-math-fallback-image-inline" alt="{\\displaystyle E=mc^{2}}" src="e.svg">, <img class="latex" alt="\\alpha" src="a.png">',
      ),
    ).toBe('so $x^2$, $$y$$, $E=mc^{2}$, $\\alpha$');
  });

  it('are those inside the drawings of MathJax 2, 3 and 4, once each', async () => {
    const math = '<math><mi>a</mi></math>';
    const drawn = '<mjx-math aria-hidden="true"><mjx-mi>x</mjx-mi></mjx-math>';
    const html =
      `<p>When <span class="MathJax">${math}</span>, ` +
      `<mjx-container class="MathJax" jax="CHTML">${drawn}<mjx-assistive-mml>${math}</mjx-assistive-mml></mjx-container>, ` +
      `<span class="MathJax_Preview">a</span><span class="MathJax"><nobr>a</nobr><span class="MJX_Assistive_MathML">${math}</span></span>` +
      '<script type="math/tex">a</script><script type="math/tex">b</script> or <span class="MathJax">c</span><script type="math/tex">c</script>.';
    expect(await markdown(html)).toBe('When $a$, $a$, $a$$b$ or $c$.');
  });

  it('have no style around them', async () => {
    expect(await markdown('<math alttext="{\\displaystyle x_{1}}"><mi>x</mi></math>')).toBe('$x_{1}$');
  });
});

describe('what Word writes as HTML', () => {
  const mark = (text: string): string =>
    `<![if !supportLists]><span style='font-family:Symbol'><span style='mso-list:Ignore'>${text}<span>&nbsp;&nbsp; </span></span></span><![endif]>`;
  const listed = (level: number, sign: string, text: string): string =>
    `<p class=MsoListParagraph style='margin-left:.5in;mso-list:l0 level${level} lfo1'>${mark(sign)}${text}<o:p></o:p></p>`;

  it('has its lists', async () => {
    const html = [
      '<p>before',
      listed(1, '·', 'a'),
      listed(2, 'o', 'b'),
      listed(1, '·', 'c'),
      listed(1, '3.', 'd'),
      listed(2, 'a)', 'e'),
      listed(2, 'b)', 'f'),
      '<p>after',
    ];
    expect(await markdown(html.join('\n'))).toBe(
      'before\n\n- a\n  - b\n- c\n\n3. d\n   - a) e\n   - b) f\n\nafter',
    );
  });

  it('has lists that end with what is none of them', async () => {
    expect(await markdown(`${listed(1, '·', 'a')}<h2>b</h2>${listed(1, '·', 'c')}`)).toBe(
      '- a\n\n## b\n\n- c',
    );
    expect(await markdown(`<h2 style='mso-list:l0 level1 lfo1'>${mark('1.')}b</h2>`)).toBe(
      '## 1.\u00a0\u00a0 b',
    );
  });

  it('leaves out what it hides', async () => {
    expect(await markdown("<p>a<span style='mso-hide:all'>b</span>")).toBe('a');
  });
});

describe('a drawing', () => {
  it.each(['<title/>', '<style/>', '<title>Icon', '<script/>', '<desc/><g>'])(
    'ends where it ends: %s',
    async (inside) => {
      expect(await markdown(`a<svg>${inside}<path d="M0"/></svg><p>b <b>c</b>`)).toBe('a\n\nb **c**');
    },
  );

  it('that is never closed ends before what it cannot hold', async () => {
    expect(await markdown('<svg><g><p>a<style>p > b {}</style><div/>b</div>c')).toBe('a\n\nb\n\nc');
    expect(await markdown('<p><math><mi>x<p>a<title/>b</title>c')).toBe('$x$\n\nac');
  });

  it('holds HTML where it says so, and text of its own', async () => {
    expect(
      await markdown(
        '<svg><text>Jan</text><text>F<tspan>eb</tspan></text><foreignObject><p>a<textarea><b></textarea></p>c</foreignObject><text><![CDATA[d < e]]></text></svg>f<![CDATA[g]]>',
      ),
    ).toBe('Jan Feb\n\na <b>\n\nc d < e f');
    expect(await markdown('<math><mtext><![CDATA[no]]>a<b>c</b></mtext><mspace/><mi>x</mi></math>')).toBe(
      '$\\text{ac} x$',
    );
  });
});

describe('text', () => {
  it('of a ruby stays a word, its reading behind it', async () => {
    expect(
      await markdown('<ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp>字<rp>(</rp><rt>じ<rp>)</rp></ruby>です'),
    ).toBe('漢字(かんじ)です');
    expect(await markdown('<ruby>明日<rp>(<rt>あした<rp>)</ruby>です')).toBe('明日(あした)です');
    expect(await markdown('<ruby><rb>東<rt>とう<rb>京<rt>きょう</ruby>です')).toBe('東京(とうきょう)です');
  });

  it('keeps the ends of its lines where its style says so', async () => {
    const inside = '<a href="#x">at\nnoon</a>.<span style="white-space: normal">e\nf</span>';
    expect(
      await markdown(`<div style="color: red; white-space:pre-wrap">a\nb\n\nc ${inside}</div>d\ne`),
    ).toBe('a\nb\n\nc at\nnoon.e f\n\nd e');
    expect(await markdown('<p style="white-space: nowrap">a\nb<p style="white-space:pre"><code>c\nd')).toBe(
      'a b\n\n`c\nd`',
    );
  });

  it('of buttons stands apart', async () => {
    expect(
      await markdown('<button>npm</button><button>yarn</button>x<select><option>a<option>b</select>c'),
    ).toBe('npm yarn x a b c');
  });

  it('of a declarative shadow root is shown', async () => {
    expect(
      await markdown('<x-a><template shadowrootmode=open><h2>a</h2></template>b</x-a><template>c</template>'),
    ).toBe('## a\n\nb');
  });
});

describe('a table', () => {
  it('that is a note of Asciidoctor is a frame, and no other in it', async () => {
    const values = '<table><tr><td>1<td>x<tr><td>2<td>y</table>';
    const note = `<div class="admonitionblock note"><table><tr><td class=icon><div class=title>Note</div><td>${values}</table></div>`;
    const table = '| 1 | x |\n| --- | --- |\n| 2 | y |';
    expect(await markdown(`${note}<div>${values}</div>`)).toBe(`Note\n\n${table}\n\n${table}`);
  });

  it('begins anew below a row that is but a heading, unless its columns have names or a cell reaches over it', async () => {
    const title = (text: string): string => `<tr><td colspan=2><h2>${text}</h2>`;
    const rows = '<tr><td>1<td>x<tr><td>2<td>y';
    const table = '| 1 | x |\n| --- | --- |\n| 2 | y |';
    expect(await markdown(`<table>${title('A')}${rows}${title('B')}${rows}</table>`)).toBe(
      `## A\n\n${table}\n\n## B\n\n${table}`,
    );
    expect(await markdown(`<table><tr><th>n<th>v${rows}${title('B')}${rows}</table>`)).toBe(
      '| n | v |\n| --- | --- |\n| 1 | x |\n| 2 | y |\n| B |  |\n| 1 | x |\n| 2 | y |',
    );
    const named = '<tr><td><b>n</b><td><b>v</b>';
    const names = '| **n** | **v** |\n| --- | --- |\n| 1 | x |\n| 2 | y |';
    expect(await markdown(`<table>${named}${rows}${title('B')}${rows}</table>`)).toBe(
      `${names}\n| B |  |\n| 1 | x |\n| 2 | y |`,
    );
    expect(await markdown(`<table>${title('A')}${named}${rows}${title('B')}${named}${rows}</table>`)).toBe(
      `## A\n\n${names}\n\n## B\n\n${names}`,
    );
    const reaching = '<tr><td>1<td>x<tr><td>2<td rowspan=2>y<tr><td><h2>B</h2>';
    expect(await markdown(`<table>${reaching}${rows}</table>`)).toBe(
      '| 1 | x |\n| --- | --- |\n| 2 | y |\n| B |  |\n| 1 | x |\n| 2 | y |',
    );
  });

  it('in one row around another one is a frame', async () => {
    expect(
      await markdown(
        '<table><tr><td><table><tr><td><h1>News</h1><p>text</table><td><a href=/a>A</a></table>',
      ),
    ).toBe('# News\n\ntext\n\n[A](/a)');
  });
});

describe('lists that are not closed as they were opened', () => {
  it('end as browsers end them', async () => {
    expect(await markdown('<ul><li>a<ol><li>b</ul><p>c')).toBe('- a\n  1. b\n\nc');
    expect(await markdown('<ul><li>a</ol><li>b<ol><li>c</ol><li>d</ul>e')).toBe('- a\n- b\n  1. c\n- d\n\ne');
    expect(await markdown('<ol><li>a<menu><li>b</ol>c</menu>d')).toBe('1. a\n   - b\n\nc\n\nd');
  });
});

describe('a foot of a table', () => {
  it('stands below its body, wherever it is written', async () => {
    const parts = '<tfoot><tr><td>Sum<td>3</tfoot><tbody><tr><td>Tea<td>1<tr><td>Milk<td>2</tbody>';
    expect(await markdown(`<table><thead><tr><th>Name<th>Price</thead>${parts}</table>`)).toBe(
      '| Name | Price |\n| --- | --- |\n| Tea | 1 |\n| Milk | 2 |\n| Sum | 3 |',
    );
  });
});

describe('roles', () => {
  it('make a table of a list or of paragraphs', async () => {
    const rows = [
      ['Tea', '1'],
      ['Milk', '2'],
    ].map(([name, price]) => `<li role="row"><span role=cell>${name}</span><p role=cell>${price}</p></li>`);
    const table = '| Tea | 1 |\n| --- | --- |\n| Milk | 2 |';
    expect(await markdown(`<ol><li>a<ul role="table">${rows.join('')}</ul><li>b</ol>`)).toBe(
      `1. a\n\n   ${table.replaceAll('\n', '\n   ')}\n\n2. b`,
    );
    expect(
      await markdown('<div role=table><p role=row><b role=cell>a</b><i role=cell>b</i></p></div>c'),
    ).toBe('| a | b |\n| --- | --- |\n\nc');
    expect(await markdown('<ol><li>a<ul role=grid><li>b</ul><li>c</ol>')).toBe('1. a\n\n   - b\n\n2. c');
  });

  it('are the first of several that means something', async () => {
    const frame = (role: string): string => `<table role="${role}"><tr><th>a<th>b<tr><td>c<td>d</table>`;
    expect(await markdown(frame('presentation none'))).toBe('a\n\nb\n\nc\n\nd');
    expect(await markdown(frame('unheard-of NONE'))).toBe('a\n\nb\n\nc\n\nd');
    const boxes = '<div role="ROW row"><div role="gridcell cell">a</div><div role="cell">b</div></div>';
    expect(await markdown(`<div role="grid table">${boxes}</div>`)).toBe('| a | b |\n| --- | --- |');
  });

  it('make headings, as deep as they say', async () => {
    expect(
      await markdown(
        '<div role="heading" aria-level="3">A <b>b</b></div>c<p role=heading>D</p><span role=heading aria-level=9>E</span>f<h1 role="heading" aria-level=4>G</h1>',
      ),
    ).toBe('### A b\n\nc\n\n## D\n\n###### E\n\nf\n\n# G');
    expect(await markdown('<pre><span role=heading>a</span>\nb</pre>')).toBe(code('a\nb'));
    expect(await markdown('<div role=heading><h3>A</h3><p>b</div>c')).toBe('### A\n\nb\n\nc');
  });
});

describe('AsciiDoc', () => {
  it('writes lists of terms and of numbers in code as tables', async () => {
    const row = (one: string, other: string): string => `<tr><td>${one}</td>\n<td>${other}</td></tr>\n`;
    const terms = row('<code>-a</code><br>', '<p>All.</p><p>More.</p>') + row('b<br>c', '<p>Else.</p>');
    expect(await markdown(`<div class="hdlist"><table>${terms}</table></div>`)).toBe(
      '- **`-a`**\n\n  All.\n\n  More.\n\n- **b**\n  **c**\n\n  Else.',
    );
    const callouts = row('<i class="conum" data-value="1"></i><b>1</b>', 'First.') + row('<b>2</b>', 'Then.');
    expect(await markdown(`<div class="colist arabic"><table>${callouts}</table></div>`)).toBe(
      '1. First.\n2. Then.',
    );
  });

  it('writes tables of values as such, also in such a box', async () => {
    const rows = '<tr><td>a<td>1<td>x<tr><td>b<td>2<td>y';
    expect(await markdown(`<div class="hdlist"><table>${rows}</table></div>`)).toMatch(/^\|/);
    expect(await markdown('<div class="colist"><table><tr><td>a<td>1<tr><td>b<td>2</table></div>')).toMatch(
      /^\|/,
    );
    expect(
      await markdown('<div class="hdlist"><div><table><tr><td>a<td>1<tr><td>b<td>2</table></div></div>'),
    ).toMatch(/^\|/);
  });
});
