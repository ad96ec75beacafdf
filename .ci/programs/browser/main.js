// A page that reads a PDF by the library from its package.
import { chunk, extract, toRecords, verify } from 'grainline';

const show = (text) => (globalThis.document.querySelector('output').textContent = text);
try {
  const bytes = new Uint8Array(await (await fetch('tides.pdf')).arrayBuffer());
  const read = await extract(bytes, { filename: 'tides.pdf' });
  const chunks = await chunk(read, { tier: 'structure', size: 200 });
  const records = toRecords(chunks, 'qdrant', { documentId: 'tides.pdf' });
  const isExact = verify(read, chunks).covered && records.length === chunks.length;
  const last = chunks.at(-1).metadata.pageStart;
  show(
    `pages ${chunks[0].metadata.pageStart} to ${last}, ${isExact ? 'offsets exact' : 'offsets not exact'}`,
  );
} catch (error) {
  show(String(error));
}
