// `--remote --keypair`: the command line pays the real service on the play chain.
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request as requestTo, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createWallets,
  type Playground,
  startPlayground,
  type Wallet,
  writeKeypair,
} from '@grainline/playground';
import { readSettings, type RunningService, startService } from '@grainline/server';
import { createSolanaRpc } from '@solana/kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writePdf } from '@grainline/testing/pdf-writer';
import { run } from '../src/run.ts';
import { openService } from '../src/remote/service.ts';
import { type FakeIo, fakeIo, fakeStream } from './fake-io.ts';

const folder = mkdtempSync(join(tmpdir(), 'grainline-paying-'));
let playground: Playground;
let service: RunningService;
let payer: Wallet;

beforeAll(async () => {
  playground = await startPlayground({ chain: { slotMs: 20 }, seed: 'cli', payers: 1 });
  const environment = { ...playground.environment, PORT: '0', DATA_DIR: join(folder, 'data'), WORKERS: '1' };
  service = await startService(readSettings(environment), { log: { write: () => undefined } });
  await service.ready;
  [payer] = (await createWallets(playground.chain)) as [Wallet];
  await writeKeypair(join(folder, 'id.json'), payer.keypair);
});
afterAll(async () => {
  await service.stop();
  await playground.stop();
  rmSync(folder, { recursive: true, force: true });
});

const ioOf = (changes: Partial<FakeIo> = {}) =>
  fakeIo(folder, { environment: { XDG_STATE_HOME: join(folder, 'state') }, ...changes });

async function grainline(options: string, remote = service.url, changes: Partial<FakeIo> = {}) {
  const io = ioOf(changes);
  const { url } = playground.chain;
  const paying = `--keypair id.json --network solana-localnet --rpc ${url} --remote ${remote}`;
  const code = await run(`${options} ${paying}`.split(' '), io);
  return { code, stdout: io.stdout.text(), stderr: io.stderr.text() };
}

async function spent(): Promise<bigint> {
  const rpc = createSolanaRpc(playground.chain.url);
  const { value } = await rpc.getTokenAccountBalance(payer.usdcAccount, { commitment: 'processed' }).send();
  return 100_000_000n - BigInt(value.amount);
}

