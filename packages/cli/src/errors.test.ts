import { describe as suite, expect, it } from 'vitest';
import { ExtractError } from '@grainline/extract';
import { CliError, describe, inPlainWords, reasonOf } from './errors.ts';

const issue = (message: string, more: object): Error => Object.assign(new Error(message), more);

suite('an error on one line', () => {
  it('ends with its code, that of the system too; what has none is a defect', () => {
    expect(describe(new CliError('too_dear', { detail: '1 USDC' }))).toMatch(
      /^This costs 1 USDC.* \(too_dear\)$/,
    );
    expect(describe(issue('disk full', { code: 'ENOSPC' }))).toBe('disk full (ENOSPC)');
    expect(describe(issue('odd', { code: 7 }))).toBe('odd (internal)');
    expect(describe('thrown as a text')).toBe('thrown as a text (internal)');
  });

  it('has one code, that of the service where there are two, before the transaction', () => {
    const refused = new CliError('remote_refused', {
      detail: 'No pages are left. (quota)',
      signature: '5sig',
    });
    expect(describe(refused)).toBe('The service answers: No pages are left. Transaction: 5sig (quota)');
  });

  it('advises on a file that is named, not sent', () => {
    for (const code of ['empty_document', 'corrupted', 'encrypted', 'too_large', 'too_complex'] as const)
      expect(describe(new ExtractError(code, { detail: 'x' }))).not.toMatch(/\bsend\b/i);
  });

  it('names options as the command line spells them', () => {
    expect(describe(new ExtractError('no_text', { pages: 1 }))).toBe(
      'The document has 1 page but no text layer: it is a scan. Add --ocr to read it. (no_text)',
    );
    expect(describe(new ExtractError('no_such_pages', { detail: 'x' }))).toMatch(/ pages of --pages: x\./);
    expect(describe(new ExtractError('too_many_scanned_pages', { pages: 9, detail: 'x' }))).toMatch(
      /Choose some by --pages, or cut it into parts\./,
    );
    const warning = "the option furniture: 'keep' keeps them. Run OCR to read them.";
    expect(inPlainWords(warning)).toBe('--furniture keep keeps them. Add --ocr to read them.');
    expect(inPlainWords('of a, and these are of b; embed with a, or name another.')).toBe(
      'of a, and these are of b; name that embedder with --embedder, or name another.',
    );
    expect(inPlainWords('of 3 numbers, and these have 4; embed with 3 dimensions, or name another.')).toBe(
      'of 3 numbers, and these have 4; embed with 3 dimensions, or name another.',
    );
    expect(inPlainWords('with blend 0.4, and these have 0; use blend 0.4, or name another.')).toBe(
      'with blend 0.4, and these have 0; leave out --blend, or name another.',
    );
  });

  it('names the payment that it is about', () => {
    const known = { code: 'payment_unknown', signature: '5sig' };
    expect(describe(issue('Unknown.', known))).toBe('Unknown. Transaction: 5sig (payment_unknown)');
    expect(describe(issue('Unknown.', { ...known, signature: undefined }))).toBe(
      'Unknown. (payment_unknown)',
    );
  });
});

suite('why the system refused', () => {
  it('is a sentence for the codes that people meet, else the code, else what was thrown', () => {
    expect(reasonOf(issue('EACCES: /secret/path', { code: 'EACCES' }))).toBe('permission denied');
    expect(reasonOf(issue('EWEIRD: /secret/path', { code: 'EWEIRD' }))).toBe('EWEIRD');
    expect(reasonOf('no')).toBe('no');
  });
});
