// `--remote --keypair`: the command line pays the real service on the play chain.
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
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
import { run } from '../src/run.ts';
import { fakeIo } from './fake-io.ts';

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

async function grainline(options: string) {
  const io = fakeIo(folder, { environment: { XDG_STATE_HOME: join(folder, 'state') } });
  const { url } = playground.chain;
  const paying = `--keypair id.json --network solana-localnet --rpc ${url} --remote ${service.url}`;
  const code = await run(`${options} ${paying}`.split(' '), io);
  return { code, stdout: io.stdout.text(), stderr: io.stderr.text() };
}

async function spent(): Promise<bigint> {
  const rpc = createSolanaRpc(playground.chain.url);
  const { value } = await rpc.getTokenAccountBalance(payer.usdcAccount, { commitment: 'processed' }).send();
  return 100_000_000n - BigInt(value.amount);
}

describe('a paid tier', () => {
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

describe('a paid tier, for an agent', () => {
  /** Answers of `grainline mcp` to calls of its tools, one after another. */
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
    expect(JSON.stringify(first.results[2])).toContain('--max-cost would be exceeded');
    expect(first.stderr).toBe('grainline mcp: Paid 0.002 USDC in 1 payment.\n');
    const { results, stderr } = await agent('0.003', [call]);
    expect(results[0]).toEqual(first.results[0]);
    expect(stderr).toBe('grainline mcp: 1 payment of earlier runs used again.\n');
    expect((await spent()) - before).toBe(2000n);
  });
});