describe('a paid tier', () => {
  it('says on a terminal what is waited for, and writes the answer to a line without that', async () => {
    writeFileSync(join(folder, 'watched.txt'), 'High water follows the moon.');
    const screen = fakeStream({ isTTY: true, columns: 100 });
    const options = 'watched.txt --tier structure --max-cost 0.01';
    const { code } = await grainline(options, service.url, { stdout: screen, stderr: screen });
    expect(code).toBe(0);
    const { host } = new URL(service.url);
    const written = screen.text().replaceAll('\x1b[?7l', '').replaceAll('\x1b[?7h', '');
    const lines = written.split('\r\x1b[K');
    expect(lines.slice(1, 3)).toEqual([
      `0/1 ${'░'.repeat(20)} 0%  watched.txt, asking ${host}`,
      `0/1 ${'░'.repeat(20)} 0%  watched.txt, paying 0.002 USDC, and waiting for the answer`,
    ]);
    expect(lines[3]).toMatch(/^\{"document_id":"watched\.txt".*\}\nPaid 0\.002 USDC in 1 payment\.\n$/);
    const quiet = fakeStream({ isTTY: true });
    expect((await grainline(`${options} --quiet`, service.url, { stderr: quiet })).stderr).toBe('');
  });

  it.each([
    ['a.txt', '--tier structure --size 300 --overlap 0'],
    ['ü "c".txt', '--size 0200 --target 100 --json'],
  ])('is paid once for each document, and again used by a rerun: %s %s', async (name, options) => {
    writeFileSync(join(folder, name), `${name}. High water follows the moon.`);
    const io = fakeIo(folder);
    const before = await spent();
    const line = `${options} --max-cost 0.002`;
    const operand = name.replaceAll(/[ "]/g, '?');
    const first = await grainline(`${operand} ${line}`);
    expect({ ...first, stdout: '' }).toEqual({
      code: 0,
      stdout: '',
      stderr: 'Paid 0.002 USDC in 1 payment.\n',
    });
    const again = await grainline(`${operand} ${line}`);
    expect(again).toEqual({ ...first, stderr: '1 payment of earlier runs used again.\n' });
    expect((await spent()) - before).toBe(2000n);
    expect(await run([name, ...options.split(' ')], io)).toBe(0);
    if (!options.includes('--json')) expect(first.stdout).toBe(io.stdout.text());
  });

  it('is not paid beyond what the run may cost, over all files', async () => {
    for (const name of ['x', 'y', 'z']) writeFileSync(join(folder, `${name}.txt`), `This is ${name}.`);
    const before = await spent();
    const { code, stderr } = await grainline('x.txt y.txt z.txt --max-cost 0.0059');
    expect(code).toBe(1);
    expect(stderr.match(/too_dear/g)).toHaveLength(1);
    expect(stderr).toMatch('Paid 0.004 USDC in 2 payments.\n');
    expect((await spent()) - before).toBe(4000n);
    expect(existsSync(join(folder, 'state/grainline/payments'))).toBe(true);
    expect(
      readdirSync(join(folder, 'state/grainline/payments')).filter((name) => name.endsWith('.draft')),
    ).toEqual([]);
  });
});

describe('a document that the service would refuse', () => {
  it.each([
    ['n.pdf', writePdf({ pages: [{ lines: [] }] }), '(empty_document)'],
    ['n.md', '# Tides\n\nHigh water.', 'it is Markdown; accepted here are .txt, .pdf'],
  ])('is not paid for: %s', async (name, content, why) => {
    writeFileSync(join(folder, name), content);
    const before = await spent();
    const { code, stderr } = await grainline(`${name} --tier structure --max-cost 1`);
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^grainline: n\.\w+: Nothing was paid: .*\((?:empty_document|unsupported_type)\)\n$/,
    );
    expect(stderr).toContain(why);
    expect((await spent()) - before).toBe(0n);
  });
});

/** The real service behind a proxy that answers some requests itself. */
async function openDoor(
  answers: (request: IncomingMessage, response: ServerResponse) => boolean,
): Promise<{ readonly url: string; readonly close: () => void }> {
  const door = createServer((request, response) => {
    if (answers(request, response)) return void request.resume();
    const { method, headers } = request;
    const outgoing = requestTo(service.url + (request.url ?? ''), { method, headers });
    outgoing.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(response);
    });
    request.pipe(outgoing);
  }).listen(0, '127.0.0.1');
  await once(door, 'listening');
  const close = (): void => {
    door.closeAllConnections();
    door.close();
  };
  return { url: `http://127.0.0.1:${(door.address() as AddressInfo).port}`, close };
}

const reply = (response: ServerResponse, status: number, body: unknown): true => {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  return true;
};

describe('what was paid for', () => {
  it('is fetched again although the service has lowered what it takes since', async () => {
    let most = 1_000_000;
    const door = await openDoor(({ url }, response) => {
      const refusals = most > 10 ? [] : [{ code: 'too_many_characters', message: 'It takes at most 10.' }];
      const tiers = [{ id: 'structure', amount: 2000, refusals }];
      return url === '/estimate' && reply(response, 200, { tiers, warnings: [] });
    });
    try {
      writeFileSync(join(folder, 'long.txt'), 'Paid for once. '.repeat(40));
      writeFileSync(join(folder, 'other.txt'), 'Never paid for. '.repeat(40));
      const before = await spent();
      const line = '--tier structure --max-cost 0.002';
      const first = await grainline(`long.txt ${line}`, door.url);
      expect(first).toMatchObject({ code: 0, stderr: 'Paid 0.002 USDC in 1 payment.\n' });
      most = 10;
      expect(await grainline(`long.txt ${line}`, door.url)).toEqual({
        ...first,
        stderr: '1 payment of earlier runs used again.\n',
      });
      const other = await grainline(`other.txt ${line}`, door.url);
      expect(other.stderr).toContain('It takes at most 10. (too_many_characters)');
      expect((await spent()) - before).toBe(2000n);
    } finally {
      door.close();
    }
  });
});

