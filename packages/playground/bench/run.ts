// What payments cost a request, and what a flood of made-up ones costs those who pay. The servers are processes of
// their own from the build; chain and clients are here, the flood in a thread. Kinds of requests take turns, so that a
// busy machine bends all of them alike: ratios and differences count, times do not.
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
import { startServer } from '../../server/test/long/server-process.ts';
import { rpcOf, sign, transfer } from '../test/paying.ts';
import type { FloodOrder } from './flood.ts';
import { memoOfUpload, type Sendable, textOf, uploadOf } from './requests.ts';

const ROUNDS = Number(process.env['ROUNDS'] ?? 200);
const FLOOD_S = Number(process.env['FLOOD_S'] ?? 120);
/** Alone and beside each flood, so long at a time: short, so that a machine that is busy for a while is so for all. */
const FLOOD_TURN_S = 3;
/** Turns whose times are put together: of so many, the 99th percentile is one of the four slowest. */
const TURNS_OF_A_ROUND = 5;
const FLOOD_PER_S = 500;
/** No flood lasts longer: a turn, and what it takes longer on a busy machine. */
const MOST_FLOOD_S = 3 * FLOOD_TURN_S;
const HONEST_PER_S = 25;
/** Until the flood flows evenly, and until what it left behind is worked off. */
const FLOOD_WARM_MS = 1000;
const PRICE = 2000n;
/** Payments that are made at the same time. */
const BATCH = 50;

/** What honest payers are beside, by what the flood shows. */
const KINDS = ['alone', 'none', 'random', 'well formed'] as const;
type Kind = (typeof KINDS)[number];
/** A flood of each. */
const NAMES = {
  alone: 'nothing',
  none: 'requests without a payment',
  random: 'payments of random bytes',
  'well formed': 'made-up payments, well formed',
} as const satisfies Record<Kind, string>;

/** Connections of honest payers that broke before an answer; their requests are sent again, as a client would. */
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
  // Nothing here is settled by others.
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
  await overhead();
  await flood();
} finally {
  agent.destroy();
  await Promise.all([paid.stop(), free.stop()]);
  await playground.stop();
  rmSync(folder, { recursive: true, force: true });
}

/** Each kind of paid request beside the same one to a server that gives everything away. */
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
  const asked = callsAsked();
  for (const [round, text] of texts.entries()) {
    for (const kind of kinds) {
      const make = kind === 'a text' ? textOf : uploadOf;
      const without = await timeOf(free.url, make(text));
      const withProof = await timeOf(paid.url, make(text, proofs[kind][round]));
      // The first ones warm both servers up.
      if (round < 3) continue;
      times.get(kind)?.free.push(without);
      times.get(kind)?.paid.push(withProof);
    }
  }
  const calls = (callsAsked() - asked) / (texts.length * kinds.length);
  console.log(`Node ${process.version}; ${ROUNDS} rounds, medians, ms\n`);
  for (const [kind, { free: gifts, paid: sales }] of times) {
    const added = sales.map((ms, round) => ms - (gifts[round] ?? 0));
    const ratio = quantile(sales, 0.5) / quantile(gifts, 0.5);
    console.log(
      `${kind.padEnd(28)} free ${quantile(gifts, 0.5).toFixed(1)}, paid ${quantile(sales, 0.5).toFixed(1)} (${ratio.toFixed(2)} ×): ${quantile(added, 0.5).toFixed(1)} added`,
    );
  }
  console.log(`RPC calls for an honest claim: ${calls.toFixed(2)}`);
}

/** Times of honest requests, in milliseconds: of those who have paid before, and of those who have not. */
interface Times {
  readonly known: number[];
  readonly strangers: number[];
}

/**
 * Honest payers alone, beside a flood of requests without a payment, and beside floods of made-up payments. The second
 * says what the machine and HTTP come to, so that the others show what payments add to it.
 */
async function flood(): Promise<void> {
  const rounds: Record<Kind, Times>[] = [];
  const floods = ofEach(newFlood);
  for (let turn = 0; turn < FLOOD_S / FLOOD_TURN_S; turn++) {
    if (turn % TURNS_OF_A_ROUND === 0) rounds.push(ofEach(noTimes));
    for (const kind of KINDS) {
      // All of them are made before: it is the service that is measured, and not the chain.
      const count = FLOOD_TURN_S * HONEST_PER_S;
      const proofs = await payAll(Array.from({ length: count }, (_, index) => `${kind} ${turn} ${index}`));
      const { known, strangers } = await besideFlood(proofs, kind, turn, floods[kind]);
      rounds.at(-1)?.[kind].known.push(...known);
      rounds.at(-1)?.[kind].strangers.push(...strangers);
      await wait(FLOOD_WARM_MS);
    }
  }
  console.log();
  for (const kind of KINDS) if (kind !== 'alone') console.log(floodText(NAMES[kind], floods[kind]));
  const all = (kind: Kind): number[] => rounds.flatMap((round) => timesIn(round[kind]));
  console.log(`\nhonest payers, p50 and p99 of ${all('alone').length} in ${rounds.length} rounds`);
  for (const kind of KINDS) {
    const ratios =
      kind === 'alone' ? '' : `: ${ratioText(rounds, kind, 0.5)} and ${ratioText(rounds, kind, 0.99)} alone`;
    console.log(
      `  ${`beside ${NAMES[kind]}`.padEnd(36)} ${timesText(all(kind))}${ratios}${processorText(floods[kind])}`,
    );
    for (const who of ['known', 'strangers'] as const) {
      const label = who === 'known' ? 'who have paid before' : 'who pay for the first time';
      console.log(`    ${label.padEnd(34)} ${timesText(rounds.flatMap((round) => round[kind][who]))}`);
    }
  }
  if (broken > 0) console.log(`  connections of honest payers that broke: ${broken}`);
}

