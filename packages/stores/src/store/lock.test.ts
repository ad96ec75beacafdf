// The lock of a source at the moments that the contract of the databases cannot reach: between its requests.
import type { SourceLock } from '@grainline/core';
import { describe, expect, it } from 'vitest';
import type { Connection } from '../connection.ts';
import { memory } from '../databases/memory/index.ts';
import { lockSource } from './lock.ts';

const TTL_MS = 1000;

/** Two owners of one source; `during` runs behind the named request of the first one. */
async function twoOwners(
  during: (request: string, second: () => Promise<SourceLock>, clock: { ms: number }) => Promise<void>,
): Promise<{ first: SourceLock; clock: { ms: number } }> {
  const clock = { ms: 1 };
  const address = { folder: '', collection: crypto.randomUUID() } as never;
  const connection = await memory.connect({ address, load: () => Promise.reject(new Error()), timeoutMs: 1 });
  await connection.createManifest(3);
  const retry = { now: () => clock.ms, random: () => 0, wait: () => Promise.resolve() };
  const lock = (owner: string, through: Connection): Promise<SourceLock> =>
    lockSource(
      { connection: through, call: (action) => action(), retry },
      { source: 'docs', owner, ttlMs: TTL_MS, run: undefined },
    );
  const second = (): Promise<SourceLock> => lock('second', connection);
  const watched: Connection = {
    ...connection,
    async getNotes(ids) {
      const notes = await connection.getNotes(ids);
      await during('get', second, clock);
      return notes;
    },
    async putNotes(notes) {
      await connection.putNotes(notes);
      await during('put', second, clock);
    },
  };
  return { first: await lock('first', watched), clock };
}

describe('the lock of a source', () => {
  it.each([
    ['get', 'has the source'],
    ['put', 'has the source'],
    ['get', 'has had the source'],
    ['put', 'has had the source'],
  ])(
    'is lost when it expires within its renewal, behind the request %s, and another owner %s',
    async (moment, state) => {
      let isRenewal = false;
      const { first } = await twoOwners(async (request, second, clock) => {
        if (!isRenewal || request !== moment) return;
        clock.ms += TTL_MS;
        const lock = await second();
        if (state === 'has had the source') await lock.release();
      });
      isRenewal = true;
      const { expiresMs } = first;
      await expect(first.renew()).rejects.toMatchObject({ code: 'lock_lost' });
      expect(first.expiresMs).toBe(expiresMs);
    },
  );

  it('does not last longer before its renewal is stored', async () => {
    let isAway = false;
    const { first, clock } = await twoOwners((request) =>
      isAway && request === 'put' ? Promise.reject(new Error('away')) : Promise.resolve(),
    );
    isAway = true;
    const { expiresMs } = first;
    clock.ms += TTL_MS / 2;
    await expect(first.renew()).rejects.toThrow('away');
    expect(first.expiresMs).toBe(expiresMs);
  });
});
