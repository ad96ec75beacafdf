import { describe, expect, it } from 'vitest';
import { blocksOf } from '../../src/blocks/index.ts';
import { MAX_DEPTH } from '../../src/blocks/tree.ts';
import { outline } from './laws.ts';

const read = (text: string): string[] => outline(text, blocksOf(text, 'markdown'));

describe('containers', () => {
  it('begin with the first mark on their line, and so do their children', () => {
    expect(read('> - a\n>   b\n> - c')).toEqual([
      'quote',
      '  list 1',
      '    item',
      '      paragraph: "> - a\\n>   b"',
      '    item',
      '      paragraph: "> - c"',
    ]);
  });

  it('give marks that stand alone to the leaf above them', () => {
    expect(read('> # T\n>\n> a\n>\n\nb')).toEqual([
      'quote',
      '  heading 1: "> # T\\n>"',
      '  paragraph: "> a\\n>"',
      'paragraph: "b"',
    ]);
  });

  it('give marks before any content to the leaf below them', () => {
    expect(read('>\n> -\n>   a')).toEqual([
      'quote',
      '  list 1',
      '    item',
      '      paragraph: ">\\n> -\\n>   a"',
    ]);
  });

  it('are leaves when there is nothing in them', () => {
    expect(read('-\n\n>\n\n1.')).toEqual([
      'list 1',
      '  item: "-"',
      'quote: ">"',
      'list 1 ordered',
      '  item: "1."',
    ]);
  });

  it('begin what is in an item one blank behind its mark where code or nothing follows that', () => {
    expect(read('-     a\n\n*    b\n\n+\n  c\n\n-\n d')).toEqual([
      'list 1',
      '  item',
      '    code indented: "-     a"',
      'list 1',
      '  item',
      '    paragraph: "*    b"',
      'list 1',
      '  item',
      '    paragraph: "+\\n  c"',
      'list 1',
      '  item: "-"',
      'paragraph: "d"',
    ]);
  });

  it('know how deep lists are nested, how they are numbered, and where they begin', () => {
    expect(read('5. a\n   - b\n     1) c\n6. d')).toEqual([
      'list 1 ordered from 5',
      '  item',
      '    paragraph: "5. a"',
      '    list 2',
      '      item',
      '        paragraph: "- b"',
      '        list 3 ordered',
      '          item',
      '            paragraph: "1) c"',
      '  item',
      '    paragraph: "6. d"',
    ]);
  });

  it('take lazy lines into their paragraph but not into their code', () => {
    expect(read('> a\nb\n\n>     c\nd')).toEqual([
      'quote',
      '  paragraph: "> a\\nb"',
      'quote',
      '  code indented: ">     c"',
      'paragraph: "d"',
    ]);
  });

  it('nest no deeper than the bound, and keep what is deeper as text', () => {
    let blocks = blocksOf('>'.repeat(1000) + 'a', 'markdown');
    let depth = 0;
    for (; blocks[0]?.kind === 'quote'; depth++) blocks = blocks[0].children ?? [];
    expect(depth).toBe(MAX_DEPTH);
    expect(blocks).toEqual([{ kind: 'paragraph', start: 0, end: 1001 }]);
  });
});

describe('code', () => {
  it('in an item ends with the item when its fence is not closed', () => {
    expect(read('- ```js\n  x\n\n  y\n- z')).toEqual([
      'list 1',
      '  item',
      '    code js: "- ```js\\n  x\\n\\n  y"',
      '  item',
      '    paragraph: "- z"',
    ]);
  });

  it('in a quote keeps a fence of another mark and the blank lines', () => {
    expect(read('> ````md\n> ```\n>\n> ~~~\n> ````\n> a')).toEqual([
      'quote',
      '  code md: "> ````md\\n> ```\\n>\\n> ~~~\\n> ````"',
      '  paragraph: "> a"',
    ]);
  });

  it('by indentation spans blank lines and stops at text', () => {
    expect(read('a\n\n    b\n\n\n    c\n\nd')).toEqual([
      'paragraph: "a"',
      'code indented: "b\\n\\n\\n    c"',
      'paragraph: "d"',
    ]);
  });

  it('is HTML between <pre> tags', () => {
    expect(read('<pre>\na\n\nb\n</pre>\nc')).toEqual([
      'code html: "<pre>\\na\\n\\nb\\n</pre>"',
      'paragraph: "c"',
    ]);
  });

  it('is display math when a line closes it', () => {
    expect(read('a\n$$\nx\n\ny$$\nb')).toEqual([
      'paragraph: "a"',
      'code math: "$$\\nx\\n\\ny$$"',
      'paragraph: "b"',
    ]);
    expect(read('$$\nx\n\nand $$ in text')).toEqual(['paragraph: "$$\\nx"', 'paragraph: "and $$ in text"']);
  });

  it('is front matter at the start of a text that has keys', () => {
    expect(read('---\ntitle: T\n\ntags: [a]\n---\n# H')).toEqual([
      'code yaml front-matter: "---\\ntitle: T\\n\\ntags: [a]\\n---"',
      'heading 1: "# H"',
    ]);
    expect(read('+++\nt = 1\n+++\na')).toEqual([
      'code toml front-matter: "+++\\nt = 1\\n+++"',
      'paragraph: "a"',
    ]);
    expect(read('---\n\na\n\n---')).toEqual(['rule: "---"', 'paragraph: "a"', 'rule: "---"']);
  });
});

