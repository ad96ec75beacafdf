import { deflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import * as cl100k from './data/cl100k.ts';
import * as o200k from './data/o200k.ts';
import { NO_RANK, unpackVocabulary } from './vocabulary.ts';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('unpackVocabulary', () => {
  it('finds tokens by their bytes and nothing else', async () => {
    const vocabulary = await unpackVocabulary(cl100k);
    const bytes = bytesOf('xhello world');
    expect(vocabulary.rankOf(bytes, 1, 6)).toBe(15339);
    expect(vocabulary.rankOf(bytes, 6, 12)).toBe(1917);
    expect(vocabulary.rankOf(bytes, 1, 12)).toBe(NO_RANK);
    expect(vocabulary.rankOf(bytesOf('a'.repeat(500)), 0, 500)).toBe(NO_RANK);
  });

  it('knows the byte order mark, which decoders of text swallow', async () => {
    const vocabulary = await unpackVocabulary(cl100k);
    expect(vocabulary.rankOf(bytesOf('\ufeff'), 0, 3)).not.toBe(NO_RANK);
  });

  it('refuses a module that lost a part of its tokens', async () => {
    const PACKED = deflateRawSync(Uint8Array.of(1, 2, 97, 98)).toString('base64');
    await expect(unpackVocabulary({ TOKENS: 2, PACKED })).rejects.toMatchObject({
      code: 'damaged_vocabulary',
    });
  });

  it('takes no more room than 0.8 MB for cl100k and 1.7 MB for o200k', () => {
    expect(cl100k.PACKED.length).toBeLessThan(0.8e6);
    expect(o200k.PACKED.length).toBeLessThan(1.7e6);
  });
});
