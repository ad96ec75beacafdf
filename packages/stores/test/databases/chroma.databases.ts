// Chroma, for real, and its client against a server that refuses it.
import { describeContract } from '../contract.ts';
import { startChroma } from './chroma-process.ts';
import { load } from './peers.ts';
import { describeRefusals } from './refusals.ts';
import { Rejection, serve } from './server.ts';

describeContract('Chroma', async () => {
  const { port, client, close } = await startChroma();
  return {
    url: (collection) => `chroma://127.0.0.1:${port}/${collection}`,
    options: { load },
    makeForeign: async (collection) => {
      await client.createCollection({ name: collection, embeddingFunction: null });
    },
    close,
  };
});

describeRefusals('Chroma', {
  start: () =>
    serve(
      () => {
        throw new Rejection(401, 'Unauthorized');
      },
      { errorBody: ({ message }) => ({ error: 'AuthError', message }) },
    ),
  url: (port, secret) => `chroma://${secret}@127.0.0.1:${port}/refused`,
});
