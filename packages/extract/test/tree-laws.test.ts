// The tree builder and its serialiser under calls in any order, balanced or not: what comes out keeps the laws of
// documents, and no word is lost.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '@grainline/testing/cases';
import { TreeBuilder } from '../src/tree/builder.ts';
import { serialise } from '../src/tree/serialise.ts';
import { expectLawful } from './laws.ts';

type Call = (builder: TreeBuilder) => void;

const CALLS: Readonly<Record<string, Call>> = {
  list: (builder) => builder.openList({ ordered: false }),
  ordered: (builder) => builder.openList({ ordered: true, start: 9 }),
  item: (builder) => builder.openItem(),
  labelled: (builder) => builder.openItem('(b) '),
  unframed: (builder) => builder.openTable({ isFramed: false }),
  quote: (builder) => builder.openQuote(),
  table: (builder) => builder.openTable(),
  layout: (builder) => builder.openTable({ presentational: true }),
  caption: (builder) => builder.openCaption(),
  row: (builder) => builder.openRow({ header: false }),
  header: (builder) => builder.openRow({ header: true }),
  cell: (builder) => builder.openCell(),
  wide: (builder) => builder.openCell({ colspan: 3, rowspan: 2 }),
  footnote: (builder) => builder.footnote('1', [{ kind: 'paragraph', text: 'note' }]),
  aside: (builder) => builder.openAside(),
  endAside: (builder) => builder.closeAside(),
  close: (builder) => builder.close(),
  heading: (builder) => builder.openHeading(2),
  endHeading: (builder) => builder.closeHeading(),
  code: (builder) => builder.openCode('ts'),
  endCode: (builder) => builder.closeCode(),
  boundary: (builder) => builder.boundary(),
  lineBreak: (builder) => builder.lineBreak(),
  rule: (builder) => builder.rule(),
  page: (builder) => builder.pageBreak(),
  strong: (builder) => builder.openMark('strong'),
  inlineCode: (builder) => builder.openMark('code'),
  link: (builder) => builder.openMark('link', '/x'),
  endStrong: (builder) => builder.closeMark('strong'),
  endInlineCode: (builder) => builder.closeMark('code'),
  endLink: (builder) => builder.closeMark('link'),
  odd: (builder) => builder.text(' | ` \u00a0\n\ud800 '),
};

const word = fc.integer({ min: 0, max: 9999 }).map((number) => ` w${number}w`);
const script = fc.array(
  fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...Object.keys(CALLS)) }, { weight: 1, arbitrary: word }),
  { maxLength: 80 },
);

describe('any calls', () => {
  it('make a lawful document that has every word', () => {
    fc.assert(
      fc.property(script, (names) => {
        const builder = new TreeBuilder();
        for (const name of names) (CALLS[name] ?? ((to: TreeBuilder) => to.text(name)))(builder);
        const tree = serialise(builder.finish(), { targets: builder.targets });
        const { text } = tree;
        expectLawful({ ...tree, mediaType: 'text/html', warnings: [] });
        const found = text.match(/w\d+w/g) ?? [];
        const given = names.flatMap((name) => (name in CALLS ? [] : [name.trim()]));
        expect(found.toSorted()).toEqual(given.toSorted());
      }),
      cases(3000),
    );
  });
});
