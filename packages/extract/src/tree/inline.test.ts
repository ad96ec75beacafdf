import { describe, expect, it } from 'vitest';
import { InlineText, linkTarget, longestRun, type Mark, type MarkKind } from './inline.ts';

type Part =
  | string
  | { readonly mark: MarkKind; readonly target?: string; readonly parts: readonly Part[] }
  | { readonly alt: string };

const markOf = (mark: MarkKind, ...parts: Part[]): Part => ({ mark, parts });
const link = (target: string, ...parts: Part[]): Part => ({ mark: 'link', target, parts });

function write(parts: readonly Part[], options: { inCell?: boolean; plain?: boolean } = {}): string {
  const inline = new InlineText({ inCell: false, plain: false, marks: [], ...options });
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
  return inline.finish();
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
    const inline = new InlineText({ inCell: false, plain: false, marks: [] });
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
    const inline = new InlineText({ inCell: false, plain: false, marks: [] });
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

describe('the target of a link', () => {
  it('is empty for fragments, scripts, embedded files and addresses longer than any server takes', () => {
    for (const address of [
      '#top',
      ' javascript:alert(1)',
      'DATA:text/plain,x',
      `http://x/${'a'.repeat(2000)}`,
      undefined,
    ]) {
      expect(linkTarget(address)).toBe('');
    }
  });

  it('has no characters that end it too early', () => {
    expect(linkTarget(' http://x/a b<c>\n')).toBe('http://x/a%20b%3Cc%3E');
    expect(linkTarget('/wiki/A_(b)')).toBe('/wiki/A_(b)');
    expect(linkTarget('/a)b(')).toBe('/a%29b%28');
  });
});
