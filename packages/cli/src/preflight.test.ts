import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ServicePlace } from './arguments.ts';
import { createPreflight } from './preflight.ts';

const INFO = {
  tiers: [{ id: 'ai', path: '/chunk/ai', amount: 10_000, available: true }],
  upload_types: ['pdf'],
};
const NOTES = { bytes: new TextEncoder().encode('# Tides'), filename: 'a.md' };

let place: ServicePlace;
/** Questions that wait for their answer. */
let asked: ServerResponse[];
let hear: () => void;
const server = createServer((_, response) => {
  asked.push(response);
  hear();
});

beforeEach(async () => {
  asked = [];
  hear = () => undefined;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const remote = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const wallet = { keypair: 'id.json', maxCost: 1n, network: 'solana-devnet', rpcUrl: remote } as const;
  place = { remote, wallet };
});

afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const nextQuestion = (): Promise<void> => new Promise((resolve) => (hear = resolve));

it('asks once for all, and again for who is left when the one who asked has gone', async () => {
  const preflight = createPreflight(place, false);
  const gone = new AbortController();
  const here = new AbortController();
  const first = preflight('ai', NOTES, gone.signal);
  const second = preflight('ai', NOTES, here.signal);
  const third = preflight('ai', NOTES, here.signal);
  const all = Promise.allSettled([first, second, third]);
  if (asked.length === 0) await nextQuestion();
  const again = nextQuestion();
  gone.abort(new Error('gone'));
  await again;
  asked.at(-1)?.end(JSON.stringify(INFO));
  expect(await all).toMatchObject([
    { status: 'rejected', reason: { message: 'gone' } },
    { status: 'rejected', reason: { code: 'not_paid' } },
    { status: 'rejected', reason: { code: 'not_paid' } },
  ]);
  expect(asked.length).toBe(2);
});
