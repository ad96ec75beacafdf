import { describe, expect, it } from 'vitest';
import { InlineText, longestRun, type Mark, type MarkKind } from './inline.ts';
import { linkTarget, LinkTargets, LinkWriter, type LinkStyle } from './links.ts';

type Part =
  | string
  | { readonly mark: MarkKind; readonly target?: string; readonly parts: readonly Part[] }
  | { readonly alt: string };

const markOf = (mark: MarkKind, ...parts: Part[]): Part => ({ mark, parts });
const link = (target: string, ...parts: Part[]): Part => ({ mark: 'link', target, parts });

interface Options {
  readonly inCell?: boolean;
  readonly plain?: boolean;
  readonly style?: LinkStyle;
}

function write(parts: readonly Part[], options: Options = {}): string {
  return writeLinks(parts, options).text;
}

function writeLinks(
  parts: readonly Part[],
  { style = 'markdown', ...options }: Options = {},
): { readonly text: string; readonly links: readonly (readonly [words: string, href: string])[] } {
  const targets = new LinkTargets();
  const inline = new InlineText({ inCell: false, plain: false, marks: [], targets, ...options });
  const add = (part: Part): void => {
    if (part === '\n') inline.lineBreak();
    else if (typeof part === 'string') inline.text(part);
    else if ('alt' in part) inline.image(part.alt, 'a.png');
    else {
      const mark: Mark = { kind: part.mark, target: part.target ?? '', written: false };
      inline.open(mark);
      part.parts.forEach(add);
      inline.close(mark);
    }
  };
  parts.forEach(add);
  const writer = new LinkWriter(targets, style);
  const { text } = writer.write(inline.finish(), 7);
  const links = writer.links.map(({ start, end, href }) => [text.slice(start - 7, end - 7), href] as const);
  return { text, links };
}

describe('the text of a leaf', () => {
  it('collapses white space across its parts, and has none at its ends and beside line breaks', () => {
    expect(write(['  a \t', '\n', ' b', ' ', ' c\f\r\nd  '])).toBe('a\nb c d');
  });

  it('keeps no-break spaces, and drops soft hyphens and byte order marks', () => {
    expect(write(['a\u00a0\u00a0b in\u00advis\ufeffible'])).toBe('a\u00a0\u00a0b invisible');
  });

  it('gets no backslash escapes', () => {
    expect(write(['1. *a* _b_ # [c] <d> `e` \\ | f'])).toBe('1. *a* _b_ # [c] <d> `e` \\ | f');
  });

  it('is blank until something visible comes', () => {
    const inline = new InlineText({ inCell: false, plain: false, marks: [], targets: new LinkTargets() });
    inline.text(' \u00a0 ');
    expect(inline.isBlank).toBe(true);
    inline.text('.');
    expect(inline.isBlank).toBe(false);
  });
});

describe('marks', () => {
  it('stand around the words, not around the blanks beside them', () => {
    expect(
      write([
        'a',
        markOf('strong', ' b '),
        'c',
        markOf('emphasis', '\u00a0d\u00a0'),
        'e ',
        markOf('strike', 'f', '\n'),
      ]),
    ).toBe('a **b** c\u00a0*d*\u00a0e ~~f~~');
  });

  it('are left out when there is nothing in them', () => {
    expect(write(['a', markOf('strong', ' ', markOf('emphasis')), 'b'])).toBe('a b');
  });

  it('are left out inside a word', () => {
    expect(write([markOf('strong', 'D'), 'rop'])).toBe('Drop');
    expect(write(['un', markOf('emphasis', 'believ'), 'able'])).toBe('unbelievable');
    expect(write([markOf('strong', markOf('emphasis', 'n')), 'ot'])).toBe('not');
  });

  it('stay at the end of a word', () => {
    expect(write([markOf('strong', 'Note'), ': text'])).toBe('**Note**: text');
  });

  it('that overlap are closed and opened again', () => {
    const inline = new InlineText({ inCell: false, plain: false, marks: [], targets: new LinkTargets() });
    const strong: Mark = { kind: 'strong', target: '', written: false };
    const emphasis: Mark = { kind: 'emphasis', target: '', written: false };
    inline.open(strong);
    inline.text('a ');
    inline.open(emphasis);
    inline.text('b');
    inline.close(strong);
    inline.text(' c');
    inline.close(emphasis);
    expect(inline.finish()).toBe('**a *b*** *c*');
  });

  it('other than code are left out in headings', () => {
    expect(
      write([markOf('strong', 'a'), link('http://x.example', ' b '), markOf('code', 'c'), '\n', 'd'], {
        plain: true,
      }),
    ).toBe('a b `c` d');
  });
});

describe('inline code', () => {
  it('gets a fence longer than the backticks in it', () => {
    expect(write([markOf('code', 'a`b')])).toBe('``a`b``');
    expect(write([markOf('code', '``a')])).toBe('``` ``a ```');
    expect(longestRun('a``b```c`', '`')).toBe(3);
  });

  it('takes no marks inside', () => {
    expect(write([markOf('code', markOf('strong', 'a'), link('http://x.example', 'b'))])).toBe('`ab`');
  });

  it('leaves backticks of the text alone, but for table cells', () => {
    expect(write(['a`b', markOf('code', 'c')], { inCell: true })).toBe('a\\`b`c`');
  });
});

