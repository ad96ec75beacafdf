// The lock of a source, on databases of which most have no transaction. Each process writes a claim under its own name,
// then reads all claims, and holds the source only when no other claim is valid. Of two processes at least one reads
// after both have written, so never do both hold it (the flag principle; Herlihy and Shavit, The Art of Multiprocessor
// Programming, section 2.3). Two that meet withdraw and try again after a random wait. Claims expire by the clocks of
// the processes, which may differ by some seconds. A claim is renewed before it expires, or lost.
import { type SourceLock, type StoreRun, VectorStoreError } from '@grainline/core';
import type { Connection, Note } from '../connection.ts';
import { type Call, lockLost, type RetryDeps } from './calls.ts';
import { groupOf, noteId } from './manifest.ts';

interface Claim {
  readonly owner: string;
  readonly source: string;
  readonly expiresMs: number;
}

/** The parts of a store that its locks use. */
export interface LockDeps {
  readonly connection: Connection;
  readonly call: Call;
  readonly retry: Pick<RetryDeps, 'now' | 'random' | 'wait'>;
}

/** Rounds in which two processes that claim at the same moment find an order. */
const ROUNDS = 4;
const LONGEST_PAUSE_MS = 400;

/**
 * Takes the lock of a source.
 *
 * @throws VectorStoreError `locked`
 */
export async function lockSource(
  { connection, call, retry }: LockDeps,
  { source, owner, ttlMs, run }: { source: string; owner: string; ttlMs: number; run: StoreRun | undefined },
): Promise<SourceLock> {
  const id = noteId('lock', source, owner);
  let expiresMs = 0;
  let isReleased = false;
  let renewal: Promise<void> | undefined;

  const withdraw = (): Promise<void> => call(() => connection.removeNotes([id]));
  /** Writes the claim and returns the time at which it ends. */
  const putClaim = async (signal: StoreRun | undefined): Promise<number> => {
    const value: Claim = { owner, source, expiresMs: retry.now() + ttlMs };
    const note: Note = { id, kind: 'lock', group: groupOf(source), value: JSON.stringify(value) };
    await call(() => connection.putNotes([note]), signal);
    return value.expiresMs;
  };
  /** Writes the claim and returns those of others that are valid; removes the expired ones. */
  const claim = async (signal: StoreRun | undefined): Promise<Claim[]> => {
    // Not before it is stored: until then, others see the claim before.
    expiresMs = await putClaim(signal);
    return claimsOfOthers({ connection, call, retry }, { owner, source }, signal);
  };

  const acquire = async (): Promise<void> => {
    for (let round = 1; ; round++) {
      const [other] = await claim(run);
      if (other === undefined) return;
      await withdraw();
      if (round >= ROUNDS) throw lockedBy(other, retry.now());
      await retry.wait(retry.random() * LONGEST_PAUSE_MS, run?.signal);
    }
  };

  const renew = async (again: StoreRun | undefined): Promise<void> => {
    const [own] = await call(() => connection.getNotes([id]), again);
    if (own !== undefined && !isReleased) {
      const nextMs = await putClaim(again);
      // When it is stored later, another owner may have had the source meanwhile, and be done with it.
      if (retry.now() < expiresMs) {
        expiresMs = nextMs;
        return;
      }
      await withdraw();
    }
    throw lockLost(source);
  };

  try {
    await acquire();
  } catch (error) {
    // An aborted call leaves no claim. The database may be away: then the claim expires.
    await withdraw().catch(() => undefined);
    throw error;
  }
  return {
    owner,
    get expiresMs() {
      return expiresMs;
    },
    renew(again) {
      // One at a time: of two, the claim that ends earlier could be stored last.
      renewal ??= renew(again).finally(() => (renewal = undefined));
      return renewal;
    },
    async release() {
      if (isReleased) return;
      isReleased = true;
      // A renewal on its way would write the claim again.
      await renewal?.catch(() => undefined);
      await withdraw();
    },
  };
}

function lockedBy({ owner, source, expiresMs }: Claim, now: number): VectorStoreError {
  const seconds = Math.max(1, Math.ceil((expiresMs - now) / 1000));
  return new VectorStoreError(
    'locked',
    `Another process (${owner}) loads ${source}; wait for its end, or ${seconds} seconds if it was killed.`,
  );
}

/** The valid claims of other owners; removes their expired ones. */
async function claimsOfOthers(
  { connection, call, retry }: LockDeps,
  { owner, source }: Pick<Claim, 'owner' | 'source'>,
  run: StoreRun | undefined,
): Promise<Claim[]> {
  // Before the claims are read: one that expires meanwhile may be renewed meanwhile.
  const now = retry.now();
  const pages = await call(() => Array.fromAsync(connection.scanNotes('lock', groupOf(source))), run);
  const others = pages
    .flat()
    .map(({ value }) => JSON.parse(value) as Claim)
    .filter((claim) => claim.owner !== owner);
  const expired = others.filter(({ expiresMs }) => expiresMs <= now);
  if (expired.length > 0)
    await call(
      () => connection.removeNotes(expired.map((claim) => noteId('lock', source, claim.owner))),
      run,
    );
  return others.filter(({ expiresMs }) => expiresMs > now);
}