describe('a service that takes the money', () => {
  const isPaid = ({ headers }: IncomingMessage): boolean => headers['x-payment'] !== undefined;
  const buy = async (answers: (response: ServerResponse) => boolean, names: string) => {
    for (const name of names.split(' ')) writeFileSync(join(folder, name), `${name}. High water.`);
    const door = await openDoor((request, response) => isPaid(request) && answers(response));
    const before = await spent();
    const line = `${names} --tier structure --max-cost 1 --concurrency 1`;
    const ended = await grainline(line, door.url);
    return { ...ended, door, line, paid: async () => (await spent()) - before };
  };

  it.each([
    ['asks for it again', 402, { code: 'payment_required', message: 'Pay.' }, 'payment_refused'],
    ['answers what makes no sense', 200, { success: true }, 'remote_strange'],
  ])('and %s is paid nothing for the other documents', async (_, status, body, code) => {
    const names = [1, 2, 3].map((number) => `${code}${number}.txt`).join(' ');
    const { stderr, paid, door, ...ended } = await buy((response) => reply(response, status, body), names);
    door.close();
    expect(ended.code).toBe(1);
    const [first, second, third, summary] = stderr.split('\n');
    const signature = /[1-9A-HJ-NP-Za-km-z]{80,90}/.exec(first ?? '')?.[0] ?? 'none';
    if (code === 'payment_refused') expect(first).toContain('to pay anew, remove the files that name');
    expect(first).toMatch(new RegExp(` Transaction: ${signature} \\(${code}\\)$`));
    for (const line of [second, third])
      expect(line).toContain(
        `Nothing was paid: The service was paid before, by the transaction ${signature}, and gave nothing for it`,
      );
    expect(summary).toBe('Paid 0.002 USDC in 1 payment.');
    expect(await paid()).toBe(2000n);
  });

  it('while the next document is still looked at, is paid nothing for that one either', async () => {
    const door = await openDoor(
      (request, response) =>
        isPaid(request) && reply(response, 402, { code: 'payment_required', message: 'Pay.' }),
    );
    const wallet = {
      ...{ keypair: 'id.json', maxCost: 1_000_000n, network: 'solana-localnet' as const },
      rpcUrl: playground.chain.url,
    };
    const isLookedAt = Promise.withResolvers<undefined>();
    const hasTaken = Promise.withResolvers<undefined>();
    const { chunk, summary } = await openService({ remote: door.url, wallet }, ioOf(), async ({ source }) => {
      if ('url' in source || source.filename !== 'second.txt') return undefined;
      isLookedAt.resolve(undefined);
      await hasTaken.promise;
      return undefined;
    });
    const { signal } = new AbortController();
    const sendNamed = (filename: string) => {
      const source = { bytes: Buffer.from(`${filename}. High water.`), filename };
      return chunk({ source, options: { tier: 'structure', documentId: filename } }, { signal });
    };
    const before = await spent();
    const second = sendNamed('second.txt').catch((error: unknown) => error);
    await isLookedAt.promise;
    await expect(sendNamed('first.txt')).rejects.toMatchObject({ code: 'payment_refused' });
    hasTaken.resolve(undefined);
    expect(await second).toMatchObject({
      code: 'not_paid',
      detail: expect.stringContaining('gave nothing for it') as string,
    });
    door.close();
    expect(summary()).toEqual(['Paid 0.002 USDC in 1 payment.']);
    expect((await spent()) - before).toBe(2000n);
  });

  it('and does so again in the next run is paid nothing more for that document', async () => {
    const again = (response: ServerResponse): boolean =>
      reply(response, 402, { code: 'payment_already_used', message: 'It has paid for another request.' });
    const { door, line, paid, stderr } = await buy(again, 'u.txt');
    const next = await grainline(line, door.url);
    door.close();
    const [firstLine] = stderr.split('\n');
    expect(next).toMatchObject({ code: 1, stderr: `${firstLine}\n` });
    // The message allows a person to pay once more.
    const files = readdirSync(join(folder, 'state/grainline/payments'));
    const signature = /Transaction: (\w+)/.exec(firstLine ?? '')?.[1] ?? 'none';
    const named = files.filter((name) =>
      readFileSync(join(folder, 'state/grainline/payments', name), 'utf8').includes(signature),
    );
    expect(named.length).toBeGreaterThan(0);
    expect(await paid()).toBe(2000n);
  });

  it('and refuses the document is not paid for it again, and the message says that it was paid', async () => {
    const rejectUpload = (response: ServerResponse): boolean =>
      reply(response, 422, { code: 'corrupted', message: 'It is damaged.' });
    const { stderr, paid, door, line } = await buy(rejectUpload, 'r.txt s.txt');
    const lines = stderr.split('\n');
    for (const line of lines.slice(0, 2))
      expect(line).toMatch(
        /: The service answers: It is damaged\. \(corrupted\) It was paid for: .* Transaction: \w+ \(refused_though_paid\)$/,
      );
    expect(lines[2]).toBe('Paid 0.004 USDC in 2 payments.');
    expect((await grainline(line, door.url)).stderr).toContain('2 payments of earlier runs used again.');
    door.close();
    expect(await paid()).toBe(4000n);
  });
});

