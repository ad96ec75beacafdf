// Qdrant's own client against a server that checks the documented rules.
import { describeContract } from '../contract.ts';
import { load } from './peers.ts';
import { startQdrant } from './qdrant-server.ts';
import { describeRefusals } from './refusals.ts';

const KEY = 'qdrant-secret-key';

interface QdrantModule {
  readonly QdrantClient: new (options: object) => {
    createCollection(name: string, options: object): Promise<unknown>;
  };
}

describeContract('Qdrant', async () => {
  const { port, close } = await startQdrant(KEY);
  return {
    url: (collection) => `qdrant://${KEY}@127.0.0.1:${port}/${collection}`,
    options: { load },
    makeForeign: async (collection) => {
      const { QdrantClient } = (await load('@qdrant/js-client-rest')) as QdrantModule;
      const client = new QdrantClient({
        host: '127.0.0.1',
        port,
        https: false,
        apiKey: KEY,
        checkCompatibility: false,
      });
      await client.createCollection(collection, { vectors: { a: { size: 4, distance: 'Dot' } } });
    },
    close,
  };
});

describeRefusals('Qdrant', {
  start: async () => startQdrant(KEY),
  url: (port, secret) => `qdrant://${secret}@127.0.0.1:${port}/refused`,
});
