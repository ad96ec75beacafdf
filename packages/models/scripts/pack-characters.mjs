// Packs what Unicode says of every character, as far as the encodings' patterns ask, into src/tokens/data, so that
// counts are the same on every engine and no regular expression has to be run over all characters at start:
//   node packages/models/scripts/pack-characters.mjs
//
// Packed form, which src/tokens/characters.ts reads: runs of equal class from U+0000 on, each a capital letter
// (which class) and the length of the run in base 36.
import { writeFileSync } from 'node:fs';
import path from 'node:path';

/** Bit of each set, as src/tokens/characters.ts names them. White_Space is not JavaScript's \s. */
const SETS = [
  [/^\p{L}$/u, 1],
  [/^\p{N}$/u, 2],
  [/^[^\p{White_Space}\p{L}\p{N}]$/u, 4],
  [/^\p{White_Space}$/u, 8],
  [/^[\r\n]$/u, 16],
  [/^\/$/u, 32],
  [/^[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]$/u, 64],
  [/^[\p{Ll}\p{Lm}\p{Lo}\p{M}]$/u, 128],
];

const classOf = (codePoint) => {
  if ((codePoint & 0x1ff800) === 0xd800) return 0;
  const character = String.fromCodePoint(codePoint);
  return SETS.reduce((bits, [set, bit]) => (set.test(character) ? bits | bit : bits), 0);
};

const classes = [];
let runs = '';
let length = 0;
let current = classOf(0);
for (let codePoint = 0; codePoint <= 0x110000; codePoint++) {
  const next = codePoint < 0x110000 ? classOf(codePoint) : -1;
  if (next === current) {
    length++;
    continue;
  }
  if (!classes.includes(current)) classes.push(current);
  runs += String.fromCharCode(0x41 + classes.indexOf(current)) + length.toString(36);
  current = next;
  length = 1;
}

const lines = [
  `// Classes of all characters by Unicode ${process.versions.unicode}, made by scripts/pack-characters.mjs. Do not edit.`,
  '// Packed form: see src/tokens/characters.ts.',
  '',
  `export const UNICODE: string = '${process.versions.unicode}';`,
  '/** The classes that A, B, … stand for. */',
  `export const CLASSES: readonly number[] = [${classes.join(', ')}];`,
  `export const RUNS: string =\n  '${runs}';`,
];
writeFileSync(path.join(import.meta.dirname, '../src/tokens/data/characters.ts'), `${lines.join('\n')}\n`);
console.log(`${classes.length} classes, ${runs.length} characters`);
