// Pinecone's own client against a server that checks the documented rules.
import { describeContract } from '../contract.ts';
import { load } from './peers.ts';
import { startPinecone } from './pinecone-server.ts';
import { describeRefusals } from './refusals.ts';

const KEY = 'pinecone-secret-key';
const urlOf = (port: number, key: string, collection: string): string =>
  `pinecone://${key}@documents/${collection}?controller=${encodeURIComponent(`http://127.0.0.1:${port}`)}`;

describeContract('Pinecone', async () => {
  const { port, close } = await startPinecone(KEY);
  const post = (path: string, body: object): Promise<Response> =>
    fetch(`http://127.0.0.1:${port}${path}`, {
      method: 'POST',
      headers: { 'api-key': KEY, 'x-pinecone-api-version': '2026-07', 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  return {
    url: (collection) => urlOf(port, KEY, collection),
    options: { load },
    // An index has one number of dimensions for all its namespaces.
    hasFixedDimensions: true,
    makeForeign: async (namespace) => {
      const deployment = { deployment_type: 'managed', cloud: 'aws', region: 'us-east-1' };
      const field = { type: 'dense_vector', dimension: 16, metric: 'dotproduct' };
      await post('/indexes', { name: 'documents', schema: { fields: { _values: field } }, deployment });
      const values = Array.from({ length: 16 }, () => 1);
      await post('/vectors/upsert', { namespace, vectors: [{ id: 'a', values, metadata: {} }] });
    },
    close,
  };
});

describeRefusals('Pinecone', {
  start: () => startPinecone(KEY),
  url: (port, secret) => urlOf(port, secret, 'refused'),
});
