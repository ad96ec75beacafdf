// The description of the API: that it is one, that it knows every operation, code and field, and that it says the same
// as the checks. That every answer is as it says, `ask` of fake-service.ts holds in all tests that use it.
import { Validator } from '@seriousme/openapi-schema-validator';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '@grainline/testing/cases';
import { describeApi } from '../../src/api/openapi.ts';
import { OPERATION_LIST } from '../../src/api/operations.ts';
import { type Deployment, deploymentOf } from '../../src/catalog.ts';
import { CODES } from '../../src/errors/codes.ts';
import { type RequestField, JOB_FIELDS, OPTION_FIELDS, SOURCE_FIELDS } from '../../src/fields/field-table.ts';
import { tierField, checkJsonFields } from '../../src/requests/fields.ts';
import type { ServiceDeps } from '../../src/routes/deps.ts';
import { jobService } from '../jobs/job-service.ts';
import { openReceiptSigner } from '../../src/payments/receipts.ts';
import { PAY_TO } from '../payments/fake-chain.ts';
import { paidService } from '../payments/paid-service.ts';
import { writeKeyFile } from '../payments/receipt-key.ts';
import { schemaAt, undescribed } from './described.ts';
import { ask, fakeService, form, memoryDownloader, paragraphs } from './fake-service.ts';
import { startTestService } from './running-service.ts';

const DEPLOYMENTS = (['primary', 'compact'] as const).flatMap((deployment) => [
  deploymentOf({ deployment, payments: 'off', payTo: undefined }),
  deploymentOf({ deployment, payments: 'on', payTo: PAY_TO }),
]);
const [PRIMARY, SELLING] = DEPLOYMENTS as [Deployment, Deployment];

interface Document {
  readonly paths: Record<string, Record<string, { responses: Record<string, unknown> }>>;
}

describe('the description', () => {
  it.each(DEPLOYMENTS)('of $name is OpenAPI 3.1', async (deployment) => {
    const { valid, errors } = await new Validator().validate(
      JSON.stringify(describeApi(deployment, '1.0.0'), null, 1),
    );
    expect([valid, errors]).toEqual([true, undefined]);
  });

  it.each(DEPLOYMENTS)('of $name has examples of what it describes', (deployment) => {
    const document = describeApi(deployment, '1.0.0') as {
      components: { examples: Record<string, { value: unknown }> };
    };
    const isError = schemaAt(deployment, ['components', 'schemas', 'Error']);
    for (const { value } of Object.values(document.components.examples))
      expect([isError(value), isError.errors]).toEqual([true, null]);
    const at = ['paths', '/chunk', 'post', 'requestBody', 'content', 'application/json', 'schema'];
    const isOrder = schemaAt(deployment, at);
    const example = { tier: deployment.tiers[0]?.id, text: 'Some text.', chunk_size: 500 };
    expect(isOrder(example)).toBe(true);
    expect(() => checkJsonFields(new Map(Object.entries(example)), deployment)).not.toThrow();
  });

  it('has the paths of payments only where something is sold, as GET / has', () => {
    const pathsOf = (deployment: Deployment): string[] =>
      Object.keys((describeApi(deployment, '1.0.0') as Document).paths);
    const paying = OPERATION_LIST.filter(({ tag }) => tag === 'payments').map(({ path }) => path);
    expect(pathsOf(SELLING)).toEqual(expect.arrayContaining(paying));
    expect(pathsOf(PRIMARY)).toEqual(pathsOf(SELLING).filter((path) => !paying.includes(path)));
  });

  it('knows every code, and under its status', () => {
    const { paths } = describeApi(SELLING, '1.0.0') as Document;
    const text = JSON.stringify(paths);
    for (const code of Object.keys(CODES).filter((name) => name !== 'method_not_allowed'))
      expect(text).toContain(`"${code}"`);
  });

  it('is answered at /openapi.json with the address of the service, and linked from GET /', async () => {
    const running = await startTestService({ DEPLOYMENT: 'compact' });
    const { links } = (await (await fetch(running.url)).json()) as { links: Record<string, string> };
    const response = await fetch(links['openapi'] ?? '');
    const document = (await response.json()) as Document & { servers: { url: string }[] };
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(document.servers).toEqual([{ url: running.url }]);
    expect(Object.keys(document.paths)).toEqual([...new Set(OPERATION_LIST.map(({ path }) => path))]);
    expect(JSON.stringify(document.paths['/chunk/{tier}'])).toContain('"professional"');
    await running.stop();
  });
});

