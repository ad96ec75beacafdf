// Documents as programs have them: a File, a Blob, a stream, a Buffer.
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { chunk, extract, ExtractError } from 'grainline';

const html = '<h1>Tides</h1><p>High water follows the moon.</p>';
const inputs = [
  new File([html], 'tides.html', { type: 'text/html' }),
  new Blob([html], { type: 'text/html' }),
  new Blob([html]).stream(),
  Readable.from([Buffer.from(html)]),
  Buffer.from(html),
];
for (const input of inputs) {
  const document = await extract(input, { contentType: 'text/html' });
  assert.equal(document.text.trim(), '# Tides\n\nHigh water follows the moon.');
  assert.equal((await chunk(document)).length, 1);
}
await assert.rejects(
  extract(new Uint8Array(), { filename: 'empty.pdf' }),
  (error) => error instanceof ExtractError && error.code === 'empty_document',
);
