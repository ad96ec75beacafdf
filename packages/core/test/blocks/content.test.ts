import { describe, expect, it } from 'vitest';
import { contentOf } from '../../src/blocks/content.ts';
import { blocksOf } from '../../src/blocks/index.ts';
import type { Block } from '../../src/document.ts';

/** Contents of all leaves of a Markdown text. */
function contents(text: string): string[] {
  const visit = (block: Block): string[] => {
    if (block.children !== undefined) return block.children.flatMap(visit);
    const { start, end } = contentOf(text, block);
    expect(start).toBeGreaterThanOrEqual(block.start);
    expect(end).toBeGreaterThanOrEqual(start);
    expect(end).toBeLessThanOrEqual(block.end);
    return [text.slice(start, end)];
  };
  return blocksOf(text, 'markdown').flatMap(visit);
}

describe('the content of a leaf', () => {
  it('is the title of a heading', () => {
    expect(contents('## A b ##\n\n# C#\n\n###\n\nD\n===\n\n<h3 id="x">E</h3>')).toEqual([
      'A b',
      'C#',
      '',
      'D',
      'E',
    ]);
    expect(contents('> - ## A\n>\n\n1. # B\n\n> C\n> ---')).toEqual(['A', 'B', 'C']);
  });

  it('is the inside of a fence, of front matter and of math', () => {
    expect(contents('---\na: b\n---\n```js\nc\n```\n~~~\nd\n\n$$\n')).toEqual(['a: b', 'c', 'd\n\n$$']);
    expect(contents('```\n```')).toEqual(['']);
    expect(contents('```')).toEqual(['']);
    expect(contents('a\n$$\nx\n$$\n\n> $$\n> y$$\n>\n> ```\n> z')).toEqual(['a', 'x', '> y', '> z']);
    expect(contents('- ```\n  a\n  ```')).toEqual(['  a']);
  });

  it('is the value of a cell', () => {
    expect(contents('| a | b\\| |\n|---|---|\n| | `c` |\n')).toEqual(['a', 'b\\|', '', '`c`']);
    expect(contents('> 1. | a | b |\n>    |--|--|\n>    | c | d |')).toEqual(['a', 'b', 'c', 'd']);
    expect(contents('| | |\n|--|--|\n| - | b |')).toEqual(['', '', '-', 'b']);
    expect(contents('a | b\n--|--\nc | d')).toEqual(['a', 'b', 'c', 'd']);
  });

  it('is what stands between the tags of rows', () => {
    expect(contents('<table>\n<tr><th>a</th>\n<td colspan=2>b</td></tr></table>')).toEqual([
      '<th>a</th>',
      '<td colspan=2>b</td>',
    ]);
    expect(contents('<table><tr><td>a<td>b</table>')).toEqual(['<td>a', '<td>b</table>']);
  });

  it('is all of a paragraph', () => {
    expect(contents('a\nb')).toEqual(['a\nb']);
  });
});
