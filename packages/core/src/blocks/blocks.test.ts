import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '@grainline/testing/cases';
import type { Block } from '../document.ts';
import { documentFromText } from './index.ts';

const outline = (text: string, kind?: 'markdown' | 'text' | 'code'): string[] =>
  documentFromText(text, { kind }).blocks.map(
    (block) => `${block.kind}${block.depth ?? block.language ?? ''}: ${text.slice(block.start, block.end)}`,
  );

/** The law of blocks: ordered, apart, and covering everything that is not blank. */
function expectCovered(text: string, blocks: readonly Block[]): void {
  let end = 0;
  for (const block of blocks) {
    expect(block.start).toBeGreaterThanOrEqual(end);
    expect(block.end).toBeGreaterThan(block.start);
    expect(text.slice(end, block.start).trim()).toBe('');
    end = block.end;
  }
  expect(text.slice(end).trim()).toBe('');
}

describe('a document of a text', () => {
  it('can be spread', () => {
    const document = documentFromText('# Title', { filename: 'a.md' });
    expect({ ...document }).toEqual({
      text: '# Title',
      blocks: [{ kind: 'heading', depth: 1, start: 0, end: 7 }],
      pages: [],
      mediaType: 'text/markdown',
      filename: 'a.md',
      warnings: [],
    });
    expect(documentFromText('x')).not.toHaveProperty('filename');
  });

  it('shares its getters with all others, which would else keep its text until the next full collection', () => {
    const [one, other] = ['a', 'b'].map((text) => Object.getOwnPropertyDescriptors(documentFromText(text)));
    for (const name of ['blocks', 'mediaType'] as const) {
      expect(one?.[name]).toHaveProperty('get', expect.any(Function));
      expect(one?.[name]).toEqual(other?.[name]);
    }
  });
});

const pieces = fc.constantFrom(
  '# ',
  '## T',
  '```',
  '~~~ts',
  'word',
  ' ',
  '\n',
  '\n\n',
  '\t',
  '#',
  '\u00a0',
  '😀',
  '-',
  '|',
  '\f',
);

describe('blocks of plain text', () => {
  it('are the runs of lines between blank lines', () => {
    expect(outline('one\ntwo\n \n\n  three  \n', 'text')).toEqual([
      'paragraph: one\ntwo',
      'paragraph: three',
    ]);
  });

  it('cover all text that is not blank, whatever the text', () => {
    fc.assert(
      fc.property(
        fc.array(pieces).map((parts) => parts.join('')),
        (text) => {
          expectCovered(text, documentFromText(text, { kind: 'text' }).blocks);
        },
      ),
      cases(100),
    );
  });
});

describe('blocks of Markdown', () => {
  it('tell headings from paragraphs', () => {
    expect(outline('# A\ntext\n###### F ######\n####### seven\n#no', 'markdown')).toEqual([
      'heading1: # A',
      'paragraph: text',
      'heading6: ###### F ######',
      'paragraph: ####### seven\n#no',
    ]);
  });

  it('take no heading from inside a fence', () => {
    expect(outline('```sh title="x"\n# comment\n\n```\nafter', 'markdown')).toEqual([
      'codesh: ```sh title="x"\n# comment\n\n```',
      'paragraph: after',
    ]);
  });

  it('close a fence only by marks of its kind and at least its length', () => {
    expect(outline('````\n```\n~~~~\n````\nafter', 'markdown')).toEqual([
      'code: ````\n```\n~~~~\n````',
      'paragraph: after',
    ]);
  });

  it('let an unterminated fence run to the end without loss', () => {
    expect(outline('text\n```py\nx = 1\n\ny = 2\n\n', 'markdown')).toEqual([
      'paragraph: text',
      'codepy: ```py\nx = 1\n\ny = 2',
    ]);
  });

  it('cover all text that is not blank, whatever the text', () => {
    fc.assert(
      fc.property(
        fc.array(pieces).map((parts) => parts.join('')),
        (text) => {
          expectCovered(text, documentFromText(text, { kind: 'markdown' }).blocks);
        },
      ),
      cases(100),
    );
  });
});

describe('the kind of a string', () => {
  it('is Markdown when a line begins with a mark of its own', () => {
    expect(documentFromText('intro\n\n## Title\n').mediaType).toBe('text/markdown');
    expect(documentFromText('a | b\n--- | ---\n').mediaType).toBe('text/markdown');
    expect(documentFromText('Number #1 - the best.\n- a dash\n').mediaType).toBe('text/plain');
  });

  it('is code when its file name ends like that of code', () => {
    const of = (filename: string) => documentFromText('Words.\n\nWords.', { filename }).blocks[0];
    expect(of('lib/a.py')).toMatchObject({ kind: 'code', language: 'py', end: 14 });
    expect(of('A.CPP')).toMatchObject({ kind: 'code', language: 'cpp' });
    for (const name of ['a.txt', 'py', 'a.md', 'a.rst', '']) expect(of(name)?.kind, name).toBe('paragraph');
  });

  it.each([
    'import os\nimport re as r\n\n# A comment.\n\ndef f(x):\n    """Text.\n\nMore."""\n    return x\n',
    '# Words.\n\n"""A text\n\nof two."""\n\nfrom a import b\n\nclass A(b):\n    pass\n\n@c\ndef f():\n    pass\n',
    '/* Words\n\nof a licence. */\n#ifndef A_H\n#define A_H\n\nint f(int x);\n\n#endif\n',
    '// Words.\n\nconst a = 1;\n\nexport function f(x) {\n  return x;\n}\n',
    '// Words.\n\npublic class A {\n  int x;\n}\n\nfinal class B {\n}\n',
    'package a\n\nfunc f() {\n\tg()\n}\n',
  ])('is code when many lines at the margin are statements: %j', (text) => {
    expect(outline(text)).toEqual([`code: ${text}`]);
  });

  it.each([
    '# Usage\n\nWords about code.\n\n```\nimport os\n\ndef f():\n    pass\n\nclass A:\n```\n',
    'Use it so:\n\n    import os\n\n    def f():\n        pass\n\n    class A:\n',
    'Words before it.\n\nimport os\nimport re\n\ndef f():\n\nWords.\nMore words.\nAnd more.\nThe end.\n',
    'from one place\nto another\nuse the bus:\nclass is no matter,\nthe end\n',
  ])('is no code when it is a text about code, or prose with such words: %j', (text) => {
    expect(documentFromText(text).blocks[0]?.kind).not.toBe('code');
  });

  it('is one block when it is code', () => {
    expect(outline('# comment\n\nx = 1\n', 'code')).toEqual(['code: # comment\n\nx = 1\n']);
    expect(documentFromText(' \n', { kind: 'code' }).blocks).toEqual([]);
  });
});
