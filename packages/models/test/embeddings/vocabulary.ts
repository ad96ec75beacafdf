import { DIMENSIONS, PACKED, PIECES } from '../../src/embeddings/data/static.ts';
import { unpack } from '../../src/packed.ts';

/** The word pieces of the built-in embedder, which are those of the model it was distilled from. */
export async function vocabularyOf(): Promise<string[]> {
  const bytes = await unpack(PACKED);
  const names = new TextDecoder().decode(bytes.subarray(0, bytes.length - PIECES * (2 + DIMENSIONS)));
  return names.replace(/\0$/, '').split('\n');
}
