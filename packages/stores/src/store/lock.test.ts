// The lock of a source at the moments that the contract of the databases cannot reach: between its requests.
import type { SourceLock } from '@grainline/core';
import { describe, expect, it } from 'vitest';
import type { Connection } from '../connection.ts';
import { memory } from '../databases/memory/index.ts';
import { lockSource } from './lock.ts';

const TTL_MS = 1000;

/** What happens behind a request of an owner. */
type During = (request: string) => Promise<void> | void;

/** A source that several owners lock, each with its own view of the requests, at one clock. */
async function openSource(): Promise<{
  clock: { ms: number };
  lock: (owner: string, during?: During) => Promise<SourceLock>;
}> {
  const clock = { ms: 1 };
  const address = { folder: '', collection: crypto.randomUUID() } as never;
  const connection = await memory.connect({ address, load: () => Promise.reject(new Error()), timeoutMs: 1 });
  await connection.createManifest(3);
  const retry = { now: () => clock.ms, random: () => 0, wait: () => Promise.resolve() };
  const watched = (during: During): Connection => ({
    ...connection,
    async getNotes(ids) {
      const notes = await connection.getNotes(ids);
      await during('get');
      return notes;
    },
    async putNotes(notes) {
      await connection.putNotes(notes);
      await during('put');
    },
    async *scanNotes(kind, group) {
      const pages = await Array.fromAsync(connection.scanNotes(kind, group));
      await during('scan');
      yield* pages;
    },
  });
  return {
    clock,
    lock: (owner, during = () => undefined) =>
      lockSource(
        { connection: watched(during), call: (action) => action(), retry },
        { source: 'docs', owner, ttlMs: TTL_MS, run: undefined },
      ),
  };
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
      const { clock, lock } = await openSource();
      const first = await lock('first', async (request) => {
        if (!isRenewal || request !== moment) return;
        clock.ms += TTL_MS;
        const second = await lock('second');
        if (state === 'has had the source') await second.release();
      });
      isRenewal = true;
      const { expiresMs } = first;
      await expect(first.renew()).rejects.toMatchObject({ code: 'lock_lost' });
      expect(first.expiresMs).toBe(expiresMs);
    },
  );

  it('does not last longer before its renewal is stored', async () => {
    let isAway = false;
    const { clock, lock } = await openSource();
    const first = await lock('first', (request) => {
      if (isAway && request === 'put') throw new Error('away');
    });
    isAway = true;
    const { expiresMs } = first;
    clock.ms += TTL_MS / 2;
    await expect(first.renew()).rejects.toThrow('away');
    expect(first.expiresMs).toBe(expiresMs);
  });

  it('stays with an owner that renews it while another one reads the claims', async () => {
    const { clock, lock } = await openSource();
    const first = await lock('first');
    clock.ms += TTL_MS - 1;
    const second = lock('second', async (request) => {
      if (request !== 'scan' || clock.ms >= TTL_MS + 1) return;
      await first.renew();
      clock.ms = TTL_MS + 1;
    });
    await expect(second).rejects.toMatchObject({ code: 'locked' });
    await first.renew();
  });

  it('is renewed by one claim at a time', async () => {
    const { clock, lock } = await openSource();
    const requests: string[] = [];
    const first = await lock('first', (request) => void requests.push(request));
    clock.ms += TTL_MS / 2;
    await Promise.all([first.renew(), first.renew()]);
    expect(requests.slice(2)).toEqual(['get', 'put']);
    await first.renew();
    expect(requests).toHaveLength(6);
  });
});
