// Mistakes: those that types can see are errors of types, and the others are answered with a way out.
import assert from 'node:assert/strict';
import { chunk, chunkSync, extract } from 'grainline';

// @ts-expect-error -- there is no such tier
assert.throws(() => chunkSync('x', { tier: 'best' }), /tier/);
// @ts-expect-error -- chunkSync has no embedder
assert.throws(() => chunkSync('x', { tier: 'semantic' }), /semantic/);
// @ts-expect-error -- ai needs a language model
await assert.rejects(chunk('x', { tier: 'ai' }), /complete/);
// @ts-expect-error -- the name of another library
assert.throws(() => chunkSync('x', { chunkSize: 5 }), /chunkSize must be given as size/);
// @ts-expect-error -- there is no such measure
await assert.rejects(chunk('x', { measure: 'words' }), /o200k/);
// @ts-expect-error -- a text needs no reading
await assert.rejects(extract('# Tides'), /A text needs no reading/);
