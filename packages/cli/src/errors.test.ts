import { describe as suite, expect, it } from 'vitest';
import { CliError, describe, reasonOf } from './errors.ts';

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
