import { expect, it } from 'vitest';
import { ExtractError, type ExtractErrorCode } from './errors.ts';

it.each<ExtractErrorCode>([
  'empty_document',
  'unreadable_scan',
  'too_many_scanned_pages',
  'too_large',
  'too_complex',
])('the advice of %s fits a file that is sent nowhere', (code) => {
  const { message } = new ExtractError(code, { detail: 'it is', pages: 2 });
  expect(message).toMatch(/ it is.*\.|holds no text\.$/);
  expect(message).not.toMatch(/\bsend\b/i);
});
