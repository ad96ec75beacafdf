import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '@grainline/testing/cases';
import { inlineRuns } from './inline.ts';

/** The visible text, with its styles as `{strong:…}` and breaks as `⏎`. */
function shown(text: string): string {
  return inlineRuns(text)
    .map(({ start, end, styles, target, breaks }) => {
      if (breaks === true) return '⏎';
      const plain = text.slice(start, end);
      const about = [...styles, ...(target === undefined ? [] : [target])].join('+');
      return about === '' ? plain : `{${about}:${plain}}`;
    })
    .join('');
}

describe('inline Markdown', () => {
  it.each([
    ['plain words', 'plain words'],
    ['**bold** and *slanted*', '{strong:bold} and {em:slanted}'],
    ['***both***', '{em+strong:both}'],
    ['**a *b* c**', '{strong:a }{strong+em:b}{strong: c}'],
    ['__bold__ and _slanted_', '{strong:bold} and {em:slanted}'],
    ['snake_case_name and 2*3*4', 'snake_case_name and 2{em:3}4'],
    ['2 * 3 * 4', '2 * 3 * 4'],
    ['**never closed', '**never closed'],
    ['~~gone~~ and ~one~', '{del:gone} and ~one~'],
    ['`a * b *` stays', '{code:a * b *} stays'],
    ['`` a ` b ``', '{code:a ` b}'],
    ['`never closed', '`never closed'],
    ['[text](https://a.example/x_(y) "title") behind', '{link+https://a.example/x_(y):text} behind'],
    ['[a *b*](c)', '{link+c:a }{link+em+c:b}'],
    ['![picture](a.png)', '{image+a.png:picture}'],
    ['[named][ref] and [alone]', '{link:named} and [alone]'],
    ['a note[^1]', 'a note{sup:1}'],
    [
      '<https://a.example> and <a@b.example>',
      '{link+https://a.example:https://a.example} and {link+a@b.example:a@b.example}',
    ],
    ['one<br>two  \nthree\\\nfour', 'one⏎two  ⏎\nthree⏎\nfour'],
    ['<td>cell</td><!-- note -->', 'cell'],
    ['<script>alert(1)</script>', '<script>alert(1)</script>'],
    ['<img src=x onerror=alert(1)>', '<img src=x onerror=alert(1)>'],
    ['\\*no\\* \\a', '*no* \\a'],
    ['**中文**：', '{strong:中文}：'],
  ])('%s', (text, expected) => {
    expect(shown(text)).toBe(expected);
  });

  const marks = fc
    .array(
      fc.constantFrom(
        '*',
        '**',
        '_',
        '~~',
        '`',
        '[',
        '](',
        ')',
        '![',
        '<',
        '>',
        '\\',
        '\n',
        ' ',
        'a',
        '😀',
        '<br>',
      ),
      {
        maxLength: 60,
      },
    )
    .map((parts) => parts.join(''));

  it('gives runs in order, each a slice, and loses only marks', () => {
    fc.assert(
      fc.property(marks, (text) => {
        let last = 0;
        let letters = '';
        for (const { start, end } of inlineRuns(text)) {
          expect(start).toBeGreaterThanOrEqual(last);
          expect(end).toBeGreaterThanOrEqual(start);
          expect(text.slice(start, end).isWellFormed()).toBe(true);
          letters += text.slice(start, end);
          last = end;
        }
        const words = (of: string): number => of.split('😀').length;
        // Targets of links are hidden with their marks.
        if (!text.includes('](')) expect(words(letters)).toBe(words(text.replaceAll('<br>', '')));
      }),
      cases(300),
    );
  });

  it.each(['<a😀>', '<a 😀>', '<a href="x" 😀>', '<b', '<abc>'])('keeps %j, which is no tag', (text) => {
    expect(inlineRuns(text).map(({ start, end }) => text.slice(start, end))).toEqual([text]);
  });

  it.each(['<a href="x" title=\'y\' data-z=1>', '<td colspan = 2 />', '</p>', '<b>'])(
    'hides the tag %j',
    (tag) => {
      const text = `${tag}words`;
      expect(inlineRuns(text).map(({ start, end }) => text.slice(start, end))).toEqual(['words']);
    },
  );

  it('takes the time of its length', () => {
    const steps = (count: number): number => inlineRuns('*a _b '.repeat(count)).length;
    expect(steps(400)).toBeLessThanOrEqual(4 * steps(100) + 4);
  });
});
