// Measures the cost of a payment for a request, and of a flood of made-up payments for honest payers. The servers are
// processes of the build; chain and clients are here, the flood in a thread. Kinds of requests take turns, so that a
// busy machine affects all alike. Exits with 1 when the flood breaks a bound: the 95th percentile of honest payers, or
// the memory of the server.
//
//   npm run bench -w @grainline/playground        ROUNDS=50 FLOOD_S=15 for less
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { getBase64EncodedWireTransaction, getSignatureFromTransaction } from '@solana/kit';
import { MEMO_PROGRAM } from '../src/chain/addresses.ts';
import { startPlayground } from '../src/playground.ts';
import { memoryOf } from '@grainline/testing/processes';
import { recordResults } from '@grainline/testing/results';
import { startServer } from '@grainline/testing/server-process';
import { rpcOf, sign, transfer } from '../test/paying.ts';
import type { FloodOrder } from './flood.ts';
import { memoOfUpload, type Sendable, textOf, uploadOf } from './requests.ts';

const ROUNDS = Number(process.env['ROUNDS'] ?? 200);
const FLOOD_S = Number(process.env['FLOOD_S'] ?? 120);
/** Length of one turn, alone and beside each flood: turns spread a busy period over all kinds. */
const FLOOD_TURN_S = 3;
const FLOOD_PER_S = 500;
/** Bounds beside a flood of made-up payments: the 95th percentile of honest payers, and memory of the server. */
const MOST_P95_MS = 5_000;
const MOST_MEMORY_MIB = 768;
const MIB = 1024 ** 2;
/** Interval of reading the server's memory. */
const MEMORY_MS = 100;
/** The longest flood: turns take longer on a busy machine. */
const MOST_FLOOD_S = 3 * FLOOD_TURN_S;
const HONEST_PER_S = 25;
/** Time until the flood is even, and until its remains are processed. */
const FLOOD_WARM_MS = 1000;
const PRICE = 2000n;
/** Payments at the same time. */
const BATCH = 50;

/** Kinds of made-up payments in the flood beside honest payers. */
const MADE_UP = ['random', 'well formed'] as const;
const KINDS = ['alone', 'none', ...MADE_UP] as const;
type Kind = (typeof KINDS)[number];
/** Names of the floods. */
const NAMES = {
  alone: 'nothing',
  none: 'requests without a payment',
  random: 'payments of random bytes',
  'well formed': 'made-up payments, well formed',
} as const satisfies Record<Kind, string>;

/** Broken connections of honest payers; the bench sends their requests again. */
let broken = 0;

const folder = mkdtempSync(join(tmpdir(), 'grainline-bench-'));
const playground = await startPlayground({ chain: { slotMs: 40 }, seed: 'bench', payers: 1 });
const payer = (() => {
  const [first] = playground.payers;
  if (first === undefined) throw new Error('There is one.');
  return first.signer;
})();
const rpc = rpcOf(playground.chain);
const agent = new Agent({ keepAlive: true });
const settings = {
  ...playground.environment,
  // Without a facilitator.
  X402_FACILITATOR_URL: '',
  PORT: '0',
  WORKERS: '1',
  TRUSTED_PROXIES: '127.0.0.1',
};
const [paid, free] = await Promise.all([
  startServer({ ...settings, DATA_DIR: join(folder, 'paid') }),
  startServer({ ...settings, DATA_DIR: join(folder, 'free'), PAYMENTS: 'off' }),
]);
await paid.ready();
try {
  await recordResults(import.meta.dirname, 'cost of a payment', overhead);
  await recordResults(import.meta.dirname, 'floods of made-up payments', flood);
} finally {
  agent.destroy();
  await Promise.all([paid.stop(), free.stop()]);
  await playground.stop();
  rmSync(folder, { recursive: true, force: true });
}

/** Compares each kind of paid request with the same one to a free server. */
async function overhead(): Promise<void> {
  const kinds = ['a text', 'an upload', 'an upload that a memo binds'] as const;
  const texts = Array.from({ length: ROUNDS + 3 }, (_unused, round) => documentOf(round));
  const proofs = {
    'a text': await payAll(texts.map((_unused, round) => `text ${round}`)),
    'an upload': await payAll(texts.map((_unused, round) => `upload ${round}`)),
    'an upload that a memo binds': await payAll(await Promise.all(texts.map(memoOfUpload))),
  };
  const times = new Map<string, { free: number[]; paid: number[] }>(
    kinds.map((kind) => [kind, { free: [], paid: [] }]),
  );
  const callsBefore = countCalls();
  for (const [round, text] of texts.entries()) {
    for (const kind of kinds) {
      const make = kind === 'a text' ? textOf : uploadOf;
      const without = await timeOf(free.url, make(text));
      const withProof = await timeOf(paid.url, make(text, proofs[kind][round]));
      // The first rounds warm both servers up.
      if (round < 3) continue;
      times.get(kind)?.free.push(without);
      times.get(kind)?.paid.push(withProof);
    }
  }
  const calls = (countCalls() - callsBefore) / (texts.length * kinds.length);
  console.log(`${ROUNDS} rounds, medians, ms\n`);
  for (const [kind, { free: gifts, paid: sales }] of times) {
    const added = sales.map((ms, round) => ms - (gifts[round] ?? 0));
    const ratio = quantile(sales, 0.5) / quantile(gifts, 0.5);
    console.log(
      `${kind.padEnd(28)} free ${quantile(gifts, 0.5).toFixed(1)}, paid ${quantile(sales, 0.5).toFixed(1)} (${ratio.toFixed(2)} ×): ${quantile(added, 0.5).toFixed(1)} added`,
    );
  }
  console.log(`RPC calls for an honest claim: ${calls.toFixed(2)}`);
}

