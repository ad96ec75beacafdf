import { describe, expect, it } from 'vitest';
import { whyUnreachable } from '../src/unreachable.ts';

const failed = (code: string): TypeError =>
  new TypeError('fetch failed', { cause: Object.assign(new Error('words'), { code }) });

describe('why a service cannot be reached', () => {
  it.each([
    ['ECONNREFUSED', 'nothing listens on that port'],
    ['EAI_AGAIN', 'names cannot be looked up'],
    ['EHOSTUNREACH', 'no way leads there'],
    ['ETIMEDOUT', 'does not answer in time'],
    ['UND_ERR_CONNECT_TIMEOUT', 'does not answer in time'],
    ['UND_ERR_HEADERS_TIMEOUT', 'said nothing for five minutes'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'does not speak https'],
    ['CERT_HAS_EXPIRED', 'certificate'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'certificate'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'certificate'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'certificate'],
    ['ECONNRESET', 'the connection broke'],
    ['EWHATEVER', 'words'],
  ])('of %s is said in words, with the code, the place and the way out', (code, words) => {
    const { message: text } = whyUnreachable(
      failed(code),
      'https://user:secret@example.org/chunk?key=secret',
    );
    expect(text).toMatch(/^The service at example\.org:443 cannot be reached: .+ \(.+\)\. \S.*\.$/);
    expect(text).toContain(words);
    expect(text).toContain(`(${code})`);
    expect(text).not.toContain('secret');
  });

  it('of a browser, which gives no cause, is that there is no connection', () => {
    const { message, isPassing } = whyUnreachable(new TypeError('Failed to fetch'), 'https://example.org/');
    expect(message).toMatch(/^The service at example\.org:443 cannot be reached: no connection/);
    expect(isPassing).toBe(true);
  });

  it('of what fetch refuses by itself is what it says', () => {
    const error = new TypeError('fetch failed', { cause: new Error('unexpected redirect') });
    expect(whyUnreachable(error, 'http://127.0.0.1:8402')).toEqual({
      message: 'The service at 127.0.0.1:8402 cannot be reached: unexpected redirect. Correct the address.',
      isPassing: false,
    });
  });
});
