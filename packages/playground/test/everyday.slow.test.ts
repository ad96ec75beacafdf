// A newcomer's first purchase: everyday texts on the tiers with a language model, on the service as `npm start`
// composes it, with its scripted model and its play money.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@grainline/client';
import { readSettings, type RunningService, startService } from '@grainline/server';
import { startScriptedModel, type ScriptedModel } from '@grainline/testing/scripted-model/server';
import { payingFetch, payWithKeypair } from '@grainline/x402/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { USDC_MINT } from '../src/chain/addresses.ts';
import { type Playground, startPlayground } from '../src/playground.ts';
import { EVERYDAY_TEXTS } from './everyday-texts.ts';

const folder = mkdtempSync(join(tmpdir(), 'grainline-everyday-'));
let playground: Playground;
let service: RunningService;
let scripted: ScriptedModel;

beforeAll(async () => {
  scripted = await startScriptedModel();
  playground = await startPlayground({ chain: { slotMs: 20 } });
  const model = { AI_BASE_URL: scripted.baseUrl, AI_MODEL: scripted.model, AI_PRICE: '0,0' };
  const environment = { ...playground.environment, ...model, PORT: '0', DATA_DIR: folder };
  service = await startService(readSettings(environment), { log: { write: () => undefined } });
  await service.ready;
});
afterAll(async () => {
  await service.stop();
  await Promise.all([playground.stop(), scripted.stop()]);
  rmSync(folder, { recursive: true, force: true });
});

function customer() {
  const [payer] = playground.payers;
  if (payer === undefined) throw new Error('there is one');
  const pay = payWithKeypair({ rpcUrl: playground.chain.url, keypair: payer.keypair });
  const assets = { 'solana-localnet': USDC_MINT };
  return createClient({
    url: service.url,
    // A failure that a newcomer sees must fail here too, and not after a later try.
    tries: 1,
    pay: (fetch) => payingFetch(fetch, { pay, assets, maxAmount: 25_000n, patienceMs: 10_000 }),
  });
}

it.each(
  Object.entries(EVERYDAY_TEXTS).flatMap(([kind, document]) =>
    (['ai', 'ai-pro'] as const).map((tier) => ({ kind, tier, document })),
  ),
)('a $kind passes $tier, with the decisions of the model', async ({ tier, document }) => {
  const answer = await customer().chunk(document, { tier }, { pollMs: 50 });
  expect(answer.tier).toBe(tier);
  expect(answer.metadata).toMatchObject({ language_model: { windows_fallback: [] } });
  const text = answer.chunks.map((chunk) => chunk.text).join('\n');
  for (const word of document.text.match(/\p{L}{3,}/gu) ?? []) expect(text).toContain(word);
});
