// Free documents must not starve paid ones. Twelve addresses keep three documents of 4 MB each in flight, in chunks of
// 10 characters and above the free pages of a day; beside them fifty paid PDFs of three pages are bought, one after the
// other. The 95th percentile of the paid requests is at most three times their median before the flood, and none fails.
// The flood has a thread of its own, so that it does not delay the paying client and the play chain. Needs the build.
//
//   node packages/playground/test/long/starvation.ts        PURCHASES=50 ADDRESSES=12 WORKERS=2
import { once } from 'node:events';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { createClient, quantile, type Sendable, sleep, uploadOf } from '@grainline/testing/load';
import { writePdf } from '@grainline/testing/pdf-writer';
import { startServer } from '@grainline/testing/server-process';
import { embeddedPlace, startGround } from './ground.ts';
import { payOnce } from './payments.ts';
import { membersOf, paidWith } from './traffic.ts';

const PURCHASES = Number(process.env['PURCHASES'] ?? 50);
const ADDRESSES = Number(process.env['ADDRESSES'] ?? 12);
const WORKERS = process.env['WORKERS'] ?? '2';
const DOCUMENTS_AT_ONCE = 3;
const DOCUMENT_BYTES = 4_000_000;
/** Paid requests before the first measured one: each child process loads and compiles the code for PDFs. */
const WARM_UP = 40;
/** Time in which the first documents of all addresses arrive. */
const FLOOD_RISES_MS = 1_000;
/** Pause of an address that is over its rate. */
const PAUSE_MS = 100;
/** The 95th percentile under the flood, in quiet medians. */
const MOST_SLOWDOWN = 3;

if (isMainThread) process.exit((await measure()) ? 0 : 1);
else await flood(String(workerData));

/** True when the laws hold. */
async function measure(): Promise<boolean> {
  const ground = await startGround('starvation');
  const place = embeddedPlace();
  // Play money switches the rate limit off; this is its default.
  const settings = { ...ground.settings, ...place.settings, WORKERS, RATE_LIMIT: '60' };
  const server = await startServer(settings);
  await server.ready();
  const client = createClient(server.url, 2);
  const broken: string[] = [];
  const [payer] = ground.playground.payers;
  if (payer === undefined) throw new Error('There is one.');
  const pay = (memo: string): Promise<string> => payOnce(ground.playground, payer, memo);
  let purchases = 0;

  /** Paid requests, each with a document and an address of its own. */
  async function ordersOf(count: number): Promise<Sendable[]> {
    const orders: Sendable[] = [];
    while (orders.length < count) {
      const number = purchases++;
      const headers = {
        'X-PAYMENT': await pay(`starvation ${number}`),
        'X-Forwarded-For': `10.1.${number >> 8}.${number & 255}`,
      };
      orders.push(paidWith(headers, pdfOf(number)));
    }
    return orders;
  }

  /** Buys one after the other; the time of each in ms. */
  async function buy(orders: readonly Sendable[]): Promise<number[]> {
    const times: number[] = [];
    for (const order of orders) {
      const { outcome, text, ms } = await client.send(order);
      if (outcome !== 200) broken.push(`a purchase: ${outcome} ${text}`);
      times.push(ms);
    }
    return times;
  }

  const [warmUp, before, beside] = [
    await ordersOf(WARM_UP),
    await ordersOf(PURCHASES),
    await ordersOf(PURCHASES),
  ];
  // Two at a time reach both processes.
  await Promise.all([buy(warmUp.slice(0, WARM_UP / 2)), buy(warmUp.slice(WARM_UP / 2))]);
  const quiet = await buy(before);
  const flooding = new Worker(new URL(import.meta.url), { workerData: server.url });
  await once(flooding, 'message');
  const flooded = await buy(beside);
  flooding.postMessage('stop');
  const [answers] = (await once(flooding, 'message')) as [Readonly<Record<string, number>>];
  await flooding.terminate();
  client.close();
  await server.stop();
  await ground.stop();
  await place.drop();

  const slowdown = quantile(flooded, 0.95) / quantile(quiet, 0.5);
  if (slowdown > MOST_SLOWDOWN) broken.push(`p95 is ${slowdown.toFixed(1)} times the quiet median`);
  if (Object.keys(answers).length === 0) broken.push('the flood had no answers');
  console.log(
    `${PURCHASES} paid PDFs: ${describeTimes(quiet)}; beside ${ADDRESSES} free addresses ${describeTimes(flooded)}; ` +
      `free answers ${JSON.stringify(answers)}; ${broken.length === 0 ? 'all held' : `FAULTS: ${broken.join(', ')}`}`,
  );
  return broken.length === 0;
}

function describeTimes(times: readonly number[]): string {
  const [median, p95, worst] = [0.5, 0.95, 1].map((share) => quantile(times, share).toFixed(1));
  return `median ${median} ms, p95 ${p95} ms, worst ${worst} ms`;
}

/** Three pages of text. */
function pdfOf(number: number): Sendable {
  const lines = (page: number) =>
    Array.from({ length: 50 }, (_, line) => `${number}.${page}.${line}: the tide turns twice a day.`);
  return uploadOf(
    writePdf({ pages: [1, 2, 3].map((page) => ({ lines: lines(page) })) }),
    'a.pdf',
    'structure',
  );
}

/** Sends free documents without end. Reports by messages when the flood has risen, and the answers on request. */
async function flood(url: string): Promise<void> {
  const client = createClient(url, ADDRESSES * DOCUMENTS_AT_ONCE);
  const answers: Record<string, number> = {};
  const upload = uploadOf('High water follows the moon. '.repeat(DOCUMENT_BYTES / 29), 'a.txt', 'demo');
  const field = '--b\r\nContent-Disposition: form-data; name="chunk_size"\r\n\r\n10\r\n';
  const body = Buffer.concat([Buffer.from(field), upload.body]);

  async function send(address: string): Promise<never> {
    const headers = {
      ...upload.headers,
      'Content-Length': String(body.length),
      'X-Forwarded-For': address,
    };
    for (;;) {
      const { outcome, text } = await client.send({ ...upload, headers, body });
      const code = text.startsWith('{') ? (membersOf(text)['code'] as string | undefined) : undefined;
      const name = code ?? String(outcome);
      answers[name] = (answers[name] ?? 0) + 1;
      if (outcome === 429) await sleep(PAUSE_MS);
    }
  }

  parentPort?.once('message', () => parentPort?.postMessage(answers));
  for (let sender = 0; sender < ADDRESSES * DOCUMENTS_AT_ONCE; sender++)
    void send(`10.2.0.${sender % ADDRESSES}`);
  await sleep(FLOOD_RISES_MS);
  parentPort?.postMessage('rising');
}
