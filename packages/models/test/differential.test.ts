// The same counts as others. tiktoken itself (in WebAssembly) is the truth; gpt-tokenizer is the fast second opinion.
// Both lie in packages/models/peers: `npm install --prefix packages/models/peers`.
import { describe, expect, it } from 'vitest';
import { cases } from '@grainline/testing/cases';
import { COUNTERS, type Count, type EncodingName } from '../bench/counters.ts';
import { tokenCounter } from '../src/tokens/counter.ts';
import { createRandom, DISPUTED, randomString, realTexts } from './strings.ts';

const { numRuns: STRINGS, seed: SEED = 20261121 } = cases(4000);

const ORACLES = [
  { name: 'gpt-tokenizer', disputed: [] },
  { name: 'tiktoken (wasm)', disputed: DISPUTED },
] as const;

for (const { name, disputed } of ORACLES) {
  const oracle = COUNTERS.find((counter) => counter.name === name)!;
  const isMissing = oracle.module('o200k') === undefined;
  const title = isMissing ? `${name} (skipped: npm install --prefix packages/models/peers)` : name;
  describe.skipIf(isMissing)(`against ${title}`, () => {
    describe.each(['o200k', 'cl100k'] as const)('%s', (encoding) => {
      const load = async (): Promise<[Count, Count]> => {
        const ours = await tokenCounter(encoding);
        return [(text) => ours.count(text), await oracleOf(encoding)];
      };
      const oracleOf = async (of: EncodingName): Promise<Count> =>
        oracle.create(await import(/* @vite-ignore */ oracle.module(of) ?? ''), of);

      it(`counts ${STRINGS} random strings the same (seed ${SEED})`, { timeout: 600_000 }, async () => {
        const [ours, theirs] = await load();
        const random = createRandom(SEED);
        for (let index = 0; index < STRINGS; index++) {
          const text = randomString(random, disputed);
          if (ours(text) !== theirs(text)) expect([text, ours(text)]).toEqual([text, theirs(text)]);
        }
      });

      it('counts real documents the same', async (context) => {
        const texts = realTexts(60).filter((text) => !DISPUTED.some((character) => text.includes(character)));
        if (texts.length === 0) context.skip('the development corpus is not beside the repository');
        const [ours, theirs] = await load();
        for (const text of texts) expect(ours(text)).toBe(theirs(text));
      });
    });
  });
}
