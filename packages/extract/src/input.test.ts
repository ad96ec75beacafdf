// Inputs as programs have them: every shape gives the Document of its bytes.
import { Readable } from 'node:stream';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { writePdf } from '@grainline/testing/pdf-writer';
import { extract } from './extract.ts';
import type { ExtractInput } from './input.ts';

const PDF = Uint8Array.from(writePdf({ pages: [{ lines: ['High water follows the moon.'] }] }));
const streamOf = (...pieces: readonly unknown[]) =>
  new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece);
      controller.close();
    },
  });

describe('extract', () => {
  it.each<[string, () => ExtractInput]>([
    ['a Buffer', () => Buffer.from(PDF)],
    ['an ArrayBuffer', () => PDF.buffer],
    ['a Blob', () => new Blob([PDF])],
    ['a stream', () => streamOf(PDF.subarray(0, 7), PDF.subarray(7))],
    ['the body of a Response', () => new Response(PDF).body!],
    ['a stream of Node', () => Readable.from([PDF.subarray(0, 100), PDF.subarray(100)])],
    [
      'bytes of another realm',
      () => runInNewContext('new Uint8Array(bytes)', { bytes: [...PDF] }) as Uint8Array,
    ],
  ])('reads %s as its bytes', async (_, input) => {
    expect(await extract(input())).toEqual(await extract(PDF));
  });

  it('takes name and type from a File, unless the options say otherwise', async () => {
    const file = new File(['# Tides'], 'tides.md', { type: 'text/markdown' });
    expect(await extract(file)).toMatchObject({ filename: 'tides.md', mediaType: 'text/markdown' });
    const given = { filename: 'a.ts', contentType: 'text/plain' };
    expect(await extract(file, given)).toEqual(await extract(new TextEncoder().encode('# Tides'), given));
    const latin = new Blob([Uint8Array.from([0x63, 0xe9])], { type: 'text/plain; charset=latin1' });
    expect((await extract(latin)).text).toBe('cé');
  });

  it('ends with its signal, and cancels the stream that it reads', async () => {
    const reason = new Error('enough');
    const stop = new AbortController();
    let cancelled: unknown;
    const stalled = new ReadableStream<Uint8Array>({ cancel: (why) => void (cancelled = why) });
    const reading = extract(stalled, { signal: stop.signal });
    stop.abort(reason);
    await expect(reading).rejects.toBe(reason);
    expect(cancelled).toBe(reason);
  });

  it('rejects with the error of a stream', async () => {
    const reset = new Error('reset');
    const failing = new ReadableStream({ start: (controller) => controller.error(reset) });
    await expect(extract(failing)).rejects.toBe(reset);
  });

  it.each([
    ['a text', '# Tides', /a File or Blob, or a stream of bytes: .*A text needs no reading/],
    ['a link', new URL('https://example.com/a.pdf'), /\(await fetch\(link\)\)\.body of a link/],
    ['a Response', new Response('x'), /\(await fetch\(link\)\)\.body/],
    ['nothing', undefined, /extract expects the document as/],
    ['a stream of strings', streamOf('text'), /gives values of the type string, not bytes/],
  ])('refuses %s by name', async (_, input, message) => {
    const refused = extract(input as never);
    await expect(refused).rejects.toThrow(message);
    await expect(refused).rejects.toBeInstanceOf(TypeError);
  });
});
