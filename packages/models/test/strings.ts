// Random strings that tokenizers disagree about, if they do: scripts, marks, digits, blanks, contractions, special
// tokens, pairs of surrogates, and runs of each. Equal seeds give equal strings.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Characters on which gpt-tokenizer differs from tiktoken: its \s is JavaScript's, and it loses the token of a BOM. */
export const DISPUTED = ['\u0085', '\ufeff'];

const ATOMS = [
  ...[' ', ' ', '  ', '\n', '\r\n', '\r', '\t', '\v', '\f', '\u00a0', '\u3000', '\u2028', '\u200b', '\u0000'],
  ...["'", "'s", "'S", "'ll", "'RE", "'ve", "'D", "'ſ", "'ş", "'x", '’s'],
  ...['a', 'b', 'hello', 'World', 'ABC', 'ing', 'The', 'é', 'ß', 'Ǆ', 'ǅ', 'ʰ', 'ё', 'Ж', 'ſ'],
  ...['日本', '語', '한국', 'ไทย', 'ا', 'ب', 'नमस्ते', '\u0301', '\u0903', '\u20e3'],
  ...['1', '12', '٣', 'Ⅷ', '½', '2026', '𝟘'],
  ...['.', '!', '/', '//', '-', '—', '…', '{', '}', '();', '==', '---', '\ufffd', '\u001c'],
  ...['😀', '👩‍👩‍👧', '🇩🇪', '𝒳', '𐐀', '𐐨', '𠀀'],
  ...['<|endoftext|>', '<|im_start|>', '<|fim_prefix|>', '<|endofprompt|>'],
];

/** A source of numbers in [0, below). */
export type Random = (below: number) => number;

export function createRandom(seed: number): Random {
  let state = seed | 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    return (state >>> 8) % below;
  };
}

/** Up to fourteen atoms in a row, some of them several times. */
export function randomString(random: Random, more: readonly string[] = []): string {
  const atoms = [...ATOMS, ...more];
  let text = '';
  for (let left = random(14); left >= 0; left--) {
    const atom = atoms[random(atoms.length)] ?? '';
    text += random(4) === 0 ? atom.repeat(1 + random(6)) : atom;
  }
  return text;
}

const TRUTH = path.resolve(import.meta.dirname, '../../../../shared/corpus/truth');

/** Real documents when the development corpus lies beside the repository; else none. */
export function realTexts(most: number): string[] {
  if (!existsSync(TRUTH)) return [];
  const files = readdirSync(TRUTH).filter((file) => file.endsWith('.md'));
  return files.slice(0, most).map((file) => readFileSync(path.join(TRUTH, file), 'utf8'));
}
