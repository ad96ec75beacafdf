// What the tier makes of a model that is right and of one that guesses, on the 62 documents of ten joined topics each (Choi
// 2000) that are there for development. No model is asked: the first answers the true boundaries as numbers, the second chance.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { documentFromText } from '../src/blocks/index.ts';
import { chunk, type ChunkOptions, chunkSync } from '../src/chunk.ts';
import type { Complete } from '../src/complete.ts';
import type { Chunk } from '../src/slice.ts';
import { questionOf } from '../src/tiers/ai/question.ts';
import { unitsOf } from '../src/tiers/ai/units.ts';
import { windowsOf } from '../src/tiers/ai/windows.ts';
import { answering, hashOf, unitsIn } from './language-models.ts';

const FOLDER = path.resolve(import.meta.dirname, '../../../../shared/bench/quality/data/choi');
const FILES = existsSync(FOLDER) ? readdirSync(FOLDER).filter((name) => name.endsWith('.ref')) : [];
const where = FILES.length === 0 ? ' (skipped: the documents are not there)' : '';

interface Joined {
  readonly text: string;
  /** Where each sentence ends. */
  readonly ends: readonly number[];
  /** For the gap behind each sentence but the last, whether a topic ends there. */
  readonly truth: readonly boolean[];
}

const joined = (file: string): Joined => {
  const sentences: string[] = [];
  const truth: boolean[] = [];
  for (const line of readFileSync(path.join(FOLDER, file), 'utf8').split('\n')) {
    if (/^=+$/.test(line.trim())) {
      if (truth.length > 0) truth[truth.length - 1] = true;
    } else if (line.trim() !== '') {
      sentences.push(line.trim());
      truth.push(false);
    }
  }
  let end = -1;
  return {
    text: sentences.join(' '),
    ends: sentences.map(({ length }) => (end += length + 1)),
    truth: truth.slice(0, -1),
  };
};

/** Share of windows of half a mean topic's length of which only one of both says that they lie inside one topic. */
function pk({ ends, truth }: Joined, chunks: readonly Chunk[]): number {
  const found = truth.map(() => false);
  for (const { end } of chunks.slice(0, -1)) {
    const away = (at: number): number => Math.abs((ends[at] ?? 0) - end);
    let nearest = 0;
    for (const at of truth.keys()) if (away(at) < away(nearest)) nearest = at;
    found[nearest] = true;
  }
  const topics = truth.filter(Boolean).length + 1;
  const width = Math.max(2, Math.round((truth.length + 1) / topics / 2));
  let [wrong, all] = [0, 0];
  for (let at = 0; at + width <= truth.length; at++, all++)
    if (truth.slice(at, at + width).includes(true) !== found.slice(at, at + width).includes(true)) wrong++;
  return wrong / all;
}

/** Answers, window by window, the units at which topics truly begin. */
function knowing({ text, ends, truth }: Joined): Complete {
  const units = unitsOf(documentFromText(text, { kind: 'text' }));
  const begins = new Set(truth.flatMap((isEnd, at) => (isEnd ? [(ends[at] ?? 0) + 1] : [])));
  const answers = new Map(
    windowsOf(text, units).map((window) => {
      const cuts: number[] = [];
      for (let at = window.first + 1; at < window.end; at++)
        if (begins.has(units.starts[at] ?? 0)) cuts.push(at - window.first + 1);
      return [questionOf(text, units, window).messages[1]?.content, cuts] as const;
    }),
  );
  return ({ messages }) => Promise.resolve(answering({ cuts: answers.get(messages[1]?.content) }));
}

/** Answers each number with the same chance. */
const guessing =
  (chance: number): Complete =>
  (request) => {
    const of = hashOf(request.messages[1]?.content ?? '');
    const cuts = unitsIn(request).map((_, at) => at + 1);
    return Promise.resolve(
      answering({ cuts: cuts.filter((number) => hashOf(`${of} ${number}`) % 100 < 100 * chance) }),
    );
  };

describe.skipIf(FILES.length === 0)(`the tier ai on joined topics${where}`, () => {
  const documents = FILES.map(joined);
  const limits = { kind: 'text', size: 4000, min: 0 } as const;
  const meanPk = async (cut: (document: Joined) => Chunk[] | Promise<Chunk[]>): Promise<number> => {
    let sum = 0;
    for (const document of documents) sum += pk(document, await cut(document));
    return sum / documents.length;
  };
  const ai = (complete: Complete): ChunkOptions => ({ ...limits, tier: 'ai', complete });

  it('follows a model that is right', async () => {
    const mean = await meanPk((document) => chunk(document.text, ai(knowing(document))));
    console.info(`Pk with the true boundaries: ${mean.toFixed(4)}`);
    expect(mean).toBeLessThanOrEqual(0.03);
  });

  it('is hardly worse than structure with a model that guesses', async () => {
    const structure = await meanPk(({ text }) => chunkSync(text, { ...limits, tier: 'structure' }));
    // A topic begins at one gap in seven. Naming every second gap is 0.05 worse, a little over what is asked here.
    for (const chance of [0.02, 0.07, 0.14, 0.3]) {
      const mean = await meanPk(({ text }) => chunk(text, ai(guessing(chance))));
      console.info(`Pk with noise of ${chance}: ${mean.toFixed(4)}, structure's ${structure.toFixed(4)}`);
      expect(mean).toBeLessThanOrEqual(structure + 0.05);
    }
  });
});
