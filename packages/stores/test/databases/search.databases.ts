// The clients of Elasticsearch and OpenSearch against a server that checks the documented rules.
import { describeContract } from '../contract.ts';
import { load } from './peers.ts';
import { describeRefusals } from './refusals.ts';
import { type Product, startSearch } from './search-server.ts';

const basic = `Basic ${Buffer.from('reader:search-secret').toString('base64')}`;

for (const product of ['Elasticsearch', 'OpenSearch'] satisfies Product[]) {
  const scheme = product.toLowerCase();
  describeContract(product, async () => {
    const { port, close } = await startSearch(product, basic);
    return {
      url: (collection) => `${scheme}://reader:search-secret@127.0.0.1:${port}/${collection}`,
      options: { load },
      makeForeign: async (collection) => {
        await fetch(`http://127.0.0.1:${port}/${collection}`, {
          method: 'PUT',
          headers: { authorization: basic, 'content-type': 'application/json' },
          body: JSON.stringify({ mappings: { properties: { a: { type: 'keyword' } } } }),
        });
      },
      close,
    };
  });

  describeRefusals(product, {
    start: () => startSearch(product, basic),
    url: (port, secret) => `${scheme}://reader:${secret}@127.0.0.1:${port}/refused`,
  });
}

describeContract('Elasticsearch with an API key', async () => {
  const { port, close } = await startSearch('Elasticsearch', 'ApiKey the-api-key');
  return {
    url: (collection) => `elasticsearch://:the-api-key@127.0.0.1:${port}/${collection}`,
    options: { load },
    makeForeign: async (collection) => {
      await fetch(`http://127.0.0.1:${port}/${collection}`, {
        method: 'PUT',
        headers: { authorization: 'ApiKey the-api-key', 'content-type': 'application/json' },
        body: JSON.stringify({ mappings: { properties: { a: { type: 'keyword' } } } }),
      });
    },
    close,
  };
});
