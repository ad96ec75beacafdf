// Chunks to the records of databases, in batches and columns, and the writes for an edited document.
import assert from 'node:assert/strict';
import { batches, chunkStream, chunkSync, columnsOf, diff, toRecords } from 'grainline';

const before = '# Tides\n\nHigh water follows the moon.\n\n# Winds\n\nThey follow the sun.';
const about = { documentId: 'tides' };
const recordsOf = (text: string) => toRecords(chunkSync(text, { size: 60 }), 'qdrant', about);
const [stored, fresh] = [recordsOf(before), recordsOf(before.replace('sun', 'sea'))];
const { insert, keep, delete: removed } = diff(stored, fresh);
assert.deepEqual([insert.length, keep.length, removed.length], [1, 1, 1]);
assert.deepEqual([...batches(stored, 'qdrant')].flat(), stored);
assert.equal(columnsOf(toRecords(chunkSync(before), 'chroma', about)).ids.length, chunkSync(before).length);

const streamed = [];
for await (const chunk of chunkStream(before, { size: 60 })) streamed.push(chunk);
assert.deepEqual(streamed, chunkSync(before, { size: 60 }));