/**
 * Honest payers alone, beside a flood of requests without a payment, and beside floods of made-up payments. The second
 * shows the cost of the machine and of HTTP, so that the others show the cost of payments.
 */
async function flood(): Promise<void> {
  const floods = ofEach(newFlood);
  for (let turn = 0; turn < FLOOD_S / FLOOD_TURN_S; turn++) {
    for (const kind of KINDS) {
      // All payments are made beforehand, so that only the service is measured.
      const count = FLOOD_TURN_S * HONEST_PER_S;
      const proofs = await payAll(Array.from({ length: count }, (_, index) => `${kind} ${turn} ${index}`));
      await besideFlood(proofs, kind, turn, floods[kind]);
      await wait(FLOOD_WARM_MS);
    }
  }
  console.log();
  for (const kind of KINDS) if (kind !== 'alone') console.log(floodText(NAMES[kind], floods[kind]));
  console.log(`\nhonest payers beside each, ${floods.alone.times.length} requests; memory of the server`);
  for (const kind of KINDS) console.log(`  ${NAMES[kind].padEnd(30)} ${honestText(floods[kind])}`);
  if (broken > 0) console.log(`  connections of honest payers that broke: ${broken}`);
  for (const kind of MADE_UP) assertBounds(NAMES[kind], floods[kind]);
}

/** Prints each broken bound, and makes the program exit with 1. */
function assertBounds(name: string, { times, memory }: Flood): void {
  const p95 = quantile(times, 0.95);
  const violations = [
    ...(p95 <= MOST_P95_MS ? [] : [`p95 is ${p95.toFixed(0)} ms, and may be ${MOST_P95_MS}`]),
    ...(memory <= MOST_MEMORY_MIB * MIB
      ? []
      : [`memory is ${mebibytes(memory)}, and may be ${MOST_MEMORY_MIB}`]),
  ];
  for (const violation of violations) console.log(`FAULT beside ${name}: ${violation}`);
  if (violations.length > 0) process.exitCode = 1;
}

function ofEach<Value>(make: () => Value): Record<Kind, Value> {
  return { alone: make(), none: make(), random: make(), 'well formed': make() };
}

function honestText({ times, memory, processorMs, honestS }: Flood): string {
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map((part) => quantile(times, part).toFixed(1));
  const processor =
    processorMs === null ? '' : `, ${(processorMs / honestS).toFixed(0)} ms of processor time a second`;
  return `p50 ${p50}, p95 ${p95}, p99 ${p99} ms; ${mebibytes(memory)} MiB${processor}`;
}

function mebibytes(bytes: number): string {
  return (bytes / MIB).toFixed(0);
}

/** The sums of all floods of a kind. Counts do not depend on the load of the machine, and processor time hardly. */
interface Flood {
  /** Times of honest requests beside it, in milliseconds. */
  readonly times: number[];
  /** The peak memory of the server and its children, in bytes; 0 where the system does not report it. */
  memory: number;
  sent: number;
  seconds: number;
  connections: number;
  calls: number;
  readonly answers: Map<string, number>;
  /** The server's processor time beside honest payers; null where the system does not report it. */
  processorMs: number | null;
  honestS: number;
}

function newFlood(): Flood {
  return {
    times: [],
    memory: 0,
    sent: 0,
    seconds: 0,
    connections: 0,
    calls: 0,
    answers: new Map(),
    processorMs: 0,
    honestS: 0,
  };
}

function floodText(what: string, { sent, seconds, connections, calls, answers }: Flood): string {
  const each = (count: number): string => (count / sent).toFixed(3);
  return `${(sent / seconds).toFixed(0)} ${what} a second: answers ${JSON.stringify(Object.fromEntries(answers))}; each ${each(connections)} connections, ${each(calls)} RPC calls`;
}

