// Runs today's server on a store that an earlier version filled: paid responses are repeated, interrupted work goes on,
// and requests keep their fingerprints.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CanonicalRequest, fingerprint, memoOf } from '@grainline/x402';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ScriptedModel, startScriptedModel } from '@grainline/testing/scripted-model/server';
import { type RunningService, startService } from '../../src/main/server.ts';
import { readSettings } from '../../src/settings/settings.ts';
import { createLanguageModel } from '../../src/models/language-model.ts';
import { createWorkerPool } from '../../src/sandbox/index.ts';
import { FROM_SOURCES } from '../sandbox/tasks.ts';
import { fakeChain, PAY_TO, USDC } from '../payments/fake-chain.ts';
import { fakePaymentNetwork } from '../payments/paid-service.ts';
import { createDatabase, hasPostgres } from '@grainline/testing/postgres-server';
import { loadSqlite } from './dump.ts';
import {
  type Engine,
  type Filled,
  FIXTURES,
  questionName,
  readFixture,
  sendFilled,
  sha256,
} from './manifest.ts';

/** Time after the snapshot: all leases have run out, and no result has expired. */
const LATER_MS = 5 * 60_000;
const ENDS: (() => unknown)[] = [];
afterAll(async () => {
  for (const end of ENDS.reverse()) await end();
});

/** Loads the fixture into a store of its own; returns its settings. */
async function loadStore(engine: Engine, sql: string): Promise<Readonly<Record<string, string>>> {
  if (engine === 'postgres') {
    const database = await createDatabase();
    ENDS.push(() => database.drop());
    await database.query(sql);
    return { DATABASE_URL: database.url };
  }
  const folder = mkdtempSync(join(tmpdir(), 'grainline-filled-'));
  ENDS.push(() => {
    rmSync(folder, { recursive: true });
  });
  loadSqlite(folder, sql);
  return { DATA_DIR: folder };
}

