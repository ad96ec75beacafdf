import { DatabaseSync } from 'node:sqlite';
import { type Finality, PaymentProblem } from '@grainline/x402';
import { beforeEach, describe, expect, it } from 'vitest';
import { recheckPayments } from '../../src/payments/recheck.ts';
import { storeIn } from '../../src/store/sqlite/index.ts';
import { migrate } from '../../src/store/sqlite/schema.ts';
import type { Store } from '../../src/store/store.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const MINUTE_MS = 60_000;
const RESPONSE = { status: 200, headers: {}, gzip: new Uint8Array([1]), expiresMs: NOW + 3_600_000 };

let store: Store;
let nowMs: number;
/** The chain's finality of each key; a call with another key fails. */
let chainSays: Map<string, Finality>;
let checkedKeys: string[];
let lines: { level: string; fields: Readonly<Record<string, unknown>>; message: string }[];

beforeEach(() => {
  nowMs = NOW;
  const database = new DatabaseSync(':memory:');
  migrate(database);
  store = storeIn({ quick: database, durable: database }, { maxStoredBytes: 1e9, now: () => nowMs });
  chainSays = new Map();
  checkedKeys = [];
  lines = [];
});

async function commitSale(key: string, finality?: Finality, payer = `payer of ${key}`): Promise<void> {
  const answer = await store.reserve(key, 1000);
  if (answer.kind !== 'reserved') throw new Error(answer.kind);
  await store.recordVerified(answer.lease, { payer, credited: 2_500n, slot: 7n });
  await store.bind(answer.lease, { fingerprint: 'f', price: 2_000n, product: 'structure' });
  await store.commit(answer.lease, { response: RESPONSE });
  if (finality !== undefined) chainSays.set(key, finality);
  nowMs++;
}

const pass = (limit = 100, signal?: AbortSignal) =>
  recheckPayments({
    store,
    chain: {
      finality(key, { slot }) {
        checkedKeys.push(key);
        // Without it no payment would ever be called vanished.
        expect(slot).toBe(7n);
        const finality = chainSays.get(key);
        return finality === undefined
          ? Promise.reject(new PaymentProblem('chain_unavailable'))
          : Promise.resolve(finality);
      },
    },
    now: () => nowMs,
    log: {
      error: (fields, message) => void lines.push({ level: 'error', fields, message }),
      warn: (fields, message) => void lines.push({ level: 'warn', fields, message }),
    },
    limit,
    ...(signal === undefined ? {} : { signal }),
  });
const none = { finalized: 0, pending: 0, vanished: 0, unchecked: 0 };

describe('the second look at payments', () => {
  it('asks about each consumed payment until it is final, and never again', async () => {
    await commitSale('one', 'finalized');
    await commitSale('two', 'pending');
    const free = await store.reserve('reserved', 1000);
    expect(free.kind).toBe('reserved');
    expect(await pass()).toEqual({ ...none, finalized: 1, pending: 1 });
    expect(checkedKeys.splice(0)).toEqual(['one', 'two']);
    chainSays.set('two', 'finalized');
    expect(await pass()).toEqual({ ...none, finalized: 1 });
    expect(checkedKeys.splice(0)).toEqual(['two']);
    expect(await pass()).toEqual(none);
    expect(checkedKeys).toEqual([]);
    expect(lines).toEqual([]);
  });

  it('raises an alarm for one that vanished, once, blocks its payer, and leaves the answer', async () => {
    await commitSale('one', 'vanished', 'thief');
    await commitSale('two', 'finalized', 'honest');
    expect(await pass()).toEqual({ ...none, vanished: 1, finalized: 1 });
    expect(lines).toEqual([
      {
        level: 'error',
        fields: { alarm: 'payment_vanished', payment: 'one', payer: 'thief', credited: '2500' },
        message: 'a payment that was used has vanished from the chain; its payer is blocked',
      },
    ]);
    expect(await store.paidResponse('one')).toEqual(RESPONSE);
    expect(await store.paymentEntry('one')).toMatchObject({ state: 'consumed', finality: 'vanished' });
    for (const [payer, verdict] of [
      ['thief', 'blocked'],
      ['honest', 'held'],
    ] as const) {
      const answer = await store.reserve(`next of ${payer}`, 1000);
      if (answer.kind !== 'reserved') throw new Error(answer.kind);
      expect(await store.recordVerified(answer.lease, { payer, credited: 1n, slot: 8n })).toBe(verdict);
    }
    expect(await pass()).toEqual(none);
    expect(lines).toHaveLength(1);
  });

  it('asks about so many at most, and in the end about all, although some stay pending', async () => {
    for (let index = 0; index < 7; index++) await commitSale(`payment ${index}`, 'pending');
    await commitSale('last', 'finalized');
    for (let round = 0; round < 3; round++) {
      await pass(3);
      nowMs++;
    }
    expect(checkedKeys).toHaveLength(9);
    expect(new Set(checkedKeys).size).toBe(8);
    expect(await store.paymentEntry('last')).toMatchObject({ finality: 'finalized' });
  });

  it('takes nothing for vanished while the chain cannot be asked, stops soon, and goes on later', async () => {
    for (let index = 0; index < 10; index++) await commitSale(`payment ${index}`);
    expect(await pass()).toEqual({ ...none, unchecked: 3 });
    expect(checkedKeys).toHaveLength(3);
    expect(lines.map(({ level }) => level)).toEqual(['warn', 'warn', 'warn']);
    expect(await store.unsettledConsumed(100)).toHaveLength(10);
    for (let index = 0; index < 10; index++) chainSays.set(`payment ${index}`, 'finalized');
    expect(await pass()).toEqual({ ...none, finalized: 10 });
  });

  it('lets one payment that can never be asked about keep no other waiting', async () => {
    await commitSale('stuck');
    for (let index = 0; index < 5; index++) await commitSale(`payment ${index}`, 'finalized');
    expect(await pass(2)).toEqual({ ...none, unchecked: 1, finalized: 1 });
    nowMs++;
    expect(await pass(4)).toEqual({ ...none, finalized: 4 });
    expect(await pass()).toEqual({ ...none, unchecked: 1 });
  });

  it('says so when a payment is not final after ten minutes', async () => {
    await commitSale('one', 'pending');
    nowMs = NOW + 10 * MINUTE_MS;
    await pass();
    expect(lines).toEqual([]);
    nowMs++;
    await pass();
    expect(lines).toMatchObject([{ level: 'warn', fields: { payment: 'one' } }]);
  });

  it('ends when it is told to', async () => {
    await commitSale('one', 'finalized');
    expect(await pass(10, AbortSignal.abort())).toEqual(none);
    expect(checkedKeys).toEqual([]);
    expect(await store.unsettledConsumed(10)).toHaveLength(1);
  });
});
