import { ClientError } from '@grainline/client';
import { describe, expect, it } from 'vitest';
import { sentenceOf } from './error-sentences.ts';

const OFFLINE =
  'The service could not be reached. Try again when you are online; if you are, reload the page.';

describe('what went wrong', () => {
  it.each([
    'Failed to fetch dynamically imported module: http://127.0.0.1/assets/a.js',
    'error loading dynamically imported module: http://127.0.0.1/assets/a.js',
    'Importing a module script failed.',
    'Failed to fetch',
    'NetworkError when attempting to fetch resource.',
    'Load failed',
  ])('is said without addresses where a browser says "%s"', (message) => {
    expect(sentenceOf(new TypeError(message))).toBe(OFFLINE);
  });

  it('is said to visitors, not to the authors of pages, where the reader of PDFs does not load', () => {
    const error = Object.assign(new Error('Serve the file pdfium.wasm'), { name: 'PdfiumLoadError' });
    expect(sentenceOf(error)).toBe(OFFLINE);
  });

  it('is said in the words of our own errors', () => {
    expect(sentenceOf(new Error('There is no text in it.'))).toBe('There is no text in it.');
    expect(sentenceOf(new Error('Failed to fetch this link: 404'))).toBe('Failed to fetch this link: 404');
  });

  it('is said of the service in its words, and in ours where it has none', () => {
    expect(sentenceOf(new ClientError('too_large', 'It is too large.'))).toBe('It is too large.');
    expect(sentenceOf(new ClientError('unreachable', 'x'))).toBe(OFFLINE);
    expect(sentenceOf(new ClientError('bad_answer', 'x', { status: 502 }))).toBe('The service answered 502.');
    expect(sentenceOf(new ClientError('bad_answer', 'x'))).toMatch('does not understand');
  });

  it('is said of a folder that was dropped, and of a file that was moved', () => {
    for (const name of ['NotReadableError', 'NotFoundError'])
      expect(sentenceOf(new DOMException('A requested file or directory could not be found.', name))).toMatch(
        /^The file could not be read: it is a folder, or was moved or changed\./,
      );
  });

  it('is said of what is no error, or has no words', () => {
    expect([sentenceOf(new Error('')), sentenceOf('no')]).toEqual(Array(2).fill('Something went wrong.'));
  });
});