describe('every operation', () => {
  const MEMO = `chunk:1:${'A'.repeat(43)}`;
  /** One request, at least, for each success that the description has. */
  const SUCCESSES: readonly [operation: string, status: number][] = OPERATION_LIST.flatMap((operation) =>
    Object.keys(operation.answers).map((status): [string, number] => [operation.name, Number(status)]),
  );
  const json = (body: object) => ({ body: JSON.stringify(body) });
  const mcp = (message: object) => ({
    ...json({ jsonrpc: '2.0', ...message }),
    headers: { accept: 'application/json, text/event-stream', host: 'localhost' },
  });
  const stored = async () => {
    const service = fakeService();
    const { json: answer } = await ask(service, 'POST /chunk/demo', { body: form(paragraphs(100)) });
    return { service, path: new URL(String(answer['download_url'])).pathname };
  };
  const signing = async () => {
    const file = writeKeyFile();
    return paidService({ RECEIPT_KEY_FILE: file }, { receipts: await openReceiptSigner(file, '1.0.0') });
  };
  const selling = () => {
    const service = paidService();
    const transfers = {
      prepare: () => Promise.resolve({ transaction: 'AA==', lastValidBlockHeight: 7n }),
      send: () => Promise.resolve('5'.repeat(88)),
      find: () => Promise.resolve({ kind: 'paid' as const, key: '5'.repeat(88) }),
    };
    return { ...service, payments: { ...service.payments, transfers: () => transfers } };
  };
  const finishedJob = async (answer: (service: ServiceDeps, id: string) => ReturnType<typeof ask>) => {
    const { service, jobs, until } = jobService();
    jobs.begin();
    try {
      const { json: ticket } = await ask(service, 'POST /chunk/ai-pro', { body: form('One.') });
      await until('completed');
      return await status(answer(service, String(ticket['job_id'])));
    } finally {
      await jobs.close(0);
    }
  };
  const status = async (answer: ReturnType<typeof ask>) => (await answer).status;
  const CALLS: Readonly<Record<string, () => Promise<number>>> = {
    'overview 200': () => status(ask(selling(), 'GET /')),
    'health 200': () => status(ask(fakeService(), 'GET /health')),
    'ready 200': () => status(ask(fakeService(), 'GET /ready')),
    'description 200': () => status(ask(fakeService(), 'GET /openapi.json')),
    'guide 200': () => status(ask(fakeService(), 'GET /llms.txt')),
    'reference 200': () => status(ask(fakeService(), 'GET /llms-full.txt')),
    'paidResources 200': () => status(ask(selling(), 'GET /.well-known/x402')),
    'paymentManifest 200': () => status(ask(selling(), 'GET /.well-known/x402.json')),
    'receiptKeys 200': async () => status(ask(await signing(), 'GET /.well-known/jwks.json')),
    'receiptIdentity 200': async () => status(ask(await signing(), 'GET /.well-known/did.json')),
    'resultReceipt 200': async () => {
      const service = await signing();
      const proof = service.chain.pay(2000n);
      const paid = { headers: { 'x-payment': proof }, body: form('Text.') };
      const { headers } = await ask(service, 'POST /chunk/structure', paid);
      return status(ask(service, `GET ${headers['Content-Location']}/receipt`));
    },
    'chunk 200': () => status(ask(fakeService(), 'POST /chunk', json({ tier: 'free', text: 'Text.' }))),
    'chunkUpload 200': () => status(ask(fakeService(), 'POST /chunk/demo', { body: form('Text.') })),
    'estimate 200': () => status(ask(fakeService(), 'POST /estimate', json({ text: 'Some text.' }))),
    'mcp 200': () => status(ask(fakeService(), 'POST /mcp', { ...mcp({ id: 1, method: 'ping' }) })),
    'mcp 202': () =>
      status(ask(fakeService(), 'POST /mcp', { ...mcp({ method: 'notifications/initialized' }) })),
    'result 200': async () => {
      const { service, path } = await stored();
      return status(ask(service, `GET ${path}`));
    },
    'result 206': async () => {
      const { service, path } = await stored();
      const headers = { 'accept-encoding': 'gzip', range: 'bytes=0-9' };
      return status(ask(service, `GET ${path}`, { headers }));
    },
    'result 304': async () => {
      const { service, path } = await stored();
      return status(ask(service, `GET ${path}`, { headers: { 'if-none-match': '*' } }));
    },
    'deleteResult 204': async () => {
      const { service, path } = await stored();
      return status(ask(service, `DELETE ${path}`));
    },
    'citeQuote 200': async () => {
      const { service, path } = await stored();
      const body = JSON.stringify({
        result_id: path.replace('/results/', ''),
        quote: 'lorem ipsum lorem ipsum',
      });
      return status(ask(service, 'POST /cite', { body }));
    },
    'jobStatus 200': () => finishedJob((service, id) => ask(service, `GET /job/${id}/status`)),
    'jobResult 200': () => finishedJob((service, id) => ask(service, `GET /job/${id}/result`)),
    'jobResult 206': () =>
      finishedJob((service, id) => {
        const headers = { 'accept-encoding': 'gzip', range: 'bytes=0-9' };
        return ask(service, `GET /job/${id}/result`, { headers });
      }),
    'jobResult 304': () =>
      finishedJob((service, id) =>
        ask(service, `GET /job/${id}/result`, { headers: { 'if-none-match': '*' } }),
      ),
    'deleteJobResult 204': () => finishedJob((service, id) => ask(service, `DELETE /job/${id}/result`)),
    'paymentTransaction 200': () =>
      status(ask(selling(), 'POST /payment/transaction', json({ payer: PAY_TO, tier: 'structure' }))),
    'paymentFind 200': () =>
      status(ask(selling(), 'POST /payment/find', json({ memo: MEMO, tier: 'structure' }))),
    'paymentSend 200': () => status(ask(selling(), 'POST /payment/send', json({ transaction: 'AA==' }))),
  };

  it.each(SUCCESSES)('%s answers %i as described', async (operation, described) => {
    expect(await CALLS[`${operation} ${described}`]?.()).toBe(described);
  });

  const TEXT = '# Tides\n\nHigh water follows the moon.\n\n## Neaps\n\nLow water. It comes twice.';
  const FORMATS = ['raw', 'pinecone', 'weaviate', 'chroma', 'qdrant'];
  const TIERS = ['free', 'structure', 'semantic', 'standard', 'professional'];
  it.each(FORMATS.flatMap((format) => TIERS.map((tier) => [format, tier] as const)))(
    'answers in the format %s on the tier %s as described',
    async (format, tier) => {
      const deployment = ['standard', 'professional'].includes(tier) ? 'compact' : 'primary';
      const url = 'https://a.example/tides.md';
      const service = fakeService(
        { PAYMENTS: 'off', DEPLOYMENT: deployment },
        { downloader: memoryDownloader({ [url]: TEXT }) },
      );
      const options = { tier, output_format: format, chunk_size: 60, chunk_overlap: 10 };
      const more = tier === 'semantic' ? { embeddings: true, blend: 0.4, parents: true } : {};
      const one = await ask(service, 'POST /chunk', json({ ...options, ...more, url }));
      const named = ['raw', 'chroma'].includes(format) ? {} : { text_field: 'body' };
      const other = await ask(service, 'POST /chunk', json({ ...options, ...named, text: TEXT }));
      expect([one.status, other.status]).toEqual([200, 200]);
    },
  );

  it('is held to the description: what it does not say is found', () => {
    const seen = (status: number, body: object, headers = {}) =>
      undescribed(PRIMARY, 'GET', '/health', { status, headers, text: JSON.stringify(body) });
    const healthy = { status: 'healthy', network: 'solana-mainnet' };
    expect(seen(200, healthy)).toEqual([]);
    expect(seen(201, healthy)).toEqual(['status 201 is not described']);
    expect(seen(200, healthy, { 'X-New': '1' })).toEqual(['header X-New is not described']);
    expect(seen(200, { ...healthy, uptime: 1 })).toEqual([' must NOT have additional properties']);
    expect(seen(200, { status: 'healthy' })).toEqual([" must have required property 'network'"]);
  });
});

