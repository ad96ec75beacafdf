import { describe, expect, it } from 'vitest';
import { isPassing, whyUnreachable } from './unreachable.ts';

const failed = (code: string): TypeError =>
  new TypeError('fetch failed', { cause: Object.assign(new Error('words'), { code }) });

describe('why a service cannot be reached', () => {
  it.each([
    ['ECONNREFUSED', 'nothing listens on that port', false],
    ['EAI_AGAIN', 'names cannot be looked up', true],
    ['EHOSTUNREACH', 'no way leads there', true],
    ['ETIMEDOUT', 'does not answer in time', true],
    ['UND_ERR_CONNECT_TIMEOUT', 'does not answer in time', true],
    ['UND_ERR_HEADERS_TIMEOUT', 'said nothing for five minutes', false],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'does not speak https', false],
    ['CERT_HAS_EXPIRED', 'certificate', false],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'certificate', false],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'certificate', false],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'certificate', false],
    ['ECONNRESET', 'the connection broke', true],
    ['EWHATEVER', 'words', true],
  ])('of %s is said in words, with the code, the place and the way out', (code, words, passes) => {
    const text = whyUnreachable(failed(code), 'https://user:secret@example.org/chunk?key=secret');
    expect(text).toMatch(/^example\.org:443 cannot be reached: .+ \(.+\)\. \S.*\.$/);
    expect(text).toContain(words);
    expect(text).toContain(`(${code})`);
    expect(text).not.toContain('secret');
    expect(isPassing(failed(code))).toBe(passes);
  });

  it('of what fetch refuses by itself is what it says', () => {
    const error = new TypeError('fetch failed', { cause: new Error('unexpected redirect') });
    expect(whyUnreachable(error, 'http://127.0.0.1:8402')).toBe(
      '127.0.0.1:8402 cannot be reached: unexpected redirect. Correct the address.',
    );
    expect(isPassing(error)).toBe(false);
  });
});
