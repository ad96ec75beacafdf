// Reading: bytes as extract reads them, named texts as files of that name, texts without a name as they are.
import { documentFromText, ChunkError } from '@grainline/core';
import { extract, ExtractError, type Kind, READERS } from '@grainline/extract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '@grainline/testing/cases';
import { anyDocument } from '@grainline/testing/documents';
import { rejectionOf } from '@grainline/testing/rejection';
import { writePdf } from '@grainline/testing/pdf-writer';
import { encodeText, readSource } from './source.ts';

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const CODE = 'def tide():\n    return "high"\n';

describe('readSource', () => {
  it('gives the document of extract, for every kind', async () => {
    const files = {
      'a.pdf': writePdf({ pages: [{ lines: ['High water.'] }, { lines: ['Low water.'] }] }),
      'a.html': utf8('<!doctype html><title>Tides</title><p>High water.'),
      'a.md': utf8('# Tides\n\nHigh water.'),
      'a.txt': utf8('High water.'),
      'a.csv': utf8('tide,time\nhigh,6'),
    };
    for (const [filename, bytes] of Object.entries(files))
      expect(await readSource({ bytes, filename })).toEqual(await extract(bytes, { filename }));
  });

  it('passes on the declared encoding, a kind that is known, and the progress of pages', async () => {
    const bytes = Uint8Array.of(0x63, 0x61, 0x66, 0xe9);
    const contentType = 'text/plain; charset=windows-1252';
    expect((await readSource({ bytes, contentType })).text).toBe('café');
    const html = utf8('<!doctype html><p>High water.');
    expect((await readSource({ bytes: html, kind: 'txt' })).text).toContain('<p>');
    const pages: number[] = [];
    const pdf = writePdf({ pages: [{ lines: ['One.'] }, { lines: ['Two.'] }] });
    await readSource({ bytes: pdf }, { onPage: ({ done }) => void pages.push(done) });
    expect(pages).toEqual([1, 2]);
  });

  it('reads a text without a name as it is', async () => {
    const kept = fc.asyncProperty(anyDocument, async (text) => {
      expect(await readSource({ text })).toEqual(documentFromText(text));
    });
    await fc.assert(kept, cases(50));
    expect((await readSource({ text: '\uFEFFa\r\n\fb' })).text).toBe('\uFEFFa\r\n\fb');
  });

  it('reads a named text as the file of that name', async () => {
    const text = '\uFEFFtide,time\r\nhigh,6\fSee.';
    const names = ['a.md', 'a.py', 'a.csv', 'a.txt', 'a.pdf', 'a.html', 'a.eml', 'a.rtf', 'README'];
    const kinds: Readonly<Record<string, Kind>> = { 'a.md': 'markdown', 'a.csv': 'csv' };
    for (const filename of names)
      expect(await readSource({ text, filename })).toEqual(
        await extract(utf8(text), { filename, kind: kinds[filename] ?? 'txt' }),
      );
  });

  it('takes no text for a PDF or a page of HTML', async () => {
    const { mediaType, text } = await readSource({ text: '<html><p>Tides</p>', filename: 'tides.html' });
    expect([mediaType, text]).toEqual(['text/plain', '<html><p>Tides</p>']);
  });

  it('reads text by the kind and language of the options, whatever its name', async () => {
    const block = { kind: 'code', start: 0, end: CODE.length };
    const python = { ...block, language: 'python' };
    for (const source of [{ text: CODE }, { text: CODE, filename: 'a.md' }, { bytes: utf8(CODE) }]) {
      expect((await readSource(source, { language: 'Python' })).blocks).toEqual([python]);
      expect((await readSource(source, { kind: 'text' })).mediaType).toBe('text/plain');
    }
    const named = await readSource({ bytes: utf8(CODE), filename: 'a.py' }, { kind: 'code' });
    expect(named).toMatchObject({ filename: 'a.py', blocks: [{ ...block, language: 'py' }] });
  });

  it('leaves other kinds their own blocks', async () => {
    const bytes = writePdf({ pages: [{ lines: ['High water.'] }] });
    const read = await readSource({ bytes }, { kind: 'code', language: 'python' });
    expect(read).toEqual(await extract(bytes));
  });

  it.each([
    ['a blank file', { bytes: utf8(' \n') }, 'empty_document'],
    ['a blank named text', { text: ' \n', filename: 'a.txt' }, 'empty_document'],
    ['a file of another kind', { bytes: Uint8Array.from({ length: 99 }, () => 1) }, 'unsupported_type'],
    ['a scan', { bytes: writePdf({ pages: [{ picture: 1 }] }) }, 'no_text'],
  ])('rejects with an ExtractError for %s', async (_, source, code) => {
    expect((await rejectionOf(readSource(source), ExtractError)).code).toBe(code);
  });

  it('rejects half a character in a named text, and a source of another shape', async () => {
    const broken = await rejectionOf(readSource({ text: 'ab\ud800', filename: 'a.txt' }), ChunkError);
    expect([broken.code, broken.offset]).toEqual(['ill_formed_text', 2]);
    const none = readSource({ text: undefined } as unknown as { text: string });
    expect((await rejectionOf(none, TypeError)).message).toMatch('must be a string');
    const other = readSource({ path: 'a.pdf' } as unknown as { text: string });
    expect((await rejectionOf(other, TypeError)).message).toMatch('Uint8Array');
    const misspelt = readSource({ bytes: utf8('a'), fileName: 'a.md' } as { bytes: Uint8Array });
    expect((await rejectionOf(misspelt, TypeError)).message).toMatch('fileName must be left out');
  });

  it("rejects with the signal's reason", async () => {
    const reason = new Error('enough');
    for (const source of [{ text: 'a' }, { text: 'a', filename: 'a.txt' }, { bytes: utf8('a') }])
      await expect(readSource(source, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const controller = new AbortController();
    const pdf = writePdf({ pages: [{ lines: ['One.'] }, { lines: ['Two.'] }] });
    const stopped = readSource(
      { bytes: pdf },
      { signal: controller.signal, onPage: () => controller.abort(reason) },
    );
    await expect(stopped).rejects.toBe(reason);
  });
});

describe('encodeText', () => {
  it('chooses the reader of text by the ending of the name', () => {
    for (const { kind, extensions } of READERS)
      for (const ending of extensions) {
        const isText = ['csv', 'markdown', 'txt'].includes(kind);
        expect(encodeText('a', `a.${ending.toUpperCase()}`).kind).toBe(isText ? kind : 'txt');
      }
    expect(encodeText('a', 'LICENSE').kind).toBe('txt');
  });

  it('gives the bytes in UTF-8, with a replacement for half a character', () => {
    expect(encodeText('é\ud800', 'a.txt').bytes).toEqual(utf8('é\ufffd'));
  });
});