describe('the fields of a request', () => {
  const FIELDS: Readonly<Record<string, RequestField>> = {
    ...tierField(PRIMARY),
    ...SOURCE_FIELDS,
    ...OPTION_FIELDS,
    ...JOB_FIELDS,
  };
  const at = ['paths', '/chunk', 'post', 'requestBody', 'content', 'application/json', 'schema'];
  const values = fc.oneof(
    fc.jsonValue(),
    fc.integer({ min: -5, max: 100_005 }),
    fc.double({ min: -1, max: 200 }),
    fc.constantFrom<unknown>(...['raw', 'free', 'demo', 'tokens', 'o200k', 'cl100k_base', 'true', true]),
    fc.string({ unit: 'binary-ascii', maxLength: 5 }),
    fc.nat(600).map((length) => 'x'.repeat(length)),
    fc.nat(200).map((length) => 'x'.repeat(8100 + length)),
  );

  it.each(Object.keys(FIELDS))('%s is described as it is checked', (name) => {
    const schema = schemaAt(PRIMARY, [...at, 'properties', name]);
    const field = FIELDS[name]!;
    fc.assert(
      fc.property(values, (value) => {
        const isTaken = field.read(value) !== undefined;
        // A name of nothing but signs that are taken out is refused too; no schema says that.
        if (name === 'filename' && !isTaken) return;
        expect(schema(value), JSON.stringify(value)).toBe(isTaken);
      }),
      cases(500),
    );
  });

  it('together are never taken when the description refuses them', () => {
    const isOrder = schemaAt(PRIMARY, at);
    const requests = fc.dictionary(fc.constantFrom(...Object.keys(FIELDS), 'other', 'Text'), values, {
      maxKeys: 4,
    });
    fc.assert(
      fc.property(requests, (request) => {
        try {
          checkJsonFields(new Map(Object.entries(request)), PRIMARY);
        } catch {
          return;
        }
        expect([isOrder(request), isOrder.errors]).toEqual([true, null]);
      }),
      cases(2000),
    );
  });
});
