// The documents of steps.ts, from the random numbers of a seed.
import type { SubmittedDocument } from '@grainline/pipeline/steps';
import { setText, writePdf } from '@grainline/testing/pdf-writer';

export const DOCUMENTS = Number(process.env['DOCUMENTS'] ?? 200);
export const MEGABYTES = Number(process.env['MEGABYTES'] ?? 0);

/** Random numbers of a seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const WORDS = ['tide', 'harbour', 'pilot', 'moon', 'ship', 'quay', 'storm', 'lantern', 'rope', 'anchor'];

/** One document of so many is a PDF. */
const PDF_EVERY = 10;
/** With MEGABYTES, text documents have so many sentences, 4 kB, and PDFs fill up the rest. */
const SENTENCES = MEGABYTES > 0 ? 70 : 12;
const BYTES_OF_SENTENCE = 60;

/** An object of a PDF that no page shows, as the bulk of real ones is pictures: a part of some text of no order. */
function bulkOf(noise: string, random: () => number): Record<number, string> {
  const texts = DOCUMENTS * SENTENCES * BYTES_OF_SENTENCE;
  const length = Math.max(0, Math.round((MEGABYTES * 1e6 - texts) / (DOCUMENTS / PDF_EVERY)));
  const begin = Math.floor(random() * (noise.length - length));
  return length === 0
    ? {}
    : { 900: `<</Length ${length}>>\nstream\n${noise.slice(begin, begin + length)}\nendstream` };
}

/** Every tenth is a PDF of five pages, every fifth comes in two revisions, and every twentieth is removed again. */
export function* documents(random: () => number): Generator<SubmittedDocument> {
  const noise = Array.from({ length: MEGABYTES > 0 ? 2 ** 18 : 1 }, () =>
    random().toString(36).slice(2),
  ).join('');
  const word = (): string => WORDS[Math.floor(random() * WORDS.length)] ?? '';
  const sentence = (): string =>
    `The ${word()} and the ${word()} wait beside the ${word()} for the ${word()}.`;
  for (let at = 0; at < DOCUMENTS; at++) {
    const isPdf = at % PDF_EVERY === 0;
    const documentId = `${at}.${isPdf ? 'pdf' : 'md'}`;
    const sentences = Array.from({ length: isPdf ? 12 : SENTENCES }, sentence);
    for (let revision = 1; revision <= (at % 5 === 1 ? 2 : 1); revision++) {
      if (revision > 1) sentences[5] = sentence();
      const lines = sentences.map((text, line) => ({ text, x: 72, y: 700 - 14 * line }));
      const bytes = isPdf
        ? writePdf({
            pages: [0, 2, 4, 6, 8].map((first) => ({ content: setText(lines.slice(first)) })),
            objects: bulkOf(noise, random),
          })
        : new TextEncoder().encode(sentences.join('\n\n'));
      yield { documentId, revision, filename: documentId, bytes };
    }
    if (at % 20 === 7) yield { documentId, revision: 3, filename: documentId, bytes: undefined };
  }
}
