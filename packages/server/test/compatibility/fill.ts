// `node packages/server/test/compatibility/fill.ts --checkout <folder> --output <folder>`: fills a store of each engine
// through the HTTP interface of the server that was built in a checkout, and writes both as SQL text with the record of
// all requests. The play chain has the payments, and a script replaces the language model. The snapshot is taken while
// the server runs: one job is interrupted, one waits, one request is in work and one document is half uploaded.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import type * as X402 from '@grainline/x402';
import type { CanonicalRequest } from '@grainline/x402';
import type * as X402Client from '@grainline/x402/client';
import type * as Playground from '@grainline/playground';
import type * as Server from '../../src/index.ts';
import { createDatabase } from '@grainline/testing/postgres-server';
import { dumpPostgres, dumpSqlite, query, type StoreAddress } from './dump.ts';
import {
  type Engine,
  ENGINES,
  type Filled,
  type FilledRequest,
  formOf,
  type Manifest,
  questionName,
  sendFilled,
  sha256,
} from './manifest.ts';
import { type RequestName, requestOf } from './requests.ts';

const { values: given } = parseArgs({
  options: {
    checkout: { type: 'string' },
    output: { type: 'string' },
    /** Time at which the filling begins, by the clocks of server and chain. */
    now: { type: 'string', default: '2026-11-21T18:00:00Z' },
  },
});
if (given.checkout === undefined || given.output === undefined)
  throw new Error('--checkout and --output are needed');

const built = async <Module>(path: string): Promise<Module> =>
  (await import(pathToFileURL(resolve(given.checkout ?? '', 'packages', path)).href)) as Module;
const { startService, readSettings } = await built<typeof Server>('server/dist/index.js');
const { startPlayground, startScriptedModel } = await built<typeof Playground>('playground/dist/index.js');
const { fingerprint } = await built<typeof X402>('x402/dist/index.js');
const { payWithKeypair } = await built<typeof X402Client>('x402/dist/client.js');

/** Answers of the interrupted job. */
const ANSWERED = 7;
/** A request shorter than this checks that the model is available. */
const LEAST_QUESTION = 1000;
const SETTINGS = {
  PUBLIC_URL: 'http://grainline.test',
  TRUSTED_PROXIES: '127.0.0.1',
  FREE_PAGES_PER_DAY: '4',
  UPLOAD_KINDS: 'txt,pdf,markdown',
  JOB_CONCURRENCY: '1',
  AI_PRICE: '0.01,0.04',
};

const startedMs = Date.now();
const now = (): number => Date.parse(given.now) + Date.now() - startedMs;

mkdirSync(given.output, { recursive: true });
for (const engine of ENGINES) {
  const { sql, manifest } = await fill(engine);
  writeFileSync(join(given.output, `${engine}.sql`), sql);
  writeFileSync(join(given.output, `${engine}.json`), `${JSON.stringify(manifest, null, 1)}\n`);
}

