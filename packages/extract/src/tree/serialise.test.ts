import { describe, expect, it } from 'vitest';
import type { Block } from '@grainline/core';
import { TreeBuilder } from './builder.ts';
import { serialise } from './serialise.ts';

function build(steps: (builder: TreeBuilder) => void): {
  text: string;
  outline: string[];
  blocks: readonly Block[];
  pages: readonly number[];
} {
  const builder = new TreeBuilder();
  steps(builder);
  const { targets } = builder;
  const { text, blocks, pages } = serialise(builder.finish(), { targets, links: 'markdown' });
  const outline: string[] = [];
  const visit = (block: Block, indent: string): void => {
    outline.push(
      `${indent}${block.kind}${block.depth ?? block.language ?? ''} ${JSON.stringify(text.slice(block.start, block.end))}`,
    );
    block.children?.forEach((child) => visit(child, `${indent} `));
  };
  blocks.forEach((block) => visit(block, ''));
  return { text, outline, blocks, pages };
}

function paragraph(builder: TreeBuilder, text: string): void {
  builder.boundary();
  builder.text(text);
  builder.boundary();
}

describe('serialising', () => {
  it('gives every leaf its marks and every container its leaves', () => {
    const { text, outline } = build((builder) => {
      builder.openHeading(2);
      builder.text('Title');
      builder.closeHeading();
      builder.openList({ ordered: true, start: 9 });
      for (const word of ['nine', 'ten']) {
        builder.openItem();
        builder.text(word);
        builder.close();
      }
      builder.close();
      builder.openCode('ts');
      builder.text('let a;\n\nlet b;\n');
      builder.closeCode();
      builder.rule();
    });
    expect(text).toBe('## Title\n\n9. nine\n10. ten\n\n```ts\nlet a;\n\nlet b;\n```\n\n---');
    expect(outline).toEqual([
      'heading2 "## Title"',
      'list1 "9. nine\\n10. ten"',
      ' item "9. nine"',
      '  paragraph "9. nine"',
      ' item "10. ten"',
      '  paragraph "10. ten"',
      'codets "```ts\\nlet a;\\n\\nlet b;\\n```"',
      'rule "---"',
    ]);
  });

  it('says how a list is numbered', () => {
    const { blocks } = build((builder) => {
      for (const shape of [{ ordered: false }, { ordered: true }, { ordered: true, start: 9 }]) {
        builder.openList(shape);
        builder.openItem();
        builder.text('item');
        builder.close();
        builder.close();
      }
    });
    expect(blocks.map(({ ordered, first, depth }) => ({ ordered, first, depth }))).toEqual([
      { ordered: undefined, first: undefined, depth: 1 },
      { ordered: true, first: undefined, depth: 1 },
      { ordered: true, first: 9, depth: 1 },
    ]);
  });

  it('indents what belongs to an item and counts the nesting of lists', () => {
    const { text, outline } = build((builder) => {
      builder.openList({ ordered: false });
      builder.openItem();
      paragraph(builder, 'a');
      paragraph(builder, 'b');
      builder.openList({ ordered: false });
      builder.openItem();
      builder.text('deep');
      builder.lineBreak();
      builder.text('er');
    });
    expect(text).toBe('- a\n\n  b\n\n  - deep\n    er');
    expect(outline).toEqual([
      'list1 "- a\\n\\n  b\\n\\n  - deep\\n    er"',
      ' item "- a\\n\\n  b\\n\\n  - deep\\n    er"',
      '  paragraph "- a"',
      '  paragraph "b"',
      '  list2 "- deep\\n    er"',
      '   item "- deep\\n    er"',
      '    paragraph "- deep\\n    er"',
    ]);
  });

  it('marks every line of a quotation, and the marks belong to its leaves', () => {
    const { text, outline } = build((builder) => {
      paragraph(builder, 'before');
      builder.openQuote();
      paragraph(builder, 'a');
      builder.openCode();
      builder.text('x\ny');
      builder.closeCode();
      builder.close();
    });
    expect(text).toBe('before\n\n> a\n>\n> ```\n> x\n> y\n> ```');
    expect(outline).toEqual([
      'paragraph "before"',
      'quote "> a\\n>\\n> ```\\n> x\\n> y\\n> ```"',
      ' paragraph "> a"',
      ' code ">\\n> ```\\n> x\\n> y\\n> ```"',
    ]);
  });

  it('gives code that holds a fence a longer one', () => {
    const { text } = build((builder) => {
      builder.openCode();
      builder.text('````\n```');
      builder.closeCode();
    });
    expect(text).toBe('`````\n````\n```\n`````');
  });

  it('leaves no block and no mark of what stays blank', () => {
    const { text, blocks } = build((builder) => {
      builder.openList({ ordered: false });
      builder.openItem();
      builder.text(' \n ');
      builder.close();
      builder.close();
      builder.openQuote();
      builder.close();
      builder.openTable();
      builder.openRow({ header: false });
      builder.openCell();
      builder.openMark('strong');
      builder.text(' ');
    });
    expect(text).toBe('');
    expect(blocks).toEqual([]);
  });

  it('puts notes at the end and their marks where they were referred to', () => {
    const { text, outline } = build((builder) => {
      builder.text('Word');
      builder.footnoteReference('1');
      builder.boundary();
      builder.footnote(
        '1',
        ['first', 'second'].map((text) => ({ kind: 'paragraph', text })),
      );
      paragraph(builder, 'After');
    });
    expect(text).toBe('Word[^1]\n\nAfter\n\n[^1]: first\n    second');
    expect(outline.at(-1)).toBe('footnote "[^1]: first\\n    second"');
  });

  it('knows the page of each block when there are page breaks, and has no pages otherwise', () => {
    const { pages, blocks, text } = build((builder) => {
      paragraph(builder, 'one');
      builder.pageBreak();
      builder.openList({ ordered: false });
      builder.openItem();
      builder.text('two');
      builder.pageBreak();
      builder.pageBreak();
      builder.text('four');
    });
    expect(text).toBe('one\n\n- two\n\n  four');
    expect(pages).toEqual([0, 5, 14, 14]);
    expect(blocks.map(({ page }) => page)).toEqual([1, 2]);
    expect(blocks[1]?.children?.[0]?.children?.map(({ page }) => page)).toEqual([2, 4]);
    expect(build((builder) => paragraph(builder, 'one')).blocks).toEqual([
      { kind: 'paragraph', start: 0, end: 3 },
    ]);
  });

  it('replaces a surrogate without partner by one unit, so that offsets stay', () => {
    expect(build((builder) => paragraph(builder, 'a\ud83db'))).toMatchObject({
      text: 'a\ufffdb',
      blocks: [{ end: 3 }],
    });
  });
});

