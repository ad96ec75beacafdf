// The errors of a store's last call, at which a database in this process writes its indexes.
import { expect, it } from 'vitest';
import { parseAddress } from '../address.ts';
import type { Connection } from '../connection.ts';
import { memory } from '../databases/memory/index.ts';
import { createStore } from './create-store.ts';

it('a store that cannot be closed names its database, and hides the secrets of the reason', async () => {
  const address = { ...parseAddress('memory:x', memory.url, {}), secrets: ['hush'] };
  const store = createStore({
    adapter: memory,
    address,
    connection: { close: () => Promise.reject(new Error('No space left on hush')) } as unknown as Connection,
    retry: { now: () => 0, random: () => 0, wait: () => Promise.resolve(), attempts: 1, timeoutMs: 1000 },
    newOwner: () => 'one',
  });
  await expect(store.close()).rejects.toMatchObject({
    code: 'rejected',
    message: expect.stringMatching(/at memory:x rejects the request: No space left on \*\*\*\./) as string,
  });
});
