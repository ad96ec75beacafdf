import { describe, expect, it } from 'vitest';
import { expectLawful } from '../../test/laws.ts';
import { MARKDOWN, TXT } from './text.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('plain text', () => {
  it('becomes a document with paragraphs, its name and no pages', async () => {
    const document = await TXT.read({ bytes: bytes('One.\r\n\r\nTwo\r\ntwo.'), filename: 'a.txt' });
    expectLawful(document);
    expect(document).toMatchObject({
      text: 'One.\n\nTwo\ntwo.',
      mediaType: 'text/plain',
      filename: 'a.txt',
      pages: [],
    });
    expect(document.blocks.map(({ start, end }) => document.text.slice(start, end))).toEqual([
      'One.',
      'Two\ntwo.',
    ]);
  });

  it.each([
    ['the colours of a terminal', '\x1b[1;31mError\x1b[0m: \x1b]0;title\x07no\x1b[K\x1b(B', 'Error: no'],
    ['letters struck over', 'N\bNA\bAM\bME\bE and _\bo_\bn +\bo', 'NAME and on o'],
    ['the end mark of DOS', 'text\r\n\x1a', 'text\n'],
    ['escapes that never end', 'a\x1b[12', 'a12'],
  ])('is what is shown: %s', async (_, written, shown) => {
    const document = await TXT.read({ bytes: bytes(written), filename: 'a.log' });
    expectLawful(document);
    expect(document.text).toBe(shown);
    expect((await TXT.read({ bytes: bytes(written), filename: 'a.ts' })).text).toBe(
      written.replace('\r', ''),
    );
  });

  it('starts a page after each form feed, which becomes a line feed', async () => {
    const document = await TXT.read({ bytes: bytes('first\n\fsecond\f\fthird') });
    expectLawful(document);
    expect(document.text).toBe('first\n\nsecond\n\nthird');
    expect(document.pages).toEqual([0, 7, 14, 15]);
  });

  it('opens no page with a form feed at its end', async () => {
    expect((await TXT.read({ bytes: bytes('first\fsecond\n\f\n') })).pages).toEqual([0, 6]);
    expect((await TXT.read({ bytes: bytes('first\f') })).pages).toEqual([0]);
  });

  it('is code when its name says so, with the language', async () => {
    const code = 'def f():\n    pass\n';
    for (const [filename, language] of [
      ['a.py', 'py'],
      ['lib/B.CPP', 'cpp'],
      ['x.test.ts', 'ts'],
    ] as const) {
      const { blocks, mediaType } = await TXT.read({ bytes: bytes(code), filename });
      expect(blocks).toEqual([{ kind: 'code', language, start: 0, end: code.length }]);
      expect(mediaType).toBe('text/plain');
    }
    for (const filename of ['a.txt', 'py', 'notes.pyx.txt']) {
      const { blocks } = await TXT.read({ bytes: bytes(code), filename });
      expect(blocks.map(({ kind }) => kind)).toEqual(['paragraph']);
    }
  });

  it.each(['notes.txt', 'LLMS.TEXT', 'README', undefined])(
    'is what it looks like when its name says nothing: %s',
    async (filename) => {
      const of = async (text: string): Promise<string[]> => {
        const document = await TXT.read({ bytes: bytes(text), filename });
        expectLawful(document);
        return [document.mediaType, ...document.blocks.map(({ kind }) => kind)];
      };
      expect(await of('# A\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```\nx\n\ny\n```')).toEqual([
        'text/markdown',
        'heading',
        'table',
        'code',
      ]);
      expect(await of('A law.\n\nTwo words.')).toEqual(['text/plain', 'paragraph', 'paragraph']);
      expect(await of('#!/bin/sh\nls\n\nls')).toEqual(['text/plain', 'code']);
    },
  );

  it('is no Markdown when its name says that it is something else', async () => {
    for (const filename of ['server.log', 'nginx.conf', 'a.rst']) {
      const { mediaType } = await TXT.read({ bytes: bytes('# One comment\n\nport 1\n'), filename });
      expect(mediaType, filename).toBe('text/plain');
    }
  });

  it('is a table when its name says so', async () => {
    const { blocks, mediaType } = await TXT.read({
      bytes: bytes('Town,Range\nBrest,5.1'),
      filename: 'tides.CSV',
    });
    expect(blocks.map(({ kind, children }) => [kind, children?.length])).toEqual([['table', 2]]);
    expect(mediaType).toBe('text/csv');
  });

  it('passes on what decoding warns of', async () => {
    const { warnings } = await TXT.read({ bytes: bytes('so\0me words that stand around it') });
    expect(warnings.map(({ code }) => code)).toEqual(['nul_dropped']);
  });
});

describe('Markdown', () => {
  it('becomes a document with headings, its marks kept', async () => {
    const document = await MARKDOWN.read({ bytes: bytes('# Title\n\nWords.') });
    expectLawful(document);
    expect(document).toMatchObject({ text: '# Title\n\nWords.', mediaType: 'text/markdown' });
    expect(document.blocks.map(({ kind }) => kind)).toEqual(['heading', 'paragraph']);
  });
});