for (const engine of ['sqlite', 'postgres'] as const) {
  describe.skipIf(engine === 'postgres' && !(await hasPostgres()))(`a filled store on ${engine}`, () => {
    const { manifest, sql } = readFixture(engine);
    const startedMs = Date.now();
    const now = (): number => manifest.snapshotMs + LATER_MS + Date.now() - startedMs;
    const chain = fakeChain(now);
    const services = new Map<Filled['request']['deployment'], RunningService>();
    let model: ScriptedModel;

    beforeAll(async () => {
      model = await startScriptedModel();
      ENDS.push(() => model.stop());
      const store = await loadStore(engine, sql);
      for (const { payment } of manifest.filled) {
        if (payment === undefined) continue;
        const { key, payer, amount, memo } = payment;
        const timeMs = manifest.snapshotMs;
        chain.say(key, { kind: 'found', payer, credited: BigInt(amount), slot: 7n, memos: [memo], timeMs });
      }
      for (const deployment of ['compact', 'primary'] as const) {
        const settings = readSettings({
          ...manifest.settings,
          ...store,
          ...{
            DEPLOYMENT: deployment,
            PORT: '0',
            PAGE: 'off',
            RATE_LIMIT: 'off',
            AI_BASE_URL: model.baseUrl,
          },
          ...{ PAY_TO, NETWORK: 'solana-localnet', USDC_MINT: USDC, PAYMENT_WAIT_MS: '0' },
        });
        const log = { info: () => undefined, warn: () => undefined };
        const languageModel = createLanguageModel({ settings, log, now });
        const service = await startService(settings, {
          now,
          languageModel,
          // Child processes: the journal's keys hash requests in the form in which they leave one.
          workerPool: createWorkerPool(
            { ...settings, aiAtOnce: settings.aiAtOnce + settings.jobConcurrency },
            { ...FROM_SOURCES, completeFor: (tier) => languageModel.completeFor(tier) },
          ),
          paymentNetwork: fakePaymentNetwork(chain, settings, now),
          log: { write: () => undefined },
          leavingMs: 0,
        });
        ENDS.push(() => service.stop());
        services.set(deployment, service);
        await service.ready;
      }
    });

    const urlOf = (deployment: Filled['request']['deployment']): string =>
      services.get(deployment)?.url ?? 'no service';
    const named = (name: string): Required<Filled> => {
      const found = manifest.filled.find(({ request }) => request.name === name);
      if (found === undefined) throw new Error(`The fixture has no ${name}.`);
      return found as Required<Filled>;
    };
    const send = async ({ request, payment }: Filled) => {
      const response = await sendFilled(urlOf(request.deployment), request, payment?.key);
      return { status: response.status, body: await response.text() };
    };
    const consumed = manifest.filled.filter(({ state }) => state === 'consumed');
    const statusOf = async (jobId: string): Promise<Record<string, unknown>> =>
      (await (await fetch(`${urlOf('primary')}/job/${jobId}/status`)).json()) as Record<string, unknown>;

    it('has every state of a payment that lasts', () => {
      const states = new Set(manifest.filled.map(({ state }) => state));
      expect([...states].sort()).toEqual(['bound', 'consumed', 'free', 'processing', 'released', 'verified']);
      expect(new Set(consumed.map(({ request }) => request.deployment)).size).toBe(2);
    });

    it.each(manifest.filled.filter(({ result }) => result !== undefined))(
      'has the result of $request.name',
      async ({ request, result }) => {
        const response = await fetch(urlOf(request.deployment) + result!.path);
        expect(sha256(new Uint8Array(await response.arrayBuffer()))).toBe(result!.sha256);
      },
    );

    it.each(consumed)('gives the stored answer again: $request.name', async (filled) => {
      expect(await send(filled)).toEqual(filled.answer);
      expect(chain.lookups).not.toContain(filled.payment?.key);
    });

    it.each(consumed)('refuses the used payment for another request: $request.name', async (filled) => {
      const { deployment } = filled.request;
      const other = { path: '/chunk', json: { text: 'Another text.', filename: 'other.md' } };
      const request = { name: 'another', deployment, client: '192.0.2.9', ...other };
      const { status, body } = await send({ ...filled, request });
      expect([status, JSON.parse(body)]).toMatchObject([402, { code: 'payment_already_used' }]);
    });

    it.each(
      manifest.filled.filter(({ request, payment }) => request.json !== undefined && payment !== undefined),
    )('asks for a payment with the memo of then: $request.name', async ({ request, payment }) => {
      const response = await sendFilled(urlOf(request.deployment), request);
      const { paymentRequirements } = (await response.json()) as {
        paymentRequirements: { extra: { memo: string } };
      };
      expect(paymentRequirements.extra.memo).toBe(memoOf(payment!.fingerprint));
    });

    it('counts the pages that a client has had on that day', async () => {
      const { status, body } = await send(named('a free upload behind a link'));
      expect([status, JSON.parse(body)]).toMatchObject([429, { code: 'quota_exceeded' }]);
    });

    it.each(['a request in work', 'an upload in the middle'])(
      'takes the payment of a request that the end of the server broke off: %s',
      async (name) => {
        const filled = named(name);
        const first = await send(filled);
        expect([first.status, JSON.parse(first.body)]).toMatchObject([
          200,
          { success: true, payment: { transaction: filled.payment.key } },
        ]);
        expect(await send(filled)).toEqual(first);
      },
    );

    it('has given back the payment of a document that cannot be read, and refuses it again', async () => {
      const filled = named('a damaged upload');
      const { status, body } = await send(filled);
      const withoutId = (text: string): object => ({ ...JSON.parse(text), request_id: undefined }) as object;
      expect([status, withoutId(body)]).toEqual([filled.answer.status, withoutId(filled.answer.body)]);
    });

    it('tells how the failed job ended', async () => {
      expect(await statusOf(named('a job that failed').jobId)).toMatchObject({
        status: 'failed',
        code: 'corrupted',
      });
    });

    it.each(['a job that is interrupted', 'a job that has not begun'])(
      'works on, to the end: %s',
      async (name) => {
        const { jobId, ...filled } = named(name);
        await expect
          .poll(() => statusOf(jobId), { timeout: 25_000 })
          .toMatchObject({ status: 'completed', progress: 100 });
        const { status, body } = await send(filled);
        const bought = JSON.parse(body) as { total_chunks: number };
        expect([status, bought]).toMatchObject([
          200,
          { job_id: jobId, status: 'completed', payment: { transaction: filled.payment.key } },
        ]);
        const response = await fetch(`${urlOf('primary')}/job/${jobId}/result`);
        const { chunks } = (await response.json()) as { chunks: readonly object[] };
        expect(chunks).toHaveLength(bought.total_chunks);
      },
    );

    it('asks the language model nothing that the journal has, and all that it lacks', () => {
      const requested = new Set(model.calls.map(({ texts }) => questionName(texts)));
      const { answered, unanswered } = manifest.journal;
      expect(answered.length).toBeGreaterThan(0);
      expect(unanswered.length).toBeGreaterThan(0);
      expect(answered.filter((name) => requested.has(name))).toEqual([]);
      expect(unanswered.filter((name) => !requested.has(name))).toEqual([]);
    });
  });
}

interface Vector {
  readonly name: string;
  readonly request: CanonicalRequest;
  readonly memo: string;
}

describe('the fingerprint of a request', () => {
  const text = readFileSync(new URL('fingerprints.json', FIXTURES), 'utf8');
  const { vectors } = JSON.parse(text) as { readonly vectors: readonly Vector[] };

  it.each(vectors)('is that of then: $name', async ({ request, memo }) => {
    expect(memoOf(await fingerprint(request))).toBe(memo);
  });
});