async function besideFlood(proofs: readonly string[], kind: Kind, turn: number, flood: Flood): Promise<void> {
  if (kind === 'alone') return honest(proofs, kind, turn, flood);
  const callsBefore = countCalls();
  const order: FloodOrder = { url: paid.url, perSecond: FLOOD_PER_S, seconds: MOST_FLOOD_S, proofs: kind };
  const worker = new Worker(new URL('./flood.ts', import.meta.url), { workerData: order });
  // The worker reports its begin.
  await once(worker, 'message');
  await wait(FLOOD_WARM_MS);
  await honest(proofs, kind, turn, flood);
  worker.postMessage('stop');
  const [said] = (await once(worker, 'message')) as [
    Pick<Flood, 'sent' | 'seconds' | 'connections'> & { answers: object },
  ];
  flood.sent += said.sent;
  flood.seconds += said.seconds;
  flood.connections += said.connections;
  // Each honest payment takes one call.
  flood.calls += Math.max(0, countCalls() - callsBefore - proofs.length);
  for (const [answer, count] of Object.entries(said.answers) as [string, number][])
    flood.answers.set(answer, (flood.answers.get(answer) ?? 0) + count);
}

/**
 * Sends paid requests evenly over the time, without waiting for answers. Each comes at a random moment of its interval,
 * so that none keeps step with the flood, and from its own address.
 */
async function honest(proofs: readonly string[], kind: Kind, turn: number, flood: Flood): Promise<void> {
  const began = performance.now();
  const spentMs = processorMs(paid.pid);
  const watch = setInterval(() => (flood.memory = Math.max(flood.memory, memoryOf(paid.pid))), MEMORY_MS);
  const sent = proofs.map(async (proof, index) => {
    await wait(((index + Math.random()) * 1000) / HONEST_PER_S);
    const upload = uploadOf(documentOf(index), proof);
    const address = `172.${16 + KINDS.indexOf(kind)}.${turn % 256}.${index % 256}`;
    const headers = { ...upload.headers, 'x-forwarded-for': address };
    flood.times.push(await timeOf(paid.url, { ...upload, headers }));
  });
  await Promise.all(sent);
  clearInterval(watch);
  flood.honestS += (performance.now() - began) / 1000;
  const nowMs = processorMs(paid.pid);
  flood.processorMs =
    spentMs === null || nowMs === null || flood.processorMs === null
      ? null
      : flood.processorMs + nowMs - spentMs;
}

/** Processor time of a process, in milliseconds; null where the system does not report it. */
function processorMs(pid: number): number | null {
  try {
    // After the name, which may hold anything, user and system time are fields 12 and 13, in hundredths.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) * 10;
  } catch {
    return null;
  }
}

/** Makes payments of the price, each with its memo; resolves with their signatures when all are confirmed. */
async function payAll(memos: readonly string[]): Promise<string[]> {
  const proofs: string[] = [];
  for (let from = 0; from < memos.length; from += BATCH) {
    const batch = memos.slice(from, from + BATCH).map((memo) => send(memo));
    proofs.push(...(await Promise.all(batch)));
  }
  while (!(await confirmed(proofs.at(-1) ?? ''))) await wait(10);
  return proofs;
}

async function send(memo: string): Promise<string> {
  const paying = await transfer(payer, playground.payTo.address, PRICE);
  const named = { programAddress: MEMO_PROGRAM, data: new TextEncoder().encode(memo) };
  const signed = await sign(rpc, payer, [paying, named]);
  const text = getBase64EncodedWireTransaction(signed);
  await rpc.sendTransaction(text, { encoding: 'base64', skipPreflight: true }).send();
  return getSignatureFromTransaction(signed);
}

async function confirmed(proof: string): Promise<boolean> {
  const { value } = await rpc
    .getSignatureStatuses([proof as Parameters<typeof rpc.getSignatureStatuses>[0][0]])
    .send();
  return value[0]?.confirmationStatus === 'confirmed' || value[0]?.confirmationStatus === 'finalized';
}

/** Milliseconds from the first byte of a request to the last of its answer; a postponed request is repeated at once. */
async function timeOf(url: string, sendable: Sendable): Promise<number> {
  const began = performance.now();
  while ((await statusOf(url, sendable)) === 503);
  return performance.now() - began;
}

/** @throws Error for other answers than 200 and 503 */
async function statusOf(url: string, { path, headers, body }: Sendable): Promise<200 | 503> {
  const outgoing = request(`${url}${path}`, { method: 'POST', agent, headers });
  outgoing.end(body);
  const answered = await once(outgoing, 'response').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'ECONNRESET') throw error;
    broken++;
  });
  if (answered === undefined) return 503;
  const [incoming] = answered as [IncomingMessage];
  let text = '';
  for await (const piece of incoming.setEncoding('utf8')) text += String(piece);
  const { statusCode } = incoming;
  if (statusCode !== 200 && statusCode !== 503) throw new Error(`${statusCode}: ${text}`);
  return statusCode;
}

function countCalls(): number {
  const { calls } = playground.chain;
  return (calls.get('getTransaction') ?? 0) + (calls.get('getSignatureStatuses') ?? 0);
}

function documentOf(index: number): string {
  return `# Document ${index}\n\n${'High water follows the moon, and the moon follows nobody. '.repeat(20)}`;
}

function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}
