import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '@grainline/testing/cases';
import {
  type CanonicalRequest,
  canonicalText,
  fingerprint,
  fingerprintIn,
  MEMO_PREFIX,
  memoOf,
} from '../src/gate/binding.ts';

interface Vector {
  readonly name: string;
  readonly request: CanonicalRequest;
  readonly canonical: string;
  readonly fingerprint: string;
  readonly memo: string;
}

// Vectors of another program in another language, for every client.
const { vectors } = JSON.parse(readFileSync(new URL('fingerprints.json', import.meta.url), 'utf8')) as {
  readonly vectors: readonly Vector[];
};

describe('the fingerprint of a request', () => {
  it.each(vectors)('is as published: $name', async (vector) => {
    expect(canonicalText(vector.request)).toBe(vector.canonical);
    const made = await fingerprint(vector.request);
    expect(made).toBe(vector.fingerprint);
    expect(memoOf(made)).toBe(vector.memo);
    expect(fingerprintIn(vector.memo)).toBe(vector.fingerprint);
  });

  const request = fc.letrec<{ request: CanonicalRequest; value: string | CanonicalRequest }>((tie) => ({
    request: fc.dictionary(fc.string({ unit: 'grapheme' }), tie('value'), {
      maxKeys: 5,
    }),
    value: fc.oneof({ maxDepth: 3 }, fc.string({ unit: 'grapheme' }), tie('request')),
  })).request;

  it('does not depend on the order of names', () => {
    fc.assert(
      fc.property(request, (value) => {
        expect(canonicalText(reversed(value))).toBe(canonicalText(value));
      }),
      cases(100),
    );
  });

  it('has a text that is JSON of the same request, so that unlike requests have unlike texts', () => {
    fc.assert(
      fc.property(request, (value) => {
        expect(JSON.parse(canonicalText(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
      cases(100),
    );
  });

  it('is found in memos of our form alone', async () => {
    const made = await fingerprint({ tier: 'ai' });
    for (const memo of [
      '',
      'chunk:1:',
      made,
      `chunk:2:${made}`,
      ` ${memoOf(made)}`,
      `${memoOf(made)}=`,
      `${MEMO_PREFIX}${made.slice(1)}`,
    ]) {
      expect(fingerprintIn(memo)).toBeNull();
    }
  });
});

function reversed(request: CanonicalRequest): CanonicalRequest {
  return Object.fromEntries(
    Object.entries(request)
      .reverse()
      .map(([name, value]) => [name, typeof value === 'object' ? reversed(value) : value]),
  );
}
