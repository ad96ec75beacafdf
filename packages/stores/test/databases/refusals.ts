// A database that is away, and one that refuses the credentials: one sentence, the right code, nothing written, and no
// secret anywhere in the error or the store.
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { openStore } from '../../src/index.ts';
import { SPEC } from '../samples.ts';
import { load } from './peers.ts';

const WRONG = 'a-wrong-secret/with+marks';

/** Describes the two refusals of an adapter. */
export function describeRefusals(
  name: string,
  database: {
    readonly start: () => Promise<{ readonly port: number; readonly close: () => Promise<void> }>;
    /** The URL with a secret, which is percent-encoded. */
    readonly url: (port: number, secret: string) => string;
  },
): void {
  describe(`${name} refuses`, () => {
    const waits: number[] = [];
    const options = {
      load,
      env: {},
      random: () => 0,
      wait: (ms: number) => {
        waits.push(ms);
        return Promise.resolve();
      },
    };

    it('wrong credentials, without a retry', async () => {
      const { port, close } = await database.start();
      const store = await openStore(database.url(port, encodeURIComponent(WRONG)), options);
      const error: unknown = await store.prepare(SPEC).catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code: 'unauthorized' });
      expect(waits).toEqual([]);
      const printed = inspect([error, store], { depth: 20, showHidden: true });
      expect(printed).not.toContain(WRONG);
      expect(printed).not.toContain(encodeURIComponent(WRONG));
      await store.close();
      await close();
    });

    it('to answer when it is away: five attempts with growing waits', async () => {
      const { port, close } = await database.start();
      await close();
      const store = await openStore(database.url(port, encodeURIComponent(WRONG)), options);
      const error: unknown = await store.inspect().catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code: 'unavailable' });
      expect(waits).toEqual([200, 400, 800, 1600]);
      expect(inspect(error, { depth: 20, showHidden: true })).not.toContain(WRONG);
      await store.close();
    });
  });
}
