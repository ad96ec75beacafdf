// A first result: a file on disk, by the default tier, in sizes of tokens.
import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { chunkFile, chunkSync, verify } from 'grainline';

const text = '# Tides\n\nHigh water follows the moon.\n\n## Neaps\n\nNeap tides follow a half moon.\n';
writeFileSync('tides.md', text);
const { document, chunks } = await chunkFile('tides.md', { measure: 'o200k_base', size: 20 });
rmSync('tides.md');
assert.equal(document.mediaType, 'text/markdown');
assert.deepEqual(chunks.at(-1)?.metadata.headingPath, ['Tides', 'Neaps']);
assert.equal(verify(document, chunks).covered, true);
assert.deepEqual(chunkSync(text), chunkSync(text, { tier: 'structure', size: 1000 }));
await assert.rejects(chunkFile('https://example.com/a.pdf'), /is a link/);
