// Distils the built-in embedder from what scripts/distil-teach.mjs has kept, and packs it into src/embeddings/data:
//   node packages/models/scripts/distil.mjs FOLDER
//
// Packed form, which src/embeddings/static.ts reads: the word pieces, a line each; then, from the next even byte on,
// for each piece the step of its numbers (16 bits, STEP_BASE ** (n - 32768)); then the numbers of each piece, a byte
// each with its sign; raw deflate; base64.
import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { constants, deflateRawSync } from 'node:zlib';
import { mainDirections, project, RECIPE, startTable, train } from './distil-train.mjs';
import { WEIGHTS, WIDTH } from './minilm.mjs';

const folder = process.argv[2];
if (folder === undefined) throw new Error('In which folder are the vectors?');
const { dimensions, smoothing } = RECIPE;
/** Numbers of a row stand this far apart, as a share of their root mean square: noise of a third of a percent. */
const STEP_SHARE = 1 / 5;
const STEP_BASE = 1.0005;
/** Texts whose main directions are taken for all. */
const SAMPLE = 20_000;

const floats = (name) => {
  const bytes = readFileSync(path.join(folder, name));
  return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
};
const { pieces, lists } = JSON.parse(readFileSync(path.join(folder, 'texts.json'), 'utf8'));
const about = JSON.parse(readFileSync(path.join(folder, 'about.json'), 'utf8'));
const vectors = floats('texts.f32');
const every = Math.floor(lists.length / SAMPLE);
const sample = new Float32Array(SAMPLE * WIDTH);
for (let at = 0; at < SAMPLE; at++)
  sample.set(vectors.subarray(at * every * WIDTH, (at * every + 1) * WIDTH), at * WIDTH);

const basis = mainDirections(sample, WIDTH, dimensions);
const table = startTable(project(floats('pieces.f32'), WIDTH, basis), pieces, dimensions, smoothing);
train(table, lists, project(vectors, WIDTH, basis), RECIPE, (epoch, loss) => {
  console.log(`epoch ${epoch + 1}: mean of 1 - cosine ${loss.toFixed(4)}`);
});

const names = Buffer.from(pieces.join('\n'));
const start = names.length + (names.length % 2);
const packed = Buffer.alloc(start + pieces.length * (2 + dimensions));
names.copy(packed);
for (let piece = 0; piece < pieces.length; piece++) {
  const row = table.subarray(piece * dimensions, (piece + 1) * dimensions);
  const rms = Math.sqrt(row.reduce((sum, value) => sum + value * value, 0) / dimensions) || 1;
  const exponent = Math.round(Math.log(rms * STEP_SHARE) / Math.log(STEP_BASE));
  packed.writeUInt16LE(exponent + 32768, start + 2 * piece);
  for (let part = 0; part < dimensions; part++) {
    const number = Math.round(row[part] / STEP_BASE ** exponent);
    const at = start + pieces.length * 2 + piece * dimensions + part;
    packed.writeInt8(Math.max(-127, Math.min(127, number)), at);
  }
}
// Noise holds no repetitions to look for; without that it is smaller, and faster to read.
const strategy = constants.Z_HUFFMAN_ONLY;
const base64 = deflateRawSync(packed, { level: 9, strategy }).toString('base64');
const sources = Object.entries(about.sources).map(([name, count]) => `${name} ${count}`);
const lines = [
  '// The table of the built-in embedder, made by scripts/distil.mjs. Do not edit.',
  '// Packed form: see scripts/distil.mjs and src/embeddings/static.ts.',
  '//',
  '// Distilled from sentence-transformers/all-MiniLM-L6-v2 (Apache License 2.0, copyright its authors), whose vocabulary',
  `// it keeps; weights as published in ${WEIGHTS} 0.1.0, SHA-256 of model.fp16.safetensors`,
  `// ${about.weightsSha256}.`,
  `// Trained on ${lists.length} texts (${sources.join(', ')}), SHA-256 of them joined by line feeds`,
  `// ${about.textsSha256}.`,
  '// Definitions and examples are those of WordNet 3.1, copyright 2011 by Princeton University, all rights reserved, used',
  '// under the WordNet licence, which permits use, copying, modification and distribution without fee.',
  '',
  // `-log` stands for the weights of repeated pieces in src/embeddings/static.ts, `-sqrt` for those of figures.
  `export const MODEL: string = 'grainline-static-${dimensions}-log-sqrt';`,
  `export const PIECES: number = ${pieces.length};`,
  `export const DIMENSIONS: number = ${dimensions};`,
  `export const STEP_BASE: number = ${STEP_BASE};`,
  `export const PACKED: string =\n  '${base64}';`,
];
const file = path.join(import.meta.dirname, '../src/embeddings/data/static.ts');
writeFileSync(file, `${lines.join('\n')}\n`);
const digest = createHash('sha256').update(packed).digest('hex');
console.log(
  `${(packed.length / 1e6).toFixed(2)} MB, packed ${(base64.length / 1e6).toFixed(2)} MB, SHA-256 ${digest}`,
);