describe('headings', () => {
  it('by underline take all lines of their paragraph', () => {
    expect(read('a\nb\n===\nc\n---')).toEqual(['heading 1: "a\\nb\\n==="', 'heading 2: "c\\n---"']);
  });

  it('in HTML take their lines up to the end tag', () => {
    expect(read('<h1 align="center">\n  T\n</h1>\n<p>\na\n</p>')).toEqual([
      'heading 1 html: "<h1 align=\\"center\\">\\n  T\\n</h1>"',
      'paragraph html: "<p>\\na\\n</p>"',
    ]);
    expect(read('<h2>never\n\nclosed')).toEqual(['paragraph html: "<h2>never"', 'paragraph: "closed"']);
  });
});

describe('GFM tables', () => {
  it('have cells that hold their pipes, and a header that holds the line of dashes', () => {
    expect(read('| a\\|b | c |\n|---|:-:|\n| 1 |\n|| 3 | 4 |\n\nx')).toEqual([
      'table',
      '  row header',
      '    cell: "| a\\\\|b"',
      '    cell: "| c |\\n|---|:-:|"',
      '  row',
      '    cell: "| 1 |"',
      '  row',
      '    cell: "|"',
      '    cell: "| 3"',
      '    cell: "| 4 |"',
      'paragraph: "x"',
    ]);
  });

  it('stand in items and quotes, below a paragraph, until another block begins', () => {
    expect(read('- > a\n  > b|c\n  > -|-\n  > d\n  > # e')).toEqual([
      'list 1',
      '  item',
      '    quote',
      '      paragraph: "- > a"',
      '      table',
      '        row header',
      '          cell: "> b"',
      '          cell: "|c\\n  > -|-"',
      '        row',
      '          cell: "> d"',
      '      heading 1: "> # e"',
    ]);
  });

  it('need as many dashes as the header has cells', () => {
    expect(read('| a | b |\n|---|')).toEqual(['paragraph: "| a | b |\\n|---|"']);
  });
});

describe('HTML tables', () => {
  it('have a caption before them, spans, and two header rows when the first reaches into the second', () => {
    const text =
      '<table>\n<caption>C</caption>\n<tr><td rowspan=2>No.<td colspan="2">Votes</tr>\n' +
      '<tr><td>a</td><td>b</td></tr>\n\n<tr><td>1</td><td>2</td><td>3</td></tr>\n</table>\nafter';
    expect(read(text)).toEqual([
      'paragraph html: "<table>\\n<caption>C</caption>"',
      'table html',
      '  row header',
      '    cell 2 rows: "<tr><td rowspan=2>No."',
      '    cell 2 columns: "<td colspan=\\"2\\">Votes</tr>"',
      '  row header',
      '    cell: "<tr><td>a</td>"',
      '    cell: "<td>b</td></tr>"',
      '  row',
      '    cell: "<tr><td>1</td>"',
      '    cell: "<td>2</td>"',
      '    cell: "<td>3</td></tr>\\n</table>"',
      'paragraph html: "after"',
    ]);
  });

  it('have the rows of their head as header, else the rows of <th>, else none above figures alone', () => {
    const header = (rows: string): boolean[] =>
      (blocksOf(`<table>${rows}</table>`, 'markdown')[0]?.children ?? []).map((row) => row.header === true);
    expect(header('<thead><tr><td>1<tr><td>2</thead><tr><td>3')).toEqual([true, true, false]);
    expect(header('<tr><th>a<th>b<tr><th>c<td>1')).toEqual([true, false]);
    expect(header('<tr><td>name<tr><td>1')).toEqual([true, false]);
    expect(header('<tr><td>1<tr><td>2')).toEqual([false, false]);
  });

  it('keep a table inside a cell as its text', () => {
    expect(read('<table><tr><td>a<table><tr><td>b</td></tr></table></td><td>c</td></tr></table>')).toEqual([
      'table html',
      '  row',
      '    cell: "<table><tr><td>a<table><tr><td>b</td></tr></table></td>"',
      '    cell: "<td>c</td></tr></table>"',
    ]);
  });

  it('end at a blank line when they have no end tag', () => {
    expect(read('<table>\n<tr>\n\na')).toEqual(['paragraph html: "<table>\\n<tr>"', 'paragraph: "a"']);
  });
});

describe('the rest', () => {
  it('is footnotes, definitions, images and rules', () => {
    expect(
      read('[^a]: one\n\n[^b]: one\n\n    two\n\n[x]: /y\n  "t"\n[z]: w\ntext\n\n![i](j.png)\n\n* * *'),
    ).toEqual([
      'footnote: "[^a]: one"',
      'footnote',
      '  paragraph: "[^b]: one"',
      '  paragraph: "two"',
      'paragraph definition: "[x]: /y\\n  \\"t\\""',
      'paragraph definition: "[z]: w"',
      'paragraph: "text"',
      'image: "![i](j.png)"',
      'rule: "* * *"',
    ]);
  });

  it('reads lines that end with CR LF alike', () => {
    expect(read('# a\r\n\r\n- b\r\n\r\n```\r\nc\r\n```\r\n')).toEqual([
      'heading 1: "# a"',
      'list 1',
      '  item',
      '    paragraph: "- b"',
      'code: "```\\r\\nc\\r\\n```"',
    ]);
  });
});
