// `--remote`: a service chunks the documents. The real service handles the free ones, and its answers must equal the
// output of this process. A server of this test gives answers that the real service never gives.
import { generateKeyPairSync } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { writePdf } from '@grainline/testing/pdf-writer';
import { startTestService, type TestService } from '@grainline/server/testing';
import { readArguments } from '../src/args/arguments.ts';
import type { ChunkFilesRequest, RemoteChunking, WalletRequest } from '../src/args/request.ts';
import { openPaymentFolder, paymentFolder } from '../src/remote/payment-folder.ts';
import { connect } from '../src/remote/chunk-remote.ts';
import { openService } from '../src/remote/service.ts';
import { type Ended, folder, grainline as runIn, PROSE, put, useFolder } from './command.ts';
import { fakeIo } from './fake-io.ts';

useFolder();

/** A file of `solana-keygen`, readable by its owner only. */
const putKeypair = (content = JSON.stringify([...keypair()]), mode = 0o600): void => {
  put('id.json', content);
  chmodSync(join(folder, 'id.json'), mode);
};
const state = (): string => join(folder, 'state');

const grainline = (argv: string, changes: Parameters<typeof fakeIo>[1] = {}): Promise<Ended> =>
  runIn(argv, { environment: { XDG_STATE_HOME: state() }, ...changes });

describe('a document that the service cuts for nothing', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService({ PAYMENTS: 'off', UPLOAD_KINDS: 'txt,pdf' });
  });
  afterAll(() => service.stop());

  it.each([
    ['a.txt', '--tier free --size 200 --overlap 20'],
    ['a.txt', '--tier structure --size 300 --target 200 --min 20 --parents'],
    ['a.txt', '--tier structure --unit tokens --size 60 --format qdrant'],
    ['a.txt', '--tier free --size 200 --format pinecone --text-field body --document-id notes'],
    ['a.txt', '--tier free --size 200 --format weaviate --collection Notes'],
    ['a.txt', '--tier free --size 200 --format text'],
    ['a.txt', '--tier free --size 200 --json'],
    ['a.txt', '--tier free --size 200 --json --format chroma'],
    ['a.txt', '--tier semantic --size 200 --embeddings'],
    ['c.txt', '--tier free --size 200 --charset koi8-r'],
    ['a.txt', '--tier semantic --size 200 --embeddings --blend 0.4 --json --format qdrant'],
    ['b.pdf', '--tier structure --size 100'],
    // Answers of more than 100 chunks are behind a link.
    ['a.txt', '--tier free --size 12'],
  ])('is written as if it had been cut here: %s %s', async (name, options) => {
    put('a.txt');
    put('c.txt', Buffer.from('d0d2c9d7c5d420'.repeat(20), 'hex'));
    put(
      'b.pdf',
      writePdf({ pages: [{ lines: ['Quarterly report'] }, { lines: ['Sales rose in the north.'] }] }),
    );
    const here = await grainline(`${name} ${options}`);
    const there = await grainline(`${name} ${options} --remote ${service.url}/`);
    expect(there).toMatchObject({ code: 0, stderr: '' });
    expect(here.stdout.length).toBeGreaterThan(50);
    if (!options.includes('--json')) expect(there.stdout).toBe(here.stdout);
    else {
      const { payment, ...answer } = JSON.parse(there.stdout) as Record<string, unknown>;
      expect(answer).toEqual(JSON.parse(here.stdout));
      expect(payment).toMatchObject({ amount: 0 });
    }
  });

  it('from standard input has the same id as here', async () => {
    const here = await grainline('- --tier free', { input: PROSE });
    expect((await grainline(`- --tier free --remote ${service.url}`, { input: PROSE })).stdout).toBe(
      here.stdout,
    );
  });

  it('goes to a file of --out, and is not sent again when nothing has changed', async () => {
    put('a.txt');
    const line = `a.txt --tier free --remote ${service.url} --out chunks`;
    expect((await grainline(line)).stderr).toBe('1 file: 1 written (2 chunks), 0 unchanged, 0 failed\n');
    const requests = service.logged.length;
    expect((await grainline(line)).stderr).toBe('1 file: 0 written (0 chunks), 1 unchanged, 0 failed\n');
    expect(service.logged.length).toBe(requests);
  });

  it('that it refuses fails alone, with the reason of the service', async () => {
    put('a.txt');
    put('b.pdf', '%PDF-1.4 broken');
    const { code, stderr, stdout } = await grainline(`b.pdf a.txt --tier free --remote ${service.url}`);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^grainline: b\.pdf: The service answers: [^()]* \(\w+\)\n$/);
    expect(stdout).toMatch('Sentence number 39');
  });

  it('leaves no state, because nothing was paid', async () => {
    put('a.txt');
    await grainline(`a.txt --tier free --remote ${service.url}`);
    expect(existsSync(state())).toBe(false);
  });
});