describe('building', () => {
  it('keeps what stands where it does not belong', () => {
    const { text } = build((builder) => {
      builder.openItem();
      builder.text('item without list');
      builder.close();
      paragraph(builder, 'between');
      builder.openList({ ordered: false });
      builder.text('text without item');
      builder.openItem();
      builder.text('item');
      builder.close();
      builder.openList({ ordered: false });
      builder.openItem();
      builder.text('list in list');
      builder.close();
      builder.close();
      builder.close();
      builder.openTable();
      builder.text('text without cell');
      builder.openRow({ header: false });
      builder.text('text without cell too');
      builder.openCell();
      builder.text('cell');
    });
    expect(text).toBe(
      '- item without list\n\nbetween\n\n- text without item\n- item\n  - list in list\n\n' +
        '| text without cell |  |\n| --- | --- |\n| text without cell too | cell |',
    );
  });

  it('keeps text and balance beyond the greatest depth', () => {
    const { text, blocks } = build((builder) => {
      for (let depth = 0; depth < 300; depth++) {
        builder.openQuote();
        builder.openList({ ordered: false });
        builder.openItem();
      }
      builder.text('deep');
      for (let depth = 0; depth < 900; depth++) builder.close();
      paragraph(builder, 'top');
    });
    expect(text).toContain('deep');
    expect(text.endsWith('\n\ntop')).toBe(true);
    expect(blocks.map(({ kind }) => kind)).toEqual(['quote', 'paragraph']);
    let depth = 0;
    for (let block = blocks[0]; block !== undefined; block = block.children?.[0]) depth++;
    expect(depth).toBeGreaterThan(90);
    expect(depth).toBeLessThanOrEqual(103);
  });

  it('takes a list for a frame where each item is a section, or the only one begins with what needs no bullet', () => {
    const section = (builder: TreeBuilder, title: string, text: string): void => {
      builder.openItem();
      builder.openHeading(2);
      builder.text(title);
      builder.closeHeading();
      if (text !== '') paragraph(builder, text);
      builder.close();
    };
    const list = (ordered: boolean, sections: readonly (readonly [string, string])[]): string =>
      build((builder) => {
        builder.openList({ ordered });
        for (const [title, text] of sections) section(builder, title, text);
        builder.close();
      }).text;
    expect(
      list(false, [
        ['A', 'a'],
        ['B', 'b'],
      ]),
    ).toBe('## A\n\na\n\n## B\n\nb');
    expect(
      list(true, [
        ['A', 'a'],
        ['B', 'b'],
      ]),
    ).toBe('1. ## A\n\n   a\n\n2. ## B\n\n   b');
    expect(
      list(false, [
        ['A', 'a'],
        ['B', ''],
      ]),
    ).toBe('## A\n\na\n\n## B');
    expect(
      list(false, [
        ['A', ''],
        ['B', ''],
      ]),
    ).toBe('- ## A\n\n- ## B');
    expect(list(false, [['A', '']])).toBe('## A');
    const { text, outline } = build((builder) => {
      builder.openList({ ordered: false });
      builder.openItem();
      builder.openList({ ordered: false });
      for (const word of ['a', 'b']) {
        builder.openItem();
        builder.text(word);
        builder.close();
      }
      builder.close();
      paragraph(builder, 'c');
      builder.close();
      builder.close();
    });
    expect(text).toBe('- a\n- b\n\nc');
    expect(outline.filter((line) => !line.startsWith(' '))).toEqual(['list1 "- a\\n- b"', 'paragraph "c"']);
  });

  it('has a list that stands alone in an item below the item before it', () => {
    const { text } = build((builder) => {
      builder.openList({ ordered: false });
      builder.openItem();
      builder.text('a');
      builder.close();
      builder.openItem();
      builder.openList({ ordered: true });
      builder.openItem();
      builder.text('b');
      builder.close();
      builder.close();
      builder.close();
      builder.openItem();
      builder.text('c');
      builder.close();
      builder.close();
    });
    expect(text).toBe('- a\n  1. b\n- c');
  });

  it('carries marks over the paragraphs they span, and links over the first only', () => {
    const { text } = build((builder) => {
      builder.openMark('strong');
      builder.openMark('strong');
      builder.openMark('link', 'http://x.example/');
      paragraph(builder, 'a');
      builder.closeMark('strong');
      paragraph(builder, 'b');
      builder.closeMark('strong');
      paragraph(builder, 'c');
    });
    expect(text).toBe('**[a](http://x.example/)**\n\n**b**\n\nc');
  });

  it('ends the marks of a cell with the cell', () => {
    const { text } = build((builder) => {
      builder.openMark('emphasis');
      builder.openTable();
      builder.openRow({ header: true });
      builder.openCell();
      builder.openMark('strong');
      builder.text('a');
      builder.close();
      builder.openCell();
      builder.text('b');
      builder.close();
      builder.close();
      builder.close();
      builder.text('c');
    });
    expect(text).toBe('| **a** | b |\n| --- | --- |\n\n*c*');
  });

  it('takes two line breaks in a row for the end of a paragraph', () => {
    const { text } = build((builder) => {
      builder.text('a');
      builder.lineBreak();
      builder.text('b');
      builder.lineBreak();
      builder.text(' ');
      builder.lineBreak();
      builder.lineBreak();
      builder.text('c');
    });
    expect(text).toBe('a\nb\n\nc');
  });

  it('calls a paragraph that is one image an image', () => {
    const { outline } = build((builder) => {
      builder.image('a dog', 'dog.png');
      builder.boundary();
      builder.image('a dog', 'data:image/png;base64,AA');
      builder.text(' and text');
      builder.boundary();
      builder.image('a cat', '');
      builder.text('(Felis)');
      builder.boundary();
      builder.image('a cow', '');
      builder.boundary();
      builder.image(' ', 'no-description.png');
    });
    expect(outline).toEqual([
      'image "![a dog](dog.png)"',
      'paragraph "[a dog] and text"',
      'paragraph "[a cat] (Felis)"',
      'image "a cow"',
    ]);
  });
});
