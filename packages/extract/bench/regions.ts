// The boxes of chunks against poppler: the words of `pdftotext -bbox` whose middle lies in the boxes of a chunk are
// compared with the words of the chunk itself.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { chunk, type Document, pageSizeOf, type Region, regionsOf } from '@grainline/core';
import { formatChunks } from '@grainline/core/formats';
import { extract } from '../src/index.ts';

/** A word as poppler places it, in points from the top left corner of its page. */
interface ShownWord {
  readonly page: number;
  readonly x: number;
  readonly y: number;
  readonly text: string;
}

/** Counts of all chunks of some documents. */
export interface RegionScore {
  /** Bytes of all records as JSON, without their boxes and with them. */
  readonly plainBytes: number;
  readonly bytes: number;
  /** Words that the boxes of metadata show, which join lines, and those of them that the chunk has. */
  readonly shownByMetadata: number;
  readonly commonByMetadata: number;
  readonly chunks: number;
  /** Chunks with words and without a box. */
  readonly unplaced: number;
  readonly own: number;
  readonly shown: number;
  readonly common: number;
}

/** The most pages of a file that are read. */
const MAX_PAGES = 60;

/** True when poppler is installed. */
export function hasPoppler(): boolean {
  try {
    execFileSync('pdftotext', ['-v'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/**
 * The scores of a file at each size of chunks.
 *
 * @param read reads the document with its places, in another way than from the file itself
 */
export async function scoreRegions(
  file: string,
  sizes: readonly number[],
  read = (): Promise<Document> => extract(readFileSync(file), { pages: `1-${MAX_PAGES}`, regions: true }),
): Promise<RegionScore[]> {
  const document = await read();
  const words = wordsOf(file, document);
  return Promise.all(
    sizes.map(async (size) => {
      const chunks = await chunk(document, { size, regions: true });
      const plain = await chunk(document, { size });
      const counts = chunks.map((one) => {
        const boxes = (one.metadata.regions ?? []).map(([page, x0, y0, x1, y1]): Region => ({
          page,
          x0: x0 / 100,
          y0: y0 / 100,
          x1: x1 / 100,
          y1: y1 / 100,
        }));
        const exact = countsOf(one.text, regionsOf(document, one), words);
        const metadata = countsOf(one.text, boxes, words);
        return {
          ...exact,
          plainBytes: 0,
          bytes: 0,
          shownByMetadata: metadata.shown,
          commonByMetadata: metadata.common,
        };
      });
      const bytesOf = (some: typeof chunks): number =>
        JSON.stringify(formatChunks(some, 'raw', { documentId: nameOf(file) })).length;
      return { ...sumOf(counts), plainBytes: bytesOf(plain), bytes: bytesOf(chunks) };
    }),
  );
}

/** The sum of scores. */
export function sumOf(scores: readonly RegionScore[]): RegionScore {
  const sum = (key: keyof RegionScore): number => scores.reduce((total, score) => total + score[key], 0);
  return {
    chunks: sum('chunks'),
    unplaced: sum('unplaced'),
    own: sum('own'),
    shown: sum('shown'),
    common: sum('common'),
    plainBytes: sum('plainBytes'),
    bytes: sum('bytes'),
    shownByMetadata: sum('shownByMetadata'),
    commonByMetadata: sum('commonByMetadata'),
  };
}

/** Harmonic mean of the share of a chunk's words that are shown, and the share of shown words that are its own. */
export function f1Of({ own, shown, common }: Pick<RegionScore, 'own' | 'shown' | 'common'>): number {
  return (2 * common) / Math.max(1, own + shown);
}

type Counts = Pick<RegionScore, 'chunks' | 'unplaced' | 'own' | 'shown' | 'common'>;

function countsOf(text: string, boxes: readonly Region[], words: WordIndex): Counts {
  const own = tokensOf(text);
  const counts = new Map<string, number>();
  for (const token of own) counts.set(token, (counts.get(token) ?? 0) + 1);
  const shown = tokensOf(joined(words.within(boxes), counts));
  let common = 0;
  for (const token of shown) {
    const left = counts.get(token) ?? 0;
    if (left === 0) continue;
    counts.set(token, left - 1);
    common++;
  }
  return {
    chunks: 1,
    unplaced: Number(own.length > 0 && boxes.length === 0),
    own: own.length,
    shown: shown.length,
    common,
  };
}

/** Words in small letters, without signs. */
function tokensOf(text: string): string[] {
  return (
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  );
}

/** Words one after another; a word that a hyphen divides is one where the chunk has it as one. */
function joined(words: readonly ShownWord[], own: ReadonlyMap<string, number>): string {
  let text = '';
  for (const [at, word] of words.entries()) {
    const [first = ''] = tokensOf(words[at + 1]?.text ?? '');
    const half = /[\u00AD-]$/.test(word.text) ? tokensOf(word.text).at(-1) : undefined;
    text += half !== undefined && own.has(half + first) ? word.text.slice(0, -1) : `${word.text} `;
  }
  return text;
}

const WORD = /<word xMin="([-\d.]+)" yMin="([-\d.]+)" xMax="([-\d.]+)" yMax="([-\d.]+)">(.*?)<\/word>/g;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function wordsOf(file: string, document: Document): WordIndex {
  const args = ['-bbox', '-cropbox', '-l', String(MAX_PAGES), file, '-'];
  const output = execFileSync('pdftotext', args, {
    encoding: 'utf8',
    maxBuffer: 1 << 30,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const words = output
    .split('<page ')
    .slice(1)
    .flatMap((page, index) => {
      const { width = 0 } = pageSizeOf(document, index + 1) ?? {};
      const scale = width / Number(/width="([\d.]+)"/.exec(page)?.[1] ?? width);
      return Array.from(page.matchAll(WORD), ([, x0, y0, x1, y1, text = '']): ShownWord => ({
        page: index + 1,
        x: (scale * (Number(x0) + Number(x1))) / 2,
        y: (scale * (Number(y0) + Number(y1))) / 2,
        text: text.replace(/&(\w+);/g, (entity, name: string) => ENTITIES[name] ?? entity),
      }));
    });
  return new WordIndex(words);
}

/** Words by page. */
class WordIndex {
  readonly #pages: ReadonlyMap<number, readonly ShownWord[]>;

  constructor(words: readonly ShownWord[]) {
    this.#pages = Map.groupBy(words, ({ page }) => page);
  }

  /** The words whose middle lies in one of the boxes, in poppler's order. */
  within(boxes: readonly Region[]): ShownWord[] {
    const pages = Map.groupBy(boxes, ({ page }) => page);
    return [...pages].flatMap(([page, own]) =>
      (this.#pages.get(page) ?? []).filter(({ x, y }) =>
        own.some(({ x0, y0, x1, y1 }) => x >= x0 && x <= x1 && y >= y0 && y <= y1),
      ),
    );
  }
}

/** A file's name without its folder and ending. */
export function nameOf(file: string): string {
  return path.basename(file, '.pdf');
}
