// A PDF of 1,000 pages in ranges, over one and two threads, against reading it at once: the chunks, and the processor
// time of each part. Needs `npm run build`.
//
//   node packages/pipeline/bench/ranges.mjs
import { Buffer } from 'node:buffer';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { chunkSource } from '@grainline/pipeline';
import { createBlobFolder, createSteps } from '@grainline/pipeline/steps';
import { openStore } from '@grainline/stores';
import { setText, writePdf } from '../../testing/src/pdf-writer.ts';

const PAGES = 1000;
const SETTINGS = { tier: 'structure', size: 800 };
const WORDS =
  'the tide returns with the moon and leaves what it carried far behind the wall of the harbour'.split(' ');

const stepsIn = async (folder) =>
  createSteps({
    blobs: createBlobFolder(folder),
    store: await openStore('memory:ranges'),
    embed: (texts) => Promise.resolve({ model: 'none', dimensions: 1, vectors: texts.map(() => [1]) }),
    embedding: { model: 'none', dimensions: 1, distance: 'cosine' },
    settings: SETTINGS,
  });

function report() {
  const line = (page, at) =>
    WORDS.map((_, word) => WORDS[(word * (at + 3) + page * 7 + at) % WORDS.length]).join(' ');
  const pageOf = (page) => [
    { text: `Handbook ${page}`, x: 72, y: 770, size: 8 },
    ...(page % 4 === 1 ? [{ text: `Chapter ${page}`, x: 72, y: 730, size: 18 }] : []),
    ...Array.from({ length: 45 }, (_, at) => ({
      text: `${line(page, at)}${at % 7 === 6 ? '.' : ''}`,
      x: 72,
      y: 700 - 14 * at,
    })),
  ];
  return writePdf({
    pages: Array.from({ length: PAGES }, (_, at) => ({ content: setText(pageOf(at + 1)) })),
  });
}

/** The result of some work with the processor time of all threads in seconds. */
async function timed(work) {
  const before = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(before);
  return { result, seconds: ((user + system) / 1e6).toFixed(2) };
}

/** Runs steps in threads, one at a time in each. */
async function runInThreads(threads, steps) {
  const queue = [...steps];
  const runNext = (thread, resolve) => {
    const step = queue.shift();
    if (step === undefined) return resolve();
    thread.once('message', () => runNext(thread, resolve));
    thread.postMessage(step);
  };
  await Promise.all(threads.map((thread) => new Promise((resolve) => runNext(thread, resolve))));
}

async function main() {
  const bytes = report();
  const whole = await timed(() => chunkSource({ bytes, filename: 'a.pdf' }, SETTINGS));
  console.log(`at once: ${whole.result.chunks.length} chunks, ${whole.seconds} s`);
  for (const count of [1, 2]) {
    const folder = mkdtempSync(join(tmpdir(), 'grainline-ranges-'));
    const blobs = createBlobFolder(folder);
    const steps = await stepsIn(folder);
    const threads = Array.from(
      { length: count },
      () => new Worker(new URL(import.meta.url), { workerData: folder }),
    );
    const submitted = await steps.submit({ documentId: 'a.pdf', revision: 1, filename: 'a.pdf', bytes });
    const plan = await timed(() => steps.plan(submitted));
    const { reads, chain } = plan.result;
    const read = await timed(() => runInThreads(threads, reads));
    const cut = await timed(() => steps.run(chain[0]));
    const { records } = JSON.parse(Buffer.from(await blobs.get(chain[0].key)).toString());
    const same =
      records.length === whole.result.chunks.length &&
      records.every(({ document }, at) => document === whole.result.chunks[at].text);
    const times = `plan ${plan.seconds} s, ${reads.length} reads ${read.seconds} s, cut ${cut.seconds} s`;
    console.log(`${count} threads: ${same ? 'the same chunks' : 'OTHER CHUNKS'}; ${times}`);
    await Promise.all(threads.map((thread) => thread.terminate()));
    rmSync(folder, { recursive: true, force: true });
  }
}

if (isMainThread) await main();
else {
  const steps = await stepsIn(workerData);
  parentPort.on('message', (step) => void steps.run(step).then(() => parentPort.postMessage('done')));
}
