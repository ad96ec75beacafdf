// One import has all that the entries of this package have.
import { expect, it } from 'vitest';
import * as embeddings from '../src/embeddings/index.ts';
import * as all from '../src/index.ts';
import * as language from '../src/language/index.ts';
import * as tokens from '../src/tokens/counter.ts';

it.each(Object.entries({ tokens, embeddings, language }))('the root exports all of /%s', (_, entry) => {
  expect(all).toMatchObject(entry);
});
