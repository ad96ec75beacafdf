// Kills the real server a hundred times, at named steps of a paid request and at random moments, and has the client
// send the same request again until it is answered. Requests are paid by raw signatures, and by the official client in
// both versions of x402, whose payments the server itself has settled. Counts payments that bought nothing (lost), that
// bought two answers (double-spent), requests whose client was told to pay again although it had paid (overcharged),
// and answers without a receipt of their chunks and their payment (unproven). All must be 0.
//
//   node packages/playground/test/long/kills.ts        KILLS=1000 for more, SEED=… for another order
import { createHash, generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request as httpRequest, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { type ReceiptKeySet, verifyReceipt } from '@grainline/client/receipts';
import { startPlayground } from '../../src/playground.ts';
import { officialProof } from '../paying.ts';
import { earned, observe, payOnce, PRICE } from './payments.ts';
import { type ServerProcess, startServer } from '@grainline/testing/server-process';

const KILLS = Number(process.env['KILLS'] ?? 100);
const SEED = Number(process.env['SEED'] ?? 1);
const LEASE_MS = 1000;
/** Longer than any honest way to an answer: start, lease, work. */
const PATIENCE_MS = 60_000;

const folder = mkdtempSync(join(tmpdir(), 'grainline-kills-'));
/** A signed transaction is valid for 150 slots: longer than the restart of a server on a busy machine. */
const SLOT_MS = 40;
const playground = await startPlayground({ chain: { slotMs: SLOT_MS }, seed: 'kills', payers: 1 });
const [payer] = playground.payers;
if (payer === undefined) throw new Error('There is one.');

/** The host of linked documents. What is asked for waits until the step says how it is answered. */
const documents = createServer();
documents.listen(0, '127.0.0.1');
await once(documents, 'listening');
const documentPort = (documents.address() as AddressInfo).port;

const receiptKeyFile = join(folder, 'receipts.pem');
const { privateKey } = generateKeyPairSync('ed25519');
writeFileSync(receiptKeyFile, privateKey.export({ format: 'pem', type: 'pkcs8' }), { mode: 0o600 });

const settings = {
  ...playground.environment,
  RECEIPT_KEY_FILE: receiptKeyFile,
  PORT: '0',
  DATA_DIR: folder,
  WORKERS: '1',
  PAYMENT_LEASE_MS: String(LEASE_MS),
  PAYMENT_WAIT_MS: '3000',
  FETCH_ALLOW: `127.0.0.1:${documentPort}`,
};
let server: ServerProcess = await startServer(settings);
await server.ready();
const receiptKeys = (await (await fetch(`${server.url}/.well-known/jwks.json`)).json()) as ReceiptKeySet;
const store = observe(folder);

/** One request, in two halves: a step may want to look at what happens between them. */
interface Purchase {
  /** The header that pays. */
  readonly proof: Readonly<Record<string, string>>;
  readonly path: string;
  readonly type: string;
  readonly body: Buffer;
}
type Answered = { readonly status: number; readonly text: string } | 'cut off';

/** A step at which the server is killed: `reached` resolves there. */
interface Step {
  readonly linked?: true;
  /** Of requests that the server settles only. */
  readonly settled?: true;
  readonly reached: (purchase: Purchase, sending: Sending) => Promise<void>;
}
interface Sending {
  readonly finish: () => void;
  /** Resolves when the head of the answer is there, or the connection is gone. */
  readonly head: Promise<unknown>;
}

const random = randomFrom(SEED);
const until = async (holds: () => boolean): Promise<void> => {
  const deadline = performance.now() + PATIENCE_MS;
  while (!holds()) {
    if (performance.now() > deadline) throw new Error('The step was never reached.');
    await nextTurn();
  }
};
/** Resolves when one more payment stands there: every earlier one is consumed. */
const untilOne = (state: 'verified' | 'consumed'): Promise<void> => {
  const before = state === 'consumed' ? store.count(state) : 0;
  return until(() => store.count(state) > before);
};
const countLookups = (): number => playground.chain.calls.get('getTransaction') ?? 0;
/** Resolves with the answer to whoever asks for the linked document next. */
const documentRequest = () => once(documents, 'request') as Promise<[unknown, ServerResponse]>;

const STEPS: Readonly<Record<string, Step>> = {
  'the chain is being asked': {
    async reached(_, { finish }) {
      playground.chain.fail({ methods: ['getTransaction'], delayMs: 500 });
      const before = countLookups();
      finish();
      await until(() => countLookups() > before);
    },
  },
  'verified, half of the body read': {
    reached: () => untilOne('verified'),
  },
  'the facilitator is being asked to settle': {
    settled: true,
    async reached(_, { finish }) {
      const { calls } = playground.facilitator;
      const before = calls.settle;
      finish();
      await until(() => calls.settle > before);
    },
  },
  'settled, without an answer': {
    settled: true,
    async reached(_, { finish }) {
      playground.facilitator.fail({ kind: 'hangs-after-broadcast', on: 'settle' });
      const before = await earned(playground);
      finish();
      while ((await earned(playground)) === before) await wait(5);
    },
  },
  'bound, its document being fetched': {
    linked: true,
    async reached(_, { finish }) {
      const fetched = documentRequest();
      finish();
      await fetched;
    },
  },
  'fetched, being chunked': {
    linked: true,
    async reached(_, { finish }) {
      const fetched = documentRequest();
      finish();
      const [, response] = await fetched;
      response.end(LINKED);
      await once(response, 'finish');
    },
  },
  'being chunked or committed': {
    linked: true,
    async reached(_, { finish }) {
      const fetched = documentRequest();
      finish();
      const [, response] = await fetched;
      response.end(LINKED);
      await wait(random() * 30);
    },
  },
  'committed, not answered': {
    async reached(_, { finish }) {
      const consumed = untilOne('consumed');
      finish();
      await consumed;
    },
  },
  'being answered': {
    async reached(_, { finish, head }) {
      finish();
      await head;
    },
  },
  'a random moment': {
    async reached(_, { finish }) {
      const pause = random() * 60;
      await wait(pause / 2);
      finish();
      await wait(pause / 2);
    },
  },
};
const LINKED = '# Linked\n\nHigh water follows the moon.\n'.repeat(400);

const counts = { paid: 0, answered: 0, lost: 0, doubleSpent: 0, overcharged: 0, changed: 0, unproven: 0 };
const byStep = new Map<string, number>();
const began = performance.now();
const names = Object.keys(STEPS);

/** How requests are paid: every step meets each of them. */
const DIALECTS = ['a raw signature', 'x402 version 2', 'x402 version 1'] as const;
const byDialect = new Map<string, number>();

for (let kill = 0; kill < KILLS; kill++) {
  const name = names[kill % names.length] ?? '';
  const step = STEPS[name];
  if (step === undefined) throw new Error('Every name has a step.');
  const turn = Math.floor(kill / names.length);
  const dialect = DIALECTS[step.settled === true ? 1 + (turn % 2) : turn % 3] ?? DIALECTS[0];
  byStep.set(name, (byStep.get(name) ?? 0) + 1);
  byDialect.set(dialect, (byDialect.get(dialect) ?? 0) + 1);
  const unpaid = step.linked === true ? linkPurchase(kill) : uploadPurchase(kill);
  const purchase = { ...unpaid, proof: await proofOf(dialect, unpaid, kill) };
  counts.paid++;
  const interrupted = await killAt(step, purchase);
  await settle(purchase, interrupted);
}

documents.removeAllListeners('request').on('request', (_, response) => response.end(LINKED));
await server.stop();
counts.overcharged += Number((await earned(playground)) - PRICE * BigInt(counts.paid));
const seconds = Math.round((performance.now() - began) / 1000);
for (const [name, times] of [...byDialect, ...byStep]) console.log(`${String(times).padStart(5)}  ${name}`);
console.log(`${KILLS} kills in ${seconds} s (seed ${SEED}):`, JSON.stringify(counts));
store.close();
documents.closeAllConnections();
documents.close();
await playground.stop();
rmSync(folder, { recursive: true, force: true });
const { lost, doubleSpent, overcharged, changed, unproven } = counts;
process.exit(
  lost + doubleSpent + overcharged + changed + unproven === 0 && counts.answered === counts.paid ? 0 : 1,
);

async function proofOf(
  dialect: (typeof DIALECTS)[number],
  { path, type, body }: Purchase,
  kill: number,
): Promise<Purchase['proof']> {
  if (payer === undefined) throw new Error('There is one.');
  if (dialect === 'a raw signature') return { 'X-PAYMENT': await payOnce(playground, payer, `kill ${kill}`) };
  const request = { method: 'POST', headers: { 'Content-Type': type }, body };
  const response = await fetch(`${server.url}${path}`, request);
  return officialProof(playground, payer, response, dialect === 'x402 version 2' ? 2 : 1);
}

/** Sends the request, kills the server at the step, and starts another one. */
async function killAt(step: Step, purchase: Purchase): Promise<Answered> {
  const { answered, sending } = begin(purchase);
  await step.reached(purchase, sending);
  await server.kill();
  playground.chain.fail({});
  playground.facilitator.fail(null);
  const interrupted = await answered;
  server = await startServer(settings);
  await server.ready();
  return interrupted;
}

/** Repeats the same request with the same proof until it gets an answer or a final refusal. */
async function settle(purchase: Purchase, interrupted: Answered): Promise<void> {
  documents.removeAllListeners('request').on('request', (_, response) => response.end(LINKED));
  const deadline = performance.now() + PATIENCE_MS;
  let last: Answered = 'cut off';
  while (performance.now() < deadline) {
    last = await send(purchase);
    if (last !== 'cut off' && last.status === 200) break;
    if (last !== 'cut off' && last.status !== 503 && !isRetryable(last)) break;
    await wait(100);
  }
  documents.removeAllListeners('request');
  if (last === 'cut off' || last.status !== 200) {
    console.error('lost:', purchase.path, last);
    if (last !== 'cut off' && last.status === 402) counts.overcharged++;
    counts.lost++;
    return;
  }
  counts.answered++;
  if (!(await isProven(last, purchase))) counts.unproven++;
  if (interrupted !== 'cut off' && interrupted.text !== last.text) counts.changed++;
  const again = await send(purchase);
  if (again === 'cut off' || again.text !== last.text) counts.changed++;
  const other = await send({ ...uploadPurchase(-counts.paid), proof: purchase.proof });
  if (other === 'cut off' || codeOf(other) !== 'payment_already_used') counts.doubleSpent++;
}

/** True for an answer with the receipt of its chunks and its payment. */
async function isProven({ text }: { readonly text: string }, { proof }: Purchase): Promise<boolean> {
  const {
    payment,
    chunks,
    download_url: link,
  } = JSON.parse(text) as {
    readonly payment: { readonly transaction: string; readonly receipt?: string };
    readonly chunks?: readonly unknown[];
    readonly download_url?: string;
  };
  // A raw signature is the transaction itself.
  const { 'X-PAYMENT': header = '' } = proof;
  const transaction = header.length <= 88 && header !== '' ? header : payment.transaction;
  try {
    const delivered = chunks ?? (await chunksBehind(link ?? ''));
    const claims = await verifyReceipt(payment.receipt ?? '', receiptKeys, { chunks: delivered });
    return claims.transaction === transaction && claims.amount === String(PRICE);
  } catch (error) {
    console.error('unproven:', error);
    return false;
  }
}

/** The chunks of a large result. Its link names the server that wrote it, which may be gone. */
async function chunksBehind(link: string): Promise<readonly unknown[]> {
  const response = await fetch(new URL(new URL(link).pathname, server.url));
  return ((await response.json()) as { chunks: readonly unknown[] }).chunks;
}

function isRetryable(answer: Exclude<Answered, 'cut off'>): boolean {
  return codeOf(answer) === 'payment_not_found';
}

function codeOf({ text }: { readonly text: string }): unknown {
  return (JSON.parse(text) as { code?: unknown }).code;
}

function uploadPurchase(number: number): Purchase {
  const text = `# Document ${number}\n\n${'High water follows the moon. '.repeat(600)}`;
  const head = '--cut\r\nContent-Disposition: form-data; name="file"; filename="tides.txt"\r\n\r\n';
  const body = Buffer.from(`${head}${text}\r\n--cut--\r\n`);
  return { proof: {}, path: '/chunk/structure', type: 'multipart/form-data; boundary=cut', body };
}

function linkPurchase(number: number): Purchase {
  const url = `http://127.0.0.1:${documentPort}/${number}.txt`;
  return { proof: {}, path: '/chunk', type: 'application/json', body: Buffer.from(JSON.stringify({ url })) };
}

async function send(purchase: Purchase): Promise<Answered> {
  const { answered, sending } = begin(purchase);
  sending.finish();
  return answered;
}

/** Sends head and half of the body at once. */
function begin({ proof, path, type, body }: Purchase): { answered: Promise<Answered>; sending: Sending } {
  const outgoing = httpRequest(`${server.url}${path}`, {
    method: 'POST',
    agent: false,
    headers: { 'Content-Type': type, 'Content-Length': body.length, ...proof },
  });
  const half = Math.floor(body.length / 2);
  outgoing.write(body.subarray(0, half));
  const head = new Promise((resolve) => {
    outgoing.once('response', resolve).once('error', resolve);
  });
  const answered = new Promise<Answered>((resolve) => {
    outgoing.once('error', () => resolve('cut off'));
    outgoing.once('response', (incoming) => {
      const pieces: Buffer[] = [];
      incoming.on('data', (piece: Buffer) => pieces.push(piece));
      incoming.once('error', () => resolve('cut off'));
      incoming.once('end', () =>
        resolve({ status: incoming.statusCode ?? 0, text: Buffer.concat(pieces).toString() }),
      );
    });
  });
  return { answered, sending: { finish: () => outgoing.end(body.subarray(half)), head } };
}

/** Numbers from 0 up to 1: the same seed gives the same run. */
function randomFrom(seed: number): () => number {
  let drawn = 0;
  return () => createHash('sha256').update(`${seed}/${drawn++}`).digest().readUInt32BE() / 2 ** 32;
}
