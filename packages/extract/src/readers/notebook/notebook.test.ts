import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { cases } from '@grainline/testing/cases';
import { expectLawful } from '../../../test/laws.ts';
import { extract } from '../../extract.ts';

const notebook = (cells: readonly unknown[], rest: object = {}): Uint8Array =>
  new TextEncoder().encode(JSON.stringify({ nbformat: 4, nbformat_minor: 5, metadata: {}, cells, ...rest }));

const textOf = async (bytes: Uint8Array): Promise<string> => {
  const document = await extract(bytes, { filename: 'tides.ipynb' });
  expectLawful(document);
  return document.text;
};

describe('a notebook', () => {
  it('gives Markdown as it is, and code in the language of its kernel', async () => {
    const document = await extract(
      notebook(
        [
          { cell_type: 'markdown', source: ['# Tides\n', '\n', 'High *and* low.'] },
          { cell_type: 'code', source: 'x <- 1', outputs: [] },
        ],
        { metadata: { kernelspec: { language: 'R' }, title: ' Tide tables ' } },
      ),
      { filename: 'tides.ipynb' },
    );
    expectLawful(document);
    expect(document.text).toBe('# Tides\n\nHigh *and* low.\n\n```r\nx <- 1\n```');
    expect(document).toMatchObject({ mediaType: 'application/x-ipynb+json', title: 'Tide tables' });
    expect(document.outline).toMatchObject([{ title: 'Tides', level: 1 }]);
    expect(document.blocks.map(({ kind }) => kind)).toEqual(['heading', 'paragraph', 'code']);
  });

  it('shows outputs as a terminal does, and no pictures', async () => {
    const outputs = [
      { output_type: 'stream', name: 'stdout', text: ['1 %\r', '50 %\r', '100 %\n', 'done\r\n'] },
      { output_type: 'display_data', data: { 'image/png': 'iVBORw0KGgo=', 'text/plain': '<Figure>' } },
      {
        output_type: 'execute_result',
        data: { 'text/html': '<table></table>', 'text/plain': ['  a\n', '0 1'] },
      },
      { output_type: 'execute_result', data: { 'text/markdown': '**bold**', 'text/plain': 'x' } },
      { output_type: 'error', traceback: ['\u001b[31mNameError\u001b[0m: y'] },
      { output_type: 'display_data', data: { 'image/png': 'iVBORw0KGgo=' } },
    ];
    expect(await textOf(notebook([{ cell_type: 'code', source: '', outputs }]))).toBe(
      '```\n100 %\ndone\n```\n\n```\n<Figure>\n```\n\n```\n  a\n0 1\n```\n\n**bold**\n\n```\nNameError: y\n```',
    );
  });

  it('leaves the data of pictures in Markdown out', async () => {
    const source = 'See ![the pier](data:image/png;base64,AAAA) and ![](attachment:x.png)!';
    expect(await textOf(notebook([{ cell_type: 'markdown', source }]))).toBe('See the pier and !');
  });

  it('shortens a long output in its middle, and says so', async () => {
    const text = Array.from({ length: 9000 }, (_, at) => `line ${at}\n`).join('');
    const document = await extract(
      notebook([{ cell_type: 'code', source: 'run()', outputs: [{ output_type: 'stream', text }] }]),
      { filename: 'a.ipynb' },
    );
    expect(document.text).toContain('line 0\n');
    expect(document.text).toContain('line 8999\n');
    expect(document.text).toMatch(/line \d+\n…\nline \d+\n/);
    expect(document.text.length).toBeLessThan(21_000);
    expect(document.warnings).toMatchObject([{ code: 'output_shortened' }]);
  });

  it('of version 3 has worksheets and headings', async () => {
    const cells = [
      { cell_type: 'heading', level: 2, source: ['Part\n', 'one'] },
      {
        cell_type: 'code',
        language: 'python',
        input: ['a = 1'],
        outputs: [{ output_type: 'pyout', text: '1' }],
      },
      { cell_type: 'raw', source: 'raw' },
    ];
    const bytes = notebook([], { cells: undefined, worksheets: [{ cells }], nbformat: 3 });
    expect(await textOf(bytes)).toBe('## Part one\n\n```python\na = 1\n```\n\n```\n1\n```\n\n```\nraw\n```');
  });

  it('keeps code that holds fences whole', async () => {
    const source = 'print("""\n```\nx\n```\n""")';
    const document = await extract(notebook([{ cell_type: 'code', source }]), { filename: 'a.ipynb' });
    expect(document.blocks).toHaveLength(1);
    expect(document.text).toBe(`\`\`\`\`python\n${source}\n\`\`\`\``);
  });

  it.each([
    ['{"cells": [', 'corrupted', /no JSON/],
    ['{"a": 1}', 'corrupted', /holds no cells/],
    ['{"cells": []}', 'empty_document', /no text/],
    ['{"cells": [null, 7, {"cell_type": "code"}]}', 'empty_document', /no text/],
    [`{"a":${'['.repeat(100_000)}`, 'corrupted', /no JSON/],
  ])('that is damaged says so: %#', async (json, code, message) => {
    const read = extract(new TextEncoder().encode(json), { filename: 'a.ipynb' });
    await expect(read).rejects.toMatchObject({ code, message: expect.stringMatching(message) as string });
  });

  it('gives a lawful document for any cells', async () => {
    const cell = fc.record({
      cell_type: fc.constantFrom('markdown', 'code', 'raw', 'heading', 'x'),
      source: fc.oneof(fc.string({ unit: 'binary' }), fc.array(fc.string())),
      outputs: fc.array(fc.anything(), { maxLength: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(cell, { maxLength: 6 }), async (cells) => {
        const bytes = notebook([{ cell_type: 'markdown', source: 'Tides' }, ...cells]);
        expect(await textOf(bytes)).toContain('Tides');
      }),
      cases(60),
    );
  });

  it('is read in linear time whatever stands on one line', async () => {
    const cells = [
      { cell_type: 'markdown', source: '!['.repeat(300_000) },
      { cell_type: 'code', source: 'x', outputs: [{ output_type: 'stream', text: 'word '.repeat(300_000) }] },
    ];
    const bytes = new TextEncoder().encode(JSON.stringify({ nbformat: 4, metadata: {}, cells }));
    const { text } = await extract(bytes, { filename: 'a.ipynb' });
    expect(text).toMatch(/```\nword .*word ?\n…\n/s);
  });
});