function ofEach<Value>(make: () => Value): Record<Kind, Value> {
  return { alone: make(), none: make(), random: make(), 'well formed': make() };
}

function noTimes(): Times {
  return { known: [], strangers: [] };
}

function timesIn({ known, strangers }: Times): number[] {
  return [...known, ...strangers];
}

function timesText(times: readonly number[]): string {
  return `${quantile(times, 0.5).toFixed(1)} and ${quantile(times, 0.99).toFixed(1)}`;
}

/** By how much a kind is slower than alone in the same round: of all rounds the median, the least and the most. */
function ratioText(rounds: readonly Record<Kind, Times>[], kind: Kind, part: number): string {
  const ratios = rounds.map(
    (round) => quantile(timesIn(round[kind]), part) / quantile(timesIn(round.alone), part),
  );
  const [median, least, most] = [0.5, 0, 1].map((place) => quantile(ratios, place).toFixed(2));
  return `${median} × (${least} to ${most})`;
}

/** What a second of it costs the server. */
function processorText({ processorMs, honestS }: Flood): string {
  return processorMs === null ? '' : `; ${(processorMs / honestS).toFixed(0)} ms of processor time a second`;
}

/** What floods of a kind came to. Counts do not depend on how busy the machine is, and processor time hardly. */
interface Flood {
  sent: number;
  seconds: number;
  connections: number;
  calls: number;
  readonly answers: Map<string, number>;
  /** The server's, while honest payers were there; null where the system does not say. */
  processorMs: number | null;
  honestS: number;
}

function newFlood(): Flood {
  return { sent: 0, seconds: 0, connections: 0, calls: 0, answers: new Map(), processorMs: 0, honestS: 0 };
}

function floodText(what: string, { sent, seconds, connections, calls, answers }: Flood): string {
  const each = (count: number): string => (count / sent).toFixed(3);
  return `${(sent / seconds).toFixed(0)} ${what} a second: answers ${JSON.stringify(Object.fromEntries(answers))}; each ${each(connections)} connections, ${each(calls)} RPC calls`;
}

async function besideFlood(
  proofs: readonly string[],
  kind: Kind,
  turn: number,
  flood: Flood,
): Promise<Times> {
  if (kind === 'alone') return honest(proofs, kind, turn, flood);
  const asked = callsAsked();
  const order: FloodOrder = { url: paid.url, perSecond: FLOOD_PER_S, seconds: MOST_FLOOD_S, proofs: kind };
  const worker = new Worker(new URL('./flood.ts', import.meta.url), { workerData: order });
  // It says so when it begins.
  await once(worker, 'message');
  await wait(FLOOD_WARM_MS);
  const times = await honest(proofs, kind, turn, flood);
  worker.postMessage('stop');
  const [said] = (await once(worker, 'message')) as [
    Pick<Flood, 'sent' | 'seconds' | 'connections'> & { answers: object },
  ];
  flood.sent += said.sent;
  flood.seconds += said.seconds;
  flood.connections += said.connections;
  // Those of the honest are one each.
  flood.calls += Math.max(0, callsAsked() - asked - proofs.length);
  for (const [answer, count] of Object.entries(said.answers) as [string, number][])
    flood.answers.set(answer, (flood.answers.get(answer) ?? 0) + count);
  return times;
}

/**
 * Sends paid requests, evenly over the time, whether the earlier ones are answered or not. Each comes at a random
 * moment of its part of the time, lest they keep step with the flood. Every other one is of an address that nobody has
 * seen.
 */
async function honest(proofs: readonly string[], kind: Kind, turn: number, flood: Flood): Promise<Times> {
  const times = noTimes();
  const began = performance.now();
  const spentMs = processorMs(paid.pid);
  const sent = proofs.map(async (proof, index) => {
    await wait(((index + Math.random()) * 1000) / HONEST_PER_S);
    const upload = uploadOf(documentOf(index), proof);
    if (index % 2 === 0) {
      times.known.push(await timeOf(paid.url, upload));
      return;
    }
    const address = `172.${16 + KINDS.indexOf(kind)}.${turn % 256}.${index % 256}`;
    const headers = { ...upload.headers, 'x-forwarded-for': address };
    times.strangers.push(await timeOf(paid.url, { ...upload, headers }));
  });
  await Promise.all(sent);
  flood.honestS += (performance.now() - began) / 1000;
  const nowMs = processorMs(paid.pid);
  flood.processorMs =
    spentMs === null || nowMs === null || flood.processorMs === null
      ? null
      : flood.processorMs + nowMs - spentMs;
  return times;
}

/** Processor time that a process has used, in milliseconds; null where the system does not say it so. */
function processorMs(pid: number): number | null {
  try {
    // Behind the name, which may hold anything, user and system time are the 12th and 13th field, in hundredths.
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

/**
 * Milliseconds from the first byte of a request to the last of its answer; one that is put off is sent again at once.
 */
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

function callsAsked(): number {
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