describe('links', () => {
  it('keep text and target', () => {
    expect(write(['see ', link('/a(b)', 'x ', markOf('strong', 'y')), '.'])).toBe('see [x **y**](/a(b)).');
  });

  it('are text alone when the target says nothing or is the text itself', () => {
    expect(write([link('', 'a'), ' ', link('http://x.example/', 'http://x.example/')])).toBe(
      'a http://x.example/',
    );
  });

  it('escape brackets in their text, which would end it', () => {
    expect(write([link('/n', '[1]')])).toBe('[\\[1\\]](/n)');
  });

  it('show an image by its description', () => {
    expect(write([link('/n', { alt: 'a dog' })])).toBe('[a dog](/n)');
    expect(write([{ alt: 'a [dog]' }])).toBe('![a dog](a.png)');
    // In a link it is no part of the words beside it, but for a drop cap.
    expect(write([link('/n', 'see', { alt: 'PDF' }, 'Report')])).toBe('[see PDF Report](/n)');
    expect(write([link('/n', '(', { alt: 'PDF' }, ')')])).toBe('[(PDF)](/n)');
    expect(write([link('/n', { alt: 'O' }, 'nce')])).toBe('[Once](/n)');
  });
});

describe('links as data', () => {
  const data = { style: 'data' } as const;

  it('have their words alone in the text, and their targets beside it as they are written', () => {
    expect(
      writeLinks(['see ', link('/a)b|c', 'x [1] ', markOf('strong', 'y')), ' or ', link('/z', 'z')], data),
    ).toEqual({
      text: 'see x [1] **y** or z',
      links: [
        ['x [1] **y**', '/a)b|c'],
        ['z', '/z'],
      ],
    });
  });

  it('are there for headings, inline code and addresses that are their own text', () => {
    expect(writeLinks([link('/a', 'a'), ' b'], { ...data, plain: true }).links).toEqual([['a', '/a']]);
    expect(writeLinks([markOf('code', 'f(', link('/a', 'a'), ')')], data)).toEqual({
      text: '`f(a)`',
      links: [['a', '/a']],
    });
    expect(writeLinks([link('/a', '/a')], data).links).toEqual([['/a', '/a']]);
  });

  it('have the address of an image around its description', () => {
    expect(writeLinks(['a ', { alt: 'dog' }], data)).toEqual({ text: 'a [dog]', links: [['dog', 'a.png']] });
    expect(writeLinks([{ alt: 'dog' }], data)).toEqual({ text: 'dog', links: [['dog', 'a.png']] });
  });

  it('leave words as if there were no link', () => {
    expect(writeLinks([link('/a', 'bold'), markOf('strong', 'face')], data).text).toBe('boldface');
    expect(writeLinks(['bold', link('/a', markOf('strong', 'face'))], data).text).toBe('boldface');
    expect(writeLinks([{ alt: 'dog' }, markOf('strong', 'face')], data).text).toBe('[dog]**face**');
    expect(writeLinks(['x', markOf('raised', link('/n', '2'))], data).text).toBe('x²');
    expect(writeLinks(['Smith', markOf('raised', link('/n', 'a'))], data)).toEqual({
      text: 'Smith^a',
      links: [['a', '/n']],
    });
    expect(writeLinks([link('/n', 'Smith'), markOf('raised', 'a')], data).text).toBe('Smith^a');
  });
});

describe('the target of a link', () => {
  it('is resolved against the address of its document when it is relative', () => {
    const targets = new LinkTargets('https://a.example/b/c');
    const resolved = (target: string): string | undefined => targets.at(targets.add(target));
    expect(resolved('../x?y')).toBe('https://a.example/x?y');
    expect(resolved('//b.example/x')).toBe('https://b.example/x');
    expect(resolved('HTTP://b.example')).toBe('HTTP://b.example');
    targets.base = '/d/';
    expect(resolved('x y')).toBe('https://a.example/d/x%20y');
    targets.base = 'javascript:alert(1)';
    expect(resolved('x')).toBe('https://a.example/d/x');
    targets.base = 'https://name:p%40ss@b.example/@/?a@b';
    expect(resolved('x')).toBe('https://b.example/@/x');
  });

  it('is empty for fragments, scripts, embedded files and addresses longer than any server takes', () => {
    for (const address of [
      '#top',
      ' javascript:alert(1)',
      'java\tscr\nipt:alert(1)',
      '\u0001javascript:alert(1)',
      ' \u001f\tjavascript:alert(1)',
      'DATA:text/plain,x',
      `http://x/${'a'.repeat(2000)}`,
      undefined,
    ]) {
      expect(linkTarget(address)).toBe('');
    }
  });

  it('has no characters that end it too early', () => {
    expect(linkTarget(' http://x/a b<c>\n')).toBe('http://x/a%20b%3Cc%3E');
    expect(linkTarget('http://x/\u0007a\n  b\u0085')).toBe('http://x/%07a%20%20b%C2%85');
    expect(linkTarget('/wiki/A_(b)')).toBe('/wiki/A_(b)');
    expect(write([link('/a)b(|', 'c')])).toBe('[c](/a%29b%28%7C)');
  });
});
