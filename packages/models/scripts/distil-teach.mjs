// The first step of distilling: asks the real model for the vectors of every word piece alone and of every training
// text, and keeps them in a folder, since that takes most of the time (about 12 minutes of two processors):
//   node packages/models/scripts/distil-teach.mjs FOLDER
// then scripts/distil.mjs makes the table.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { WordPieces } from '../src/embeddings/word-pieces.ts';
import { trainingTexts } from './distil-texts.mjs';
import { openTeacher, SOURCE, WIDTH } from './minilm.mjs';

const folder = process.argv[2];
if (folder === undefined) throw new Error('Which folder shall the vectors be kept in?');
mkdirSync(folder, { recursive: true });

const { vocab } = JSON.parse(readFileSync(path.join(SOURCE, 'tokenizer.json'), 'utf8')).model;
const pieces = Object.keys(vocab).sort((a, b) => vocab[a] - vocab[b]);
const tokenizer = new WordPieces(pieces);
const teach = await openTeacher();
/** More pieces than that the model's authors did not train on. */
const MOST_PIECES = 254;
const framed = (list) => [vocab['[CLS]'], ...list.slice(0, MOST_PIECES), vocab['[SEP]']];

await keep(
  'pieces',
  pieces.map((_, index) => framed([index])),
);
const bySource = trainingTexts();
const texts = Object.values(bySource).flat();
const lists = texts.map((text) => tokenizer.of(text));
writeFileSync(path.join(folder, 'texts.json'), JSON.stringify({ pieces, texts, lists }));
await keep('texts', lists.map(framed));
const about = {
  sources: Object.fromEntries(Object.entries(bySource).map(([name, of]) => [name, of.length])),
  textsSha256: createHash('sha256').update(texts.join('\n')).digest('hex'),
  weightsSha256: createHash('sha256')
    .update(readFileSync(path.join(SOURCE, 'model.fp16.safetensors')))
    .digest('hex'),
};
writeFileSync(path.join(folder, 'about.json'), JSON.stringify(about, undefined, 2));
console.log(about);

async function keep(name, all) {
  let shown = 0;
  const vectors = await teach(all, (done, total) => {
    if (done - shown < total / 20 && done < total) return;
    shown = done;
    console.log(`${name}: ${done} of ${total}, ${Math.round(process.cpuUsage().user / 1e6)} s of processor`);
  });
  const flat = new Float32Array(vectors.length * WIDTH);
  for (const [index, vector] of vectors.entries()) flat.set(vector, index * WIDTH);
  writeFileSync(path.join(folder, `${name}.f32`), flat);
}