describe('a paid tier, for an agent', () => {
  /** Answers of `grainline mcp` to consecutive calls of its tools. */
  async function agent(maxCost: string, calls: readonly { name: string; arguments: object }[]) {
    const { url } = playground.chain;
    const paying = `--keypair id.json --network solana-localnet --rpc ${url} --remote ${service.url}`;
    const messages = [
      {
        method: 'initialize',
        params: {
          protocolVersion: '2025-06-18',
          capabilities: {},
          clientInfo: { name: 'test', version: '1' },
        },
      },
      ...calls.map((params) => ({ method: 'tools/call', params })),
    ];
    const io = fakeIo(folder, { environment: { XDG_STATE_HOME: join(folder, 'state') } });
    const answers = () => io.stdout.text().split('\n').slice(0, -1);
    const stdin = (async function* () {
      for (const [id, message] of messages.entries()) {
        yield `${JSON.stringify({ jsonrpc: '2.0', id, ...message })}\n`;
        while (answers().length <= id) await new Promise((resolve) => setTimeout(resolve, 5));
      }
    })();
    const code = await run(`mcp ${paying} --max-cost ${maxCost}`.split(' '), { ...io, stdin });
    const results = answers()
      .slice(1)
      .map((line) => (JSON.parse(line) as { result: Record<string, unknown> }).result);
    return { code, results, stderr: io.stderr.text() };
  }

  it('is paid once for a call that is made again, by this server and by the next, and never beyond the most', async () => {
    const call = {
      name: 'chunk_text_by_service',
      arguments: { text: 'An agent asks. High water.', tier: 'structure', unit: 'tokens', size: 10 },
    };
    const other = { ...call, arguments: { ...call.arguments, text: 'Another text.' } };
    const before = await spent();
    const first = await agent('0.003', [call, call, other]);
    expect(first.code).toBe(0);
    expect(first.results[0]).toMatchObject({
      structuredContent: { tier: 'structure', payment: { amount: 2000 } },
    });
    expect(first.results[1]).toEqual(first.results[0]);
    expect(first.results[2]).toMatchObject({ isError: true });
    expect(JSON.stringify(first.results[2])).toContain('--max-cost leaves 0.001 USDC of 0.003 USDC');
    expect(first.stderr).toBe('grainline mcp: Paid 0.002 USDC in 1 payment.\n');
    const { results, stderr } = await agent('0.003', [call]);
    expect(results[0]).toEqual(first.results[0]);
    expect(stderr).toBe('grainline mcp: 1 payment of earlier runs used again.\n');
    expect((await spent()) - before).toBe(2000n);
  });

  it('is not paid for a document that the service would refuse: it is read before, beside the conversation', async () => {
    writeFileSync(join(folder, 'scan.pdf'), writePdf({ pages: [{ lines: [] }] }));
    writeFileSync(join(folder, 'notes.md'), '# Tides\n\nHigh water.');
    const before = await spent();
    const file = (path: string) => ({
      name: 'chunk_file_by_service',
      arguments: { path, tier: 'structure' },
    });
    const { results } = await agent('1', [file('scan.pdf'), file('notes.md')]);
    const texts = results.map((result) => JSON.stringify(result));
    expect(results).toMatchObject([{ isError: true }, { isError: true }]);
    expect(texts[0]).toContain('Nothing was paid: The document holds no text. (empty_document)');
    expect(texts[1]).toContain('it is Markdown; accepted here are .txt, .pdf');
    expect((await spent()) - before).toBe(0n);
  });
});
