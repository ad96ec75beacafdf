import { describe, expect, it } from 'vitest';
import type { Block } from '../../src/document.ts';
import { csvBlocks, delimitedContent } from '../../src/blocks/csv.ts';

/** The table as values, `*` before a header, and the texts of the blocks above it. */
function read(text: string): { above: string[]; table: string[] } {
  const blocks = csvBlocks(text);
  const rowOf = ({ header, children = [] }: Block): string =>
    (header === true ? '*' : '') +
    children
      .map(({ start, end }) => {
        const value = delimitedContent(text, start, end);
        return text.slice(value.start, value.end);
      })
      .join('/');
  return {
    above: blocks.filter(({ kind }) => kind !== 'table').map(({ start, end }) => text.slice(start, end)),
    table: blocks.filter(({ kind }) => kind === 'table').flatMap(({ children = [] }) => children.map(rowOf)),
  };
}

describe('delimited values', () => {
  it.each([
    ['most values in one record', 'a,b,c\n1,2,3', ['*a/b/c', '1/2/3']],
    [
      'a decimal comma in the figures',
      'port;depth;tide\nNorth;1,5;2,25\nEast;3,0;0,75',
      ['*port/depth/tide', 'North/1,5/2,25', 'East/3,0/0,75'],
    ],
    [
      'a comma in the header',
      'name, first;port, side\nReed;North\nHall;East',
      ['*name, first/port, side', 'Reed/North', 'Hall/East'],
    ],
    [
      'commas in some values',
      'id\tnote\n1\ta, b, c, d\n2\te, f, g, h\n3\ti',
      ['*id/note', '1/a, b, c, d', '2/e, f, g, h', '3/i'],
    ],
    ['quoted delimiters', '"a;b";c\n"d;e;f";g', ['*a;b/c', 'd;e;f/g']],
    ['one record', 'a|b|c', ['a/b/c']],
  ])('have the delimiter that agrees with the records: %s', (_, text, table) => {
    expect(read(text)).toEqual({ above: [], table });
  });

  it('have the delimiter that Excel declares in their first line', () => {
    expect(read('sep=;\r\na,b;c\r\n1,5;2\r\n')).toEqual({ above: ['sep=;'], table: ['*a,b/c', '1,5/2'] });
    expect(read('SEP=|\na,b|c,d')).toEqual({ above: ['SEP=|'], table: ['a,b/c,d'] });
    expect(read('sep=;').table).toEqual([]);
  });

  it('have their header below titles and comments', () => {
    const comments = '# made on 3 March, at noon\n# by hand\nport,depth,tide\nNorth,2,3\n';
    expect(read(comments)).toEqual({
      above: ['# made on 3 March, at noon\n# by hand'],
      table: ['*port/depth/tide', 'North/2/3'],
    });
    expect(read('Tides of March\n\nport;depth\nNorth;2')).toEqual({
      above: ['Tides of March'],
      table: ['*port/depth', 'North/2'],
    });
  });

  it('keep a header that begins with the sign of comments', () => {
    expect(read('#port,depth\nNorth,2')).toEqual({ above: [], table: ['*#port/depth', 'North/2'] });
  });

  it('keep short records and comments between the others', () => {
    expect(read('a,b\n1,2\n# half\n3\n4,5').table).toEqual(['*a/b', '1/2', '# half', '3', '4/5']);
  });

  it('without a delimiter are plain text', () => {
    expect(read('one\ntwo').table).toEqual([]);
    expect(read('')).toEqual({ above: [], table: [] });
  });
});
