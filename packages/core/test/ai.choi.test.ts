// The tier with a perfect model and with a guessing one, on the 62 development documents of ten joined topics each
// (Choi 2000). Both models are scripted: the first answers the true boundaries as numbers, the second random ones.
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { documentFromText } from '../src/blocks/index.ts';
import { chunk, chunkSync } from '../src/chunk.ts';
import type { ChunkOptions } from '../src/chunk-options.ts';
import type { Complete } from '../src/complete.ts';
import type { Chunk } from '../src/slice.ts';
import { cutsRequest } from '../src/tiers/ai/prompt.ts';
import { unitsOf } from '../src/tiers/ai/units.ts';
import { windowsOf } from '../src/tiers/ai/windows.ts';
import { type Joined, pk, readJoined } from './joined.ts';
import { answering, hashOf, unitsIn } from '@grainline/testing/language-models';

const FOLDER = path.resolve(import.meta.dirname, '../../../../shared/bench/quality/data/choi');
const FILES = existsSync(FOLDER) ? readdirSync(FOLDER).filter((name) => name.endsWith('.ref')) : [];
const where = FILES.length === 0 ? ' (skipped: the documents are not there)' : '';

/** Answers, window by window, the units at which topics truly begin. */
function knowing({ text, ends, truth }: Joined): Complete {
  const units = unitsOf(documentFromText(text, { kind: 'text' }));
  const begins = new Set(truth.flatMap((isEnd, at) => (isEnd ? [(ends[at] ?? 0) + 1] : [])));
  const answers = new Map(
    windowsOf(text, units).map((window) => {
      const cuts: number[] = [];
      for (let at = window.first + 1; at < window.end; at++)
        if (begins.has(units.starts[at] ?? 0)) cuts.push(at - window.first + 1);
      return [cutsRequest(text, units, window).messages[1]?.content, cuts] as const;
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
  const documents = FILES.map((file) => readJoined(path.join(FOLDER, file)));
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
    // A topic begins at one gap in seven. Naming every second gap is 0.05 worse, a little over the bound here.
    for (const chance of [0.02, 0.07, 0.14, 0.3]) {
      const mean = await meanPk(({ text }) => chunk(text, ai(guessing(chance))));
      console.info(`Pk with noise of ${chance}: ${mean.toFixed(4)}, structure's ${structure.toFixed(4)}`);
      expect(mean).toBeLessThanOrEqual(structure + 0.05);
    }
  });
});
