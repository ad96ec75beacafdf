// The errors of a store over connections that answer as a test says.
import { expect, it } from 'vitest';
import { parseAddress } from '../address.ts';
import type { Connection } from '../connection.ts';
import { memory } from '../databases/memory/index.ts';
import { SPEC } from '../../test/samples.ts';
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

it.each(['inspect', 'list', 'search'] as const)(
  'a store of another layout is refused by %s',
  async (name) => {
    const note = { id: 'x', kind: 'spec', group: '', value: JSON.stringify({ layout: 99, ...SPEC }) };
    const connection = {
      exists: () => Promise.resolve({ chunks: true, manifest: true }),
      getNotes: () => Promise.resolve([note]),
    } as unknown as Connection;
    const store = createStore({
      adapter: memory,
      address: parseAddress('memory:x', memory.url, {}),
      connection,
      retry: { now: () => 0, random: () => 0, wait: () => Promise.resolve(), attempts: 1, timeoutMs: 1000 },
      newOwner: () => 'one',
    });
    const calls = {
      inspect: () => store.inspect(),
      list: () => store.list('a'),
      search: () => store.search({ text: 'a' }),
    };
    await expect(calls[name]()).rejects.toMatchObject({
      code: 'other_layout',
      message: expect.stringContaining('has layout 99') as string,
    });
  },
);
