import { expect, it } from 'vitest';
import type { Chunker } from './ports.ts';
import { serve } from './serve.ts';

it('says how far a call is before it is answered, and nothing of it afterwards', async () => {
  const chunk: Chunker['chunk'] = ({ documentId }, { tier }, { onProgress }) => {
    for (const share of [0, 0.5, 1]) onProgress(share, 'cutting');
    return Promise.resolve({ tier, documentId, records: [], outline: [], warnings: [] });
  };
  const messages: { method?: string; id?: number; params?: { progress?: number } }[] = [];
  const ask = (id: number, method: string, params: object): string =>
    `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`;
  await serve({
    version: '0',
    // eslint-disable-next-line @typescript-eslint/require-await
    stdin: (async function* () {
      const clientInfo = { name: 'test', version: '1' };
      yield ask(0, 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
      const call = { name: 'chunk_text', arguments: { text: 'Text.' }, _meta: { progressToken: 7 } };
      yield ask(1, 'tools/call', call);
    })(),
    stdout: {
      write(text, done) {
        messages.push(JSON.parse(text) as (typeof messages)[number]);
        // A slow stream, like a pipe.
        setTimeout(done, 1);
        return true;
      },
      on: () => undefined,
    },
    log: () => undefined,
    signal: new AbortController().signal,
    roots: [],
    chunker: { tiers: ['structure'], chunk },
    service: undefined,
    describe: String,
  });
  const steps = messages.map(({ id, params }) => id ?? params?.progress);
  expect(steps).toEqual([0, 0, 0.5, 1, 1]);
  expect(messages.at(-1)?.id).toBe(1);
});