/** Fills a store, writes it as SQL text and removes it. */
async function fill(engine: Engine): Promise<{ readonly sql: string; readonly manifest: Manifest }> {
  const folder = mkdtempSync(join(tmpdir(), 'grainline-fill-'));
  const database = engine === 'postgres' ? await createDatabase() : undefined;
  try {
    return await fillStore({ dataDir: folder, databaseUrl: database?.url });
  } finally {
    await database?.drop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function fillStore(
  store: StoreAddress,
): Promise<{ readonly sql: string; readonly manifest: Manifest }> {
  const playground = await startPlayground({ chain: { slotMs: 20, now }, seed: 'fixture' });
  const questions = {
    left: Infinity,
    isRecorded: false,
    answered: [] as string[],
    unanswered: [] as string[],
  };
  const model = await startScriptedModel({
    script: ({ texts }) => {
      if (texts.join('\n').length < LEAST_QUESTION && !questions.isRecorded) return undefined;
      const isAnswered = questions.left-- > 0;
      if (questions.isRecorded) questions[isAnswered ? 'answered' : 'unanswered'].push(questionName(texts));
      return isAnswered ? undefined : { hangs: true };
    },
  });
  const settings = { ...SETTINGS, AI_MODEL: model.model };
  const start = async (deployment: 'primary' | 'compact'): Promise<Server.RunningService> => {
    const { dataDir, databaseUrl } = store;
    const service = await startService(
      readSettings({
        ...playground.environment,
        ...settings,
        ...{ DEPLOYMENT: deployment, PORT: '0', PAGE: 'off', WORKERS: '1', SHUTDOWN_MS: '1000' },
        ...{ AI_BASE_URL: model.baseUrl, DATA_DIR: dataDir, DATABASE_URL: databaseUrl ?? '' },
      }),
      { now, log: { write: () => undefined }, leavingMs: 0 },
    );
    await service.ready;
    return service;
  };

  const [wallet] = playground.payers;
  if (wallet === undefined) throw new Error('The playground has a wallet.');
  const { address: payer, keypair } = wallet;
  const pay = payWithKeypair({ rpcUrl: playground.chain.url, keypair });
  const filled = new Map<RequestName, Partial<Filled>>();
  let service = await start('compact');

  /** Pays for a request as its 402 says; resolves with the payment's key. */
  async function payFor(name: RequestName, byHand?: string): Promise<string> {
    const offer = (await (await sendFilled(service.url, requestOf(name))).json()) as Offer;
    if (offer.paymentRequirements === undefined) throw new Error(`${name}: ${JSON.stringify(offer)}`);
    const { payTo, asset, maxAmountRequired, network, extra } = offer.paymentRequirements;
    const memo = byHand ?? extra.memo ?? (await uploadMemo(name, extra.binding));
    const order = { payTo, asset, network, decimals: 6, amount: BigInt(maxAmountRequired), memo };
    const context = { signal: new AbortController().signal, record: () => Promise.resolve() };
    const key = await pay(order, context);
    const payment = { key, payer, amount: maxAmountRequired, memo, fingerprint: '' };
    filled.set(name, { ...filled.get(name), payment });
    return key;
  }

  /** Sends a request and keeps its answer. */
  async function send(name: RequestName, proof?: string): Promise<Record<string, unknown>> {
    const response = await sendFilled(service.url, requestOf(name), proof);
    const body = await response.text();
    if (response.ok === (name === 'a damaged upload')) throw new Error(`${name}: ${body}`);
    filled.set(name, { ...filled.get(name), answer: { status: response.status, body } });
    const location = response.headers.get('content-location');
    const json = JSON.parse(body) as { download_url?: string };
    const path = location ?? json.download_url?.replace(SETTINGS.PUBLIC_URL, '');
    if (path !== undefined) {
      const bytes = new Uint8Array(await (await fetch(service.url + path)).arrayBuffer());
      filled.set(name, { ...filled.get(name), result: { path, sha256: sha256(bytes) } });
    }
    return json;
  }
  /** Submits a job; resolves when its state is the given one. */
  async function runJob(name: RequestName, state: string): Promise<void> {
    const proof = await payFor(name);
    const { job_id: jobId } = (await send(name, proof)) as { job_id: string };
    filled.set(name, { ...filled.get(name), jobId });
    await until(`${name}: ${state}`, async () => {
      const status = (await (await fetch(`${service.url}/job/${jobId}/status`)).json()) as { status: string };
      return status.status === state;
    });
    // The last answer to a request whose job is completed links to the result.
    if (state === 'completed') await send(name, proof);
  }

  for (const name of ['compact standard', 'compact professional'] as const)
    await send(name, await payFor(name));
  await service.stop();
  service = await start('primary');
  for (const name of ['a free upload behind a link', 'a free text of a client with an IPv6 address'] as const)
    await send(name);
  for (const name of [
    'structure of a text',
    'structure of an upload behind a link',
    'structure for a database',
    'semantic with vectors',
    'ai',
    'a damaged upload',
  ] as const)
    await send(name, await payFor(name));
  await send('structure without a memo', await payFor('structure without a memo', 'by hand, for a text'));
  await runJob('a job that is done', 'completed');
  await runJob('a job that failed', 'failed');

  Object.assign(questions, { left: ANSWERED, isRecorded: true });
  await runJob('a job that is interrupted', 'processing');
  await until(
    'questions are asked',
    () => questions.unanswered.length > 0 && questions.answered.length === ANSWERED,
  );
  const answers = `SELECT count(*) AS count FROM ${tableOf(store, 'job_answers')} WHERE key NOT LIKE '% cost %'`;
  await until(
    'answers are kept',
    async () => Number((await query(store, answers))[0]?.['count']) === ANSWERED,
  );
  questions.isRecorded = false;
  await runJob('a job that has not begun', 'processing');
  const inWork = await payFor('a request in work');
  // A payment whose memo names its request is released while the document arrives.
  const coming = await payFor('an upload in the middle', 'by hand, for an upload');
  const leaving = new AbortController();
  const unanswered = [
    sendFilled(service.url, requestOf('a request in work'), inWork, leaving.signal),
    sendHalf(service.url, requestOf('an upload in the middle'), coming, leaving.signal),
  ];
  const states = `SELECT * FROM ${tableOf(store, 'payments')}`;
  await until('payments are held', async () => {
    const rows = await query(store, states);
    return ['bound', 'verified'].every((state) => rows.some((row) => row['state'] === state));
  });

  const sql = store.databaseUrl === undefined ? dumpSqlite(store.dataDir) : dumpPostgres(store.databaseUrl);
  const snapshotMs = now();
  const rows = await query(store, states);
  const manifest: Manifest = {
    snapshotMs,
    settings,
    filled: [...filled].map(([name, { payment, ...rest }]): Filled => {
      const row = rows.find(({ key }) => key === payment?.key);
      const state = (row?.['state'] ?? 'free') as Filled['state'];
      const fingerprint = (row?.['fingerprint'] ?? '') as string;
      return {
        request: requestOf(name),
        ...rest,
        ...(payment && { payment: { ...payment, fingerprint } }),
        state,
      };
    }),
    journal: {
      jobId: filled.get('a job that is interrupted')?.jobId ?? '',
      answered: questions.answered,
      unanswered: questions.unanswered,
    },
  };
  leaving.abort();
  await Promise.allSettled(unanswered);
  await service.stop();
  await Promise.all([playground.stop(), model.stop()]);
  return { sql, manifest };
}

/** Sends a form without its end. */
async function sendHalf(
  url: string,
  request: FilledRequest,
  proof: string,
  signal: AbortSignal,
): Promise<void> {
  const whole = new Response(formOf(request));
  const bytes = new Uint8Array(await whole.arrayBuffer());
  const body = new ReadableStream({
    start: (controller) => {
      controller.enqueue(bytes.slice(0, -10));
    },
  });
  const headers = { 'Content-Type': whole.headers.get('content-type') ?? '', 'X-PAYMENT': proof };
  await fetch(url + request.path, { method: 'POST', headers, body, duplex: 'half', signal });
}

/** Memo of an upload, by the formula of the 402. */
function uploadMemo(name: RequestName, { prefix, request }: Binding): Promise<string> {
  const { form } = requestOf(name);
  if (form === undefined) throw new Error('Only an upload has to make its memo itself.');
  const options = { ...request.options, ...form.fields };
  const source = { file_sha256: sha256(form.content), filename: form.filename };
  return fingerprint({ ...request, options, source }).then((print) => prefix + print);
}

interface Binding {
  readonly prefix: string;
  readonly request: CanonicalRequest & { readonly options: CanonicalRequest };
}

interface Offer {
  readonly paymentRequirements?: {
    readonly payTo: string;
    readonly asset: string;
    readonly network: string;
    readonly maxAmountRequired: string;
    readonly extra: { readonly memo?: string; readonly binding: Binding };
  };
}

function tableOf({ databaseUrl }: StoreAddress, name: string): string {
  return databaseUrl === undefined ? name : `grainline.${name}`;
}

async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const endMs = performance.now() + 60_000;
  while (!(await isSo())) {
    if (performance.now() > endMs) throw new Error(`This has not come within a minute: ${what}`);
    await wait(20);
  }
}
