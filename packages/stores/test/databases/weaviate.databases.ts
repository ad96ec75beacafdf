// Weaviate's own client against servers that check the documented rules, over REST and gRPC.
import { describe, expect, it } from 'vitest';
import { openStore } from '../../src/index.ts';
import { describeContract } from '../contract.ts';
import { SPEC } from '../samples.ts';
import { load } from './peers.ts';
import { describeRefusals } from './refusals.ts';
import { startWeaviate } from './weaviate-server.ts';

const KEY = 'weaviate-secret-key';
const urlOf = (port: number, grpcPort: number, key: string, collection: string): string =>
  `weaviate://${key}@127.0.0.1:${port}/${collection}?grpc=127.0.0.1:${grpcPort}`;

describeContract('Weaviate', async () => {
  const { port, grpcPort, close } = await startWeaviate(KEY);
  return {
    url: (collection) => urlOf(port, grpcPort, KEY, collection),
    options: { load },
    makeForeign: async (collection) => {
      const name = collection.charAt(0).toUpperCase() + collection.slice(1);
      await fetch(`http://127.0.0.1:${port}/v1/schema`, {
        method: 'POST',
        headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
        body: JSON.stringify({ class: name, properties: [], vectorConfig: {} }),
      });
    },
    close,
  };
});

describeRefusals('Weaviate', {
  start: () => startWeaviate(KEY),
  // Its two ports are those of one server, which is away as a whole.
  url: (port, secret) => urlOf(port, port, secret, 'refused'),
});

describe('Weaviate', () => {
  it('is refused before anything is written when gRPC does not answer', async () => {
    const { port, close } = await startWeaviate(KEY);
    const options = { load, wait: () => Promise.resolve() };
    const store = await openStore(urlOf(port, 1, KEY, 'no_grpc'), options);
    await expect(store.prepare(SPEC)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('?grpc=HOST:50051') as string,
    });
    const schema = await fetch(`http://127.0.0.1:${port}/v1/schema`, {
      headers: { authorization: `Bearer ${KEY}` },
    });
    expect(await schema.json()).toEqual({ classes: [] });
    await store.close();
    await close();
  });
});
