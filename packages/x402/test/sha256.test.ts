// Our SHA-256 against the platform's.
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { sha256 } from '../src/chains/solana/sha256.ts';

it('is the digest that node:crypto computes, at every length around a block', () => {
  const check = (bytes: Uint8Array): void => {
    expect(Buffer.from(sha256(bytes)).toString('hex')).toBe(createHash('sha256').update(bytes).digest('hex'));
  };
  for (let length = 0; length < 200; length++) check(new Uint8Array(length).fill(length));
  fc.assert(fc.property(fc.uint8Array({ maxLength: 5000 }), check));
});