describe('a service', () => {
  let server: Server;
  let url: string;
  let answer: (request: IncomingMessage, response: ServerResponse) => void;
  let requests = 0;

  beforeEach(async () => {
    requests = 0;
    server = createServer((request, response) => {
      requests++;
      request.resume().once('end', () => answer(request, response));
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    put('a.txt');
  });

  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const reply = (
    response: ServerResponse,
    status: number,
    body: unknown,
    headers: Record<string, string> = {},
  ) => response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
  const TICKET = { success: true, async: true, job_id: 'ai-pro_1', status: 'processing' };
  const chunked = (text: string) => ({
    success: true,
    tier: 'ai',
    total_chunks: 1,
    metadata: { filename: 'a.txt', estimated_pages: 1 },
    chunks: [{ id: 'x', text, metadata: { chunk_index: 0 } }],
    payment: { amount: 0, asset: 'USDC', network: 'solana-mainnet' },
  });
  const offer = (price: string) => ({
    error: 'Payment Required',
    paymentRequirements: {
      x402Version: 1,
      scheme: 'exact',
      network: 'solana-mainnet',
      maxAmountRequired: price,
      asset: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
      payTo: '7Y8wTqCYGdYX4TwLBDQvVVfxR5oBVb6zqLzGQFuP7r4W',
      description: 'ai',
    },
  });

  it.each([
    ['chunks that are none', { chunks: [null] }, 'it has not the chunks that it says'],
    ['chunks that are texts', { chunks: ['text'] }, 'it has not the chunks that it says'],
    ['no metadata', { metadata: null }, 'what it says of the document makes no sense'],
    ['metadata that are a list', { metadata: [] }, 'what it says of the document makes no sense'],
    ['warnings that are none', { warnings: [null] }, 'what it says of the document makes no sense'],
    ['a warning without words', { warnings: [{ code: 'x' }] }, 'what it says of the document makes no sense'],
  ])('that answers %s is named as that', async (_, members, issue) => {
    answer = (_request, response) => reply(response, 200, { ...chunked('text'), ...members });
    const { code, stdout, stderr } = await grainline(`a.txt --tier ai --remote ${url}`);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(`${issue}. (remote_strange)`);
  });

  it('that breaks off in the midst of its answer is named as that', async () => {
    answer = (_, response) => {
      response.writeHead(200, { 'Content-Length': '1000' }).write('{"success":');
      setImmediate(() => response.destroy());
    };
    const { code, stderr } = await grainline(`a.txt --tier ai --remote ${url}`);
    expect(code).toBe(1);
    expect(stderr).toMatch('(remote_unreachable)');
  });

  describe('that wants money', () => {
    const pay = '--keypair id.json --max-cost 1';
    const estimated = (...refusals: object[]) => ({
      tiers: [{ id: 'ai', amount: 10_000, refusals }],
      warnings: [],
    });
    let requests: string[] = [];
    const answerWith = (
      estimate: (response: ServerResponse) => unknown,
      chunk = (response: ServerResponse): unknown => reply(response, 402, offer('10000')),
    ) => {
      requests = [];
      answer = (request, response) => {
        requests.push(request.url ?? '');
        return request.url === '/estimate' ? estimate(response) : chunk(response);
      };
    };

    it('is paid nothing for a document that it would refuse, and its reason is shown', async () => {
      putKeypair();
      const message = 'The document holds no text.';
      answerWith((response) => reply(response, 200, estimated({ code: 'empty_document', message })));
      const { stderr, code } = await grainline(`a.txt --tier ai --remote ${url} ${pay}`);
      expect(code).toBe(1);
      expect(stderr).toBe(`grainline: a.txt: Nothing was paid: ${message} (empty_document)\n`);
      expect(requests).toEqual(['/chunk', '/estimate']);
      expect(existsSync(join(state(), 'grainline/payments'))).toBe(false);
    });

    it.each([
      ['is free', pay, (response: ServerResponse) => reply(response, 200, chunked('x'))],
      [
        'refuses by itself',
        pay,
        (response: ServerResponse) => reply(response, 400, { code: 'unsupported_type', message: 'No.' }),
      ],
      ['has no wallet', '', undefined],
    ])('gets no request for an estimate where it %s', async (_, options, chunk) => {
      putKeypair();
      answerWith((response) => reply(response, 200, estimated()), chunk);
      await grainline(`a.txt --tier ai --remote ${url} ${options}`);
      expect(requests).toEqual(['/chunk']);
    });

    it('that is not the price it estimates gets none', async () => {
      putKeypair();
      const tiers = [{ id: 'ai', amount: 9999, refusals: [] }];
      answerWith((response) => reply(response, 200, { tiers, warnings: [] }));
      const { stderr } = await grainline(`a.txt --tier ai --remote ${url} ${pay}`);
      expect(stderr).toContain('The service asks for 0.01 USDC, and estimates 0.009999 USDC.');
      expect(stderr).toMatch(/\(price_differs\)\n$/);
    });

    it.each([
      [
        'refuses',
        400,
        { code: 'invalid_fields', message: 'Wrong fields.' },
        'Wrong fields. (invalid_fields)',
      ],
      ['answers nonsense to', 200, { tiers: [{ id: 'ai', amount: 1 }] }, '(bad_answer)'],
    ])('is paid nothing where it %s the request for an estimate', async (_, status, body, why) => {
      putKeypair();
      answerWith((response) => reply(response, status, body));
      const { stderr } = await grainline(`a.txt --tier ai --remote ${url} ${pay}`);
      expect(stderr).toContain('Nothing was paid: The service does not say whether it takes the document: ');
      expect(stderr).toContain(why);
    });

    it('is paid without an estimate where it makes none, within the limit of the run', async () => {
      putKeypair();
      answerWith((response) => reply(response, 404, { code: 'not_found', message: 'No.' }));
      // The payment was about to begin; without a node nothing is paid.
      const { stderr } = await grainline(
        `a.txt --tier ai --remote ${url} ${pay} --network solana-mainnet --rpc ${url}`,
      );
      expect(stderr).toContain('The network cannot be asked');
    }, 20_000);
  });

  it('that wants money gets none without a key pair, and the message says what to do', async () => {
    answer = (_, response) => reply(response, 402, offer('10000'));
    const { code, stderr } = await grainline(`a.txt --tier ai --remote ${url}`);
    expect(code).toBe(1);
    expect(stderr).toBe(
      'grainline: a.txt: This costs 0.01 USDC. To pay for it, name a key pair and the most that the run may cost: --keypair FILE --max-cost 0.10. (payment_needed)\n',
    );
    expect(existsSync(state())).toBe(false);
  });

  it('is used without the package for payments, which only a wallet needs', async () => {
    const error = Object.assign(new Error("Cannot find package '@grainline/x402' imported from cli"), {
      code: 'ERR_MODULE_NOT_FOUND',
    });
    const open = (wallet?: WalletRequest) =>
      openService(
        { remote: url, wallet },
        fakeIo(folder),
        () => Promise.resolve(undefined),
        undefined,
        () => Promise.reject(error),
      );
    answer = (_request, response) => reply(response, 200, chunked('One.'));
    const { chunk, summary } = await open();
    const { signal } = new AbortController();
    const { chunks } = await chunk({ source: { text: 'One.' }, options: { tier: 'free' } }, { signal });
    expect([chunks.length, summary()]).toEqual([1, []]);
    const network = 'solana-localnet' as const;
    const opened = open({ keypair: 'id.json', maxCost: 1n, network, rpcUrl: url });
    await expect(opened).rejects.toMatchObject({ code: 'payments_missing' });
    await expect(opened).rejects.toThrow('npm install @grainline/x402');
  });

  it('that wants more than the run may cost gets nothing', async () => {
    answer = (_, response) => reply(response, 402, offer('10000'));
    putKeypair();
    const { code, stderr } = await grainline(
      `a.txt --tier ai --remote ${url} --keypair id.json --max-cost 0.009999`,
    );
    expect(code).toBe(1);
    expect(stderr).toMatch(
      'This costs 0.01 USDC, and --max-cost leaves 0.009999 USDC of 0.009999 USDC; it was not paid. Raise --max-cost if it is worth that. (too_dear)',
    );
    expect(existsSync(state())).toBe(false);
  });

  it('that is busy is asked again when it says', async () => {
    answer = (_, response) =>
      requests < 3 ? reply(response, 503, {}, { 'retry-after': '0' }) : reply(response, 200, chunked('One.'));
    const { code, stdout } = await grainline(`a.txt --tier ai --remote ${url}`);
    expect([code, requests, JSON.parse(stdout)]).toMatchObject([
      0,
      3,
      { document_id: 'a.txt', text: 'One.' },
    ]);
  });

  it('that says more than anybody reads is cut short', async () => {
    answer = (_, response) => reply(response, 400, { code: 'x'.repeat(1e6), message: 'y'.repeat(1e6) });
    const { code, stderr } = await grainline(`a.txt --remote ${url}`);
    expect([code, stderr.length < 3000]).toEqual([1, true]);
  });

  it('that has moved is not followed, and the message says where it went and what to do', async () => {
    answer = (_, response) => reply(response, 301, '', { location: 'https://chunks.example/chunk/ai?key=x' });
    const { code, stderr } = await grainline(`a.txt --tier ai --remote ${url}`);
    expect([code, requests]).toEqual([1, 1]);
    expect(stderr).toBe(
      'grainline: a.txt: The service sends the request on to https://chunks.example/chunk/ai. Name that address with --remote, if it is the service that you mean. (redirected)\n',
    );
  });

  it('that is full for today is not waited for', async () => {
    answer = (_, response) =>
      reply(response, 429, { code: 'quota', message: 'No pages are left.' }, { 'retry-after': '40000' });
    const { code, stderr } = await grainline(`a.txt --remote ${url}`);
    expect([code, requests]).toEqual([1, 1]);
    expect(stderr).toMatch('The service answers: No pages are left. (quota)');
  });

  it.each([
    ['no JSON', '<html>', 200],
    ['a list', [], 500],
    ['fewer chunks than it says', { ...chunked('One.'), total_chunks: 2 }, 200],
    [
      'a link that leads nowhere',
      { ...chunked('One.'), chunks: undefined, download_url: 'file:///etc/passwd' },
      200,
    ],
  ])('whose answer is %s is not believed', async (_, body, status) => {
    answer = (_request, response) => reply(response, status, body);
    const { code, stdout, stderr } = await grainline(`a.txt --remote ${url}`);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/\((?:remote_strange|remote_refused)\)\n$/);
  });

  it.each(['download_url', 'status_url'])(
    'that sends us to another host by %s is asked itself, and its redirects are not followed',
    async (link) => {
      let visits = 0;
      const inner = createServer((_, response) => {
        visits++;
        reply(response, 200, chunked('Inner.'));
      }).listen(0, '127.0.0.1');
      await new Promise((resolve) => inner.once('listening', resolve));
      const innerUrl = `http://127.0.0.1:${(inner.address() as AddressInfo).port}/latest`;
      try {
        for (const ending of ['', '/moved']) {
          answer = ({ method }, response) => {
            const first = { ...(link === 'status_url' ? TICKET : {}), [link]: innerUrl + ending };
            if (method === 'POST') reply(response, 200, first);
            else reply(response, 302, '', { location: innerUrl });
          };
          const { code, stdout, stderr } = await grainline(`a.txt --remote ${url}`);
          expect([code, stdout, visits]).toEqual([1, '', 0]);
          expect(stderr).toMatch(/\(redirected\)\n$/);
        }
      } finally {
        inner.closeAllConnections();
        await new Promise((resolve) => inner.close(resolve));
      }
    },
  );

  it('that makes a job of it is asked until the job is done', async () => {
    answer = (request, response) => {
      if (request.url === '/job/ai-pro_1/status') reply(response, 200, { status: 'completed' });
      else if (request.url === '/job/ai-pro_1/result') reply(response, 200, chunked('Late.'));
      else reply(response, 200, TICKET);
    };
    const { code, stdout } = await grainline(`a.txt --tier ai-pro --remote ${url}`);
    expect([code, requests, JSON.parse(stdout)]).toMatchObject([0, 3, { text: 'Late.' }]);
  });

  it('that never ends a job is left after a time, with the way to go on', async () => {
    let polls = 0;
    answer = (request, response) => {
      if (request.url === '/job/ai-pro_1/status') polls++;
      reply(response, 200, TICKET);
    };
    const argv = ['a.txt', '--tier', 'ai-pro', '--remote', url];
    const parsed = readArguments(argv) as ChunkFilesRequest & { chunking: RemoteChunking };
    const parts = { io: fakeIo(folder), report: { warning: () => undefined, waiting: () => undefined } };
    const remote = await connect(parsed, parsed.chunking, parts, { pollMs: 1, timeoutMs: 5 });
    const bytes = new TextEncoder().encode(PROSE);
    const input = { shown: 'a.txt', name: 'a.txt', filename: 'a.txt' };
    await expect(remote.chunk({ bytes, hash: 'hash' }, input)).rejects.toMatchObject({
      code: 'still_processing',
      message: expect.stringContaining('The same command later goes on from here') as string,
    });
    expect(polls).toBe(6);
  });

  it('that is not there is named as that, at once', async () => {
    const gone = url;
    await new Promise((resolve) => server.close(resolve));
    const { code, stderr } = await grainline(`a.txt --remote ${gone}`);
    expect([code, stderr]).toEqual([
      1,
      `grainline: a.txt: The service at ${new URL(gone).host} cannot be reached: nothing listens on that port (ECONNREFUSED). Start the service, or correct the port. (remote_unreachable)\n`,
    ]);
  });

  it.each([
    ['http://nowhere.invalid/path', 'nowhere.invalid:80', 'there is no host of that name (ENOTFOUND)'],
    ['http://127.0.0.1:9', '127.0.0.1:9', 'bad port'],
  ])('%s says which host and port, and why', async (address, place, reason) => {
    const { code, stderr } = await grainline(`a.txt --remote ${address}`);
    expect(code).toBe(1);
    expect(stderr).toContain(`The service at ${place} cannot be reached: ${reason}. Correct`);
  });

  it('that speaks no https is named as that, at once', async () => {
    const { stderr } = await grainline(`a.txt --remote ${url.replace('http:', 'https:')}`);
    expect(stderr).toContain(
      `${new URL(url).host} cannot be reached: it does not speak https there (ERR_SSL_`,
    );
  });

  it('that is told to stop in the middle is left', async () => {
    const stop = new AbortController();
    answer = () => stop.abort();
    expect((await grainline(`a.txt --remote ${url}`, { signal: stop.signal })).code).toBe(130);
  });
});

describe('a key pair', () => {
  it.each([
    ['that is not there', undefined, 'cannot be read: there is no such file or folder.'],
    ['that is no JSON', 'secret words', 'it is not a JSON array'],
    ['that is too short', '[1,2,3]', 'it has 3 members and not 64'],
    ['that has no bytes', JSON.stringify(Array(64).fill(256)), 'its members are not all bytes'],
  ])('%s ends the run before anything is sent, and is not shown', async (_, content, reason) => {
    put('a.txt');
    if (content !== undefined) putKeypair(content);
    const line = 'a.txt --remote http://127.0.0.1:9 --keypair id.json --max-cost 1';
    const { code, stderr } = await grainline(line);
    expect(code).toBe(1);
    expect(stderr).toMatch(reason);
    expect(stderr).not.toMatch('secret');
  });

  it.each([0o644, 0o640, 0o620, 0o604])(
    'that others may read or change (%o) is refused with the way out, and nothing is sent',
    async (mode) => {
      put('a.txt');
      putKeypair(undefined, mode);
      const { code, stderr } = await grainline(
        'a.txt --remote http://127.0.0.1:9 --keypair id.json --max-cost 1',
      );
      const path = join(folder, 'id.json');
      expect([code, stderr]).toEqual([
        1,
        `grainline: Others on this machine may use the key pair in ${path}, whose mode is 0${mode.toString(8)}. Run: chmod 600 ${path} (keypair_exposed)\n`,
      ]);
    },
  );

  it('that is for its owner alone is taken, also when that one may only read it', async () => {
    put('a.txt');
    putKeypair(undefined, 0o400);
    const line = 'a.txt --remote http://127.0.0.1:9 --keypair id.json --max-cost 1';
    expect((await grainline(line)).stderr).toMatch('(remote_unreachable)');
  });

  it('is not used without a place to write payments down', async () => {
    put('a.txt');
    putKeypair();
    const line = 'a.txt --remote http://127.0.0.1:9 --keypair id.json --max-cost 1';
    expect((await grainline(line, { environment: {} })).stderr).toMatch('(no_state_folder)');
  });
});

describe('a dry run over a service', () => {
  const sold = (tiers: unknown) => JSON.stringify({ tiers });
  let body = '';
  let estimates: (object | undefined)[] = [];
  let requests: string[] = [];
  let server: Server;
  beforeEach(async () => {
    requests = [];
    server = createServer((request, response) => {
      requests.push(`${request.method ?? ''} ${request.url ?? ''}`);
      const isEstimate = request.url === '/estimate';
      request.resume().once('end', () => response.end(isEstimate ? JSON.stringify(estimates.shift()) : body));
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  });
  afterEach(() => server.close());
  const dry = (argv: string): Promise<Ended> =>
    grainline(`${argv} --dry-run --remote http://127.0.0.1:${(server.address() as AddressInfo).port}`);

  const STRUCTURE = { id: 'structure', path: '/chunk/structure', amount: 2000, available: true };
  const estimated = (refusals: object[] = []) => ({
    ...{ pages: 2, characters: 3000, warnings: [] },
    tiers: [{ id: 'structure', amount: 2000, expected_chunks: 7, refusals }],
  });

  it('says what it would cost, with the counts of the service, and buys nothing', async () => {
    put('a.txt');
    put('b.txt', 'Short.');
    body = sold([STRUCTURE]);
    estimates = [estimated(), estimated()];
    const { code, stdout, stderr } = await dry('a.txt b.txt --size 200 --concurrency 1');
    expect(code).toBe(0);
    expect(stdout.split('\n').map((line) => line.trim().split(/\s+/))).toEqual([
      ['pages', 'characters', 'chunks', 'file'],
      ['2', '3000', '7', 'a.txt'],
      ['2', '3000', '7', 'b.txt'],
      ['4', '6000', '14', 'total', 'of', '2', 'files'],
      [''],
    ]);
    expect(stderr).toBe(
      '2 documents by the tier structure would cost 0.004 USDC, 0.002 USDC each. The service has estimated the chunks, and nothing was bought.\n',
    );
    expect(requests).toEqual(['GET /', 'POST /estimate', 'POST /estimate']);
  });

  it('finds a tier by the name in its path, and says when it costs nothing', async () => {
    put('a.txt');
    body = sold([{ id: 'free', path: '/chunk/demo', amount: 0, available: true }]);
    estimates = [estimated()];
    expect((await dry('a.txt --tier demo')).stderr).toMatch('would cost nothing.');
  });

  it('shows what the service would refuse, and counts no price for it', async () => {
    put('a.txt');
    put('b.txt', 'Short.');
    body = sold([STRUCTURE]);
    const refusal = { code: 'no_text', message: 'A scan\x1b[31m.' };
    estimates = [
      { tiers: [{ id: 'structure', amount: 2000, refusals: [refusal] }], warnings: [] },
      estimated(),
    ];
    const { code, stderr } = await dry('a.txt b.txt --concurrency 1');
    expect(code).toBe(0);
    expect(stderr).toContain('a.txt: warning: The service would refuse it: A scan␛[31m. (no_text)');
    expect(stderr).toMatch('1 document by the tier structure would cost 0.002 USDC');
  });

  it.each([
    [sold([STRUCTURE]), '--tier gold', 'no tier gold; it has structure. (tier_unknown)'],
    [sold([]), '', 'no tier structure; it has none. (tier_unknown)'],
    [sold([null, 1, STRUCTURE]), '', 'its list of tiers makes no sense. (remote_strange)'],
    [sold('none'), '', 'its list of tiers makes no sense. (remote_strange)'],
    [sold([{ ...STRUCTURE, amount: '2000' }]), '', 'its list of tiers makes no sense. (remote_strange)'],
    [sold([{ ...STRUCTURE, amount: -1 }]), '', 'its list of tiers makes no sense. (remote_strange)'],
    ['<html>', '', '(remote_strange)'],
    [sold([STRUCTURE]), '', 'it is no estimate. (remote_strange)'],
  ])('of a service that says %s %s is a clear failure', async (answer, options, issue) => {
    put('a.txt');
    body = answer;
    estimates = [{ tiers: [], warnings: 'none' }];
    const { code, stderr } = await dry(`a.txt ${options}`);
    expect(code).toBe(1);
    expect(stderr).toMatch(issue);
  });
});

describe('wrong use', () => {
  it.each([
    ['--keypair id.json', '--keypair goes with --remote.'],
    ['--max-cost 1', '--max-cost goes with --keypair.'],
    [
      '--remote http://a --keypair id.json',
      '--keypair needs --max-cost: the most that the run may pay, as 0.10.',
    ],
    ['--remote ftp://a', '--remote must be an address that begins with http:// or https://.'],
    ['--remote http://a --view', '--view does not go with --remote.'],
    ['--remote http://a --html', '--html does not go with --remote.'],
    ['--remote http://a --kind code', '--kind does not go with --remote.'],
    ['--remote http://a --tier ../x', '--tier must be the name of a tier, but is "../x".'],
    ['--remote http://a --keypair k --max-cost 0.0000001', 'at most six decimals, but is "0.0000001".'],
    ['--remote http://a --keypair k --max-cost free', 'at most six decimals, but is "free".'],
    ['--remote http://a --keypair k --max-cost 1 --network solana-devnt', 'Did you mean solana-devnet?'],
    ['--remote http://a --keypair k --max-cost 1 --rpc key@x', '--rpc must be an address that begins with'],
  ])('is said before anything is done: %s', async (options, issue) => {
    const { code, stderr } = await grainline(`a.txt ${options}`);
    expect(code).toBe(2);
    expect(stderr).toMatch(issue);
  });
});

describe('payments in a folder', () => {
  const payment = {
    order: { payTo: 'a', amount: 4000n, asset: 'b', decimals: 6, network: 'n', memo: 'm' },
    attempts: [{ beganMs: 1, signature: 's', transaction: 't', lastValidBlockHeight: '7' }],
    answered: false,
    spent: ['old'],
  };

  it('are read back as they were written, by another memory on the same folder', async () => {
    const memory = openPaymentFolder(state());
    expect(await memory.read('key')).toBeNull();
    expect(await memory.write('key', payment, 0)).toBe(true);
    expect(await openPaymentFolder(state()).read('key')).toEqual({ payment, version: 1 });
  });

  it('of many writers that read the same version, one is written', async () => {
    const memories = Array.from({ length: 20 }, () => openPaymentFolder(state()));
    for (let version = 0; version < 3; version++) {
      const won = await Promise.all(memories.map((memory) => memory.write('key', payment, version)));
      expect(won.filter(Boolean).length).toBe(1);
    }
    expect(readdirSync(state()).sort()).toEqual(['key.2.json', 'key.3.json']);
  });

  it('that are damaged are not taken for none', async () => {
    const memory = openPaymentFolder(state());
    mkdirSync(state());
    writeFileSync(join(state(), 'key.1.json'), readFileSync(import.meta.filename).subarray(0, 10));
    await expect(memory.read('key')).rejects.toThrow(/key\.1\.json is damaged/);
  });

  it('stand where the XDG base directories say', () => {
    expect(paymentFolder({ XDG_STATE_HOME: '/s', HOME: '/h' })).toBe('/s/grainline/payments');
    expect(paymentFolder({ XDG_STATE_HOME: 'relative', HOME: '/h' })).toBe(
      '/h/.local/state/grainline/payments',
    );
    expect(() => paymentFolder({})).toThrow(/HOME/);
  });
});

/** 64 bytes in the form of the Solana command line. */
function keypair(): Uint8Array {
  const { d = '', x = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  return Buffer.concat([Buffer.from(d, 'base64url'), Buffer.from(x, 'base64url')]);
}
