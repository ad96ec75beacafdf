// Texts to measure with, made when the bench runs: nothing is stored, and equal surroundings give equal texts.
// Prose comes from the development corpus beside the repository when that is there, else from the READMEs.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

export type CorpusName = 'prose' | 'markdown' | 'code' | 'cjk';
export const CORPUS_NAMES: readonly CorpusName[] = ['prose', 'markdown', 'code', 'cjk'];

const ROOT = path.resolve(import.meta.dirname, '../../..');
const MODULES = path.join(ROOT, 'node_modules');
const REFERENCES = path.join(ROOT, '../shared/corpus/references.json');

/** A corpus of `bytes` bytes of UTF-8, repeated when its sources are shorter; one flat string. */
export function corpus(name: CorpusName, bytes: number): string {
  const sources = SOURCES[name](bytes);
  let text = sources;
  while (Buffer.byteLength(text) < bytes) text += `\n\n${sources}`;
  // Through a buffer: concatenation leaves a rope, and the first to touch it would pay for flattening.
  const encoded = Buffer.from(text);
  let end = bytes;
  while (((encoded[end] ?? 0) & 0xc0) === 0x80) end--;
  return encoded.toString('utf8', 0, end);
}

const SOURCES: Readonly<Record<CorpusName, (bytes: number) => string>> = {
  prose: () =>
    existsSync(REFERENCES)
      ? references(/readability__/).join('\n\n')
      : gather(/^README\.md$/i, 2e6).replace(/[`*#|<>[\]]/g, ''),
  markdown: (bytes) => gather(/^(?:README|CHANGELOG|HISTORY).*\.md$/i, bytes),
  code: (bytes) => gather(/\.(?:js|mjs|ts)$/, bytes),
  cjk: (bytes) => chinese(bytes),
};

/** Documents of 2,000 to 200,000 units: those of the development corpus, else READMEs. */
export function documents(): string[] {
  const texts = existsSync(REFERENCES) ? references() : gather(/^README\.md$/i, 4e6).split(/\n(?=# )/u);
  return texts.filter(({ length }) => length >= 2000 && length <= 200_000);
}

/** Texts of the development corpus as its reference readers print them, of the files whose names match. */
function references(name = /./): string[] {
  const all = JSON.parse(readFileSync(REFERENCES, 'utf8')) as Record<string, { text?: string }>;
  return Object.entries(all).flatMap(([file, { text }]) =>
    name.test(file) && text !== undefined ? [text] : [],
  );
}

/** Files below node_modules whose name matches, in the order of their paths, up to about so many bytes. */
function gather(name: RegExp, bytes: number): string {
  const parts: string[] = [];
  let left = bytes;
  const visit = (folder: string): void => {
    const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const entry of entries) {
      if (left <= 0) return;
      const file = path.join(folder, entry.name);
      if (entry.isDirectory()) visit(file);
      else if (entry.isFile() && name.test(entry.name) && !entry.name.endsWith('.min.js')) {
        const content = readFileSync(file, 'utf8');
        parts.push(content);
        left -= Buffer.byteLength(content);
      }
    }
  };
  visit(MODULES);
  return parts.join('\n\n');
}

/** Chinese-looking text: clauses of common ideographs, full-width marks, paragraphs of 40 to 600 characters. */
function chinese(bytes: number): string {
  const next = random(20261121);
  const paragraphs: string[] = [];
  for (let size = 0; size < bytes;) {
    let paragraph = '';
    for (let sentences = 1 + next(12); sentences > 0; sentences--) {
      for (let clauses = 1 + next(3); clauses > 0; clauses--) {
        for (let length = 5 + next(15); length > 0; length--)
          paragraph += String.fromCharCode(0x4e00 + next(3000));
        paragraph += clauses > 1 ? '，' : '。';
      }
    }
    paragraphs.push(paragraph);
    size += 3 * paragraph.length + 2;
  }
  return paragraphs.join('\n\n');
}

/** A small generator of integers below a bound: the same numbers for the same seed. */
export function random(seed: number): (bound: number) => number {
  let state = seed >>> 0;
  return (bound) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}
