// The store on an engine: its parts, and the calls that combine several of them.
import { randomUUID } from 'node:crypto';
import { type Lease, spendPayment } from '@grainline/x402';
import { keepBodies, type ObjectStore } from './bodies.ts';
import { type Engine, query, Rollback, type Steps } from './engine.ts';
import { createJobQueue } from './job-queue.ts';
import { createLedger, createPaymentChanges } from './ledger.ts';
import { createPaymentBook } from './payments.ts';
import { createQuotas } from './quota.ts';
import { createResults } from './results.ts';
import type { Delivery } from './responses.ts';
import type { Store } from './store.ts';
import { createSweeper } from './sweep.ts';
import { createWebhookQueue } from './webhooks.ts';

/** The options that both engines share. */
export interface StoreOptions {
  /** Most bytes of free results, compressed, over all processes. */
  readonly maxStoredBytes: number;
  /** Most bytes of paid results and responses, besides the free ones. Default: as much as those. */
  readonly maxPaidBytes?: number | undefined;
  /** Holds the bodies of results. Default: their rows. */
  readonly objects?: ObjectStore | undefined;
  /** Returns a new unguessable text for every lease. Default: a random UUID. */
  readonly createToken?: (() => string) | undefined;
}

/** Creates the store of an engine. Closing the store closes the engine. */
export function createStore(
  engine: Engine,
  { maxStoredBytes, maxPaidBytes = maxStoredBytes, objects, createToken = randomUUID }: StoreOptions,
): Store {
  const changePayment = createPaymentChanges(engine);
  const sweeper = createSweeper(engine);
  const { writePaid, ...results } = createResults(engine, { maxStoredBytes, maxPaidBytes }, sweeper);

  function* commit(lease: Lease, { response, result }: Delivery): Steps<'committed' | 'lost' | 'taken'> {
    const status = yield* changePayment({
      key: lease.key,
      expected: 'written',
      transition: (row, { nowMs }) => spendPayment(row, lease, 'consumed', nowMs),
    });
    if (status === 'lost') return 'lost';
    const answer = { key: lease.key, response };
    const written = yield* writePaid({ answer, ...(result === undefined ? {} : { result }) });
    if (written === 'taken') throw new Rollback<'taken'>(written);
    return 'committed';
  }

  const rows: Store = {
    ...createQuotas(engine),
    ...results,
    ...createLedger(engine, changePayment, { createToken }),
    ...createPaymentBook(engine, changePayment),
    ...createJobQueue(engine, { changePayment, createToken, writePaid }),
    ...createWebhookQueue(engine, createToken),
    async paidRoom() {
      engine.requireDisk();
      return results.paidRoom();
    },
    commit: (lease, work) => engine.transaction('durable', () => commit(lease, work)),
    sweep: sweeper.sweep,
    async ping() {
      engine.requireDisk();
      // A write: an engine that only reads, or has no room, still answers reads.
      await engine.change('quick', () => query(engine.dialect.touch));
    },
    close: () => engine.close(),
  };
  return keepBodies(rows, objects);
}
