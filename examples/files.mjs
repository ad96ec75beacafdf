// A file of any accepted kind to records for Qdrant, on standard output, in batches that one request may hold.
// Run: node examples/files.mjs report.pdf
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { batches, chunk, extract, toRecords } from 'grainline';

const path = process.argv[2];
if (path === undefined) {
  console.error('Usage: node examples/files.mjs FILE');
  process.exit(2);
}

const filename = basename(path);
const document = await extract(await readFile(path), { filename });
for (const { message } of document.warnings) console.error(`${filename}: ${message}`);

const chunks = await chunk(document, { tier: 'structure', size: 800 });
// The same document id and the same text give the same ids, so writing a document again changes nothing.
const records = toRecords(chunks, 'qdrant', {
  documentId: filename,
  filename,
  contentType: document.mediaType,
});

// With Qdrant's client: await client.upsert('documents', { points })
for (const points of batches(records, 'qdrant')) console.log(JSON.stringify({ points }));
