// Ten scans at once, and how long /health takes while their pages are read. Needs the build.
//
//   node packages/server/test/long/scans.ts        SCANS=10 PAGES=3
import { openPages } from '@grainline/extract/pages';
import { createClient, HEALTH, quantile, sleep, uploadOf } from '@grainline/testing/load';
import { greyPixels, writeScans } from '@grainline/testing/scanned-pdf';
import { pdfOf } from '../sandbox/tasks.ts';
import { startService } from './service.ts';

const SCANS = Number(process.env['SCANS'] ?? 10);
const PAGES = Number(process.env['PAGES'] ?? 3);
/** Most that the 99th percentile of /health may take. */
const MOST_MS = 100;
const PROBE_MS = 10;

const pages = await openPages(pdfOf(1));
const drawn = await pages.drawPage(1, 200 / 72).finally(() => pages.close());
const picture = { width: drawn.width, height: drawn.height, pixels: greyPixels(drawn) };
const scan = uploadOf(
  writeScans(Array.from({ length: PAGES }, () => ({ width: 612, height: 792, picture }))),
  'scan.pdf',
);

// The children have a low priority, and /health is the measure here, also on a machine that has other things to do.
const service = await startService({ OCR: 'tesseract', WORK_TIMEOUT_MS: '600000' });
const [client, prober] = [createClient(service.url, SCANS), createClient(service.url, 1)];
const startedMs = performance.now();
let isOver = false;
const sending = Promise.all(Array.from({ length: SCANS }, () => client.send(scan)));
void sending.finally(() => (isOver = true));
const times: number[] = [];
const discrepancies: string[] = [];
let mostBytes = 0;
while (!isOver) {
  const { outcome, ms } = await prober.send(HEALTH);
  if (outcome !== 200) discrepancies.push(`/health answered ${outcome}`);
  times.push(ms);
  mostBytes = Math.max(mostBytes, service.memory());
  await sleep(PROBE_MS);
}
const seconds = (performance.now() - startedMs) / 1000;
for (const { outcome, text } of await sending)
  if (outcome !== 200) discrepancies.push(`a scan got ${outcome} ${text}`);
client.close();
prober.close();
await service.stop();

const p99 = quantile(times, 0.99);
if (p99 > MOST_MS) discrepancies.push(`p99 of /health is over ${MOST_MS} ms`);
console.log(
  `${SCANS} scans of ${PAGES} pages in ${seconds.toFixed(1)} s, ${Math.round(mostBytes / 2 ** 20)} MiB together; ` +
    `/health p50 ${quantile(times, 0.5).toFixed(1)}, p99 ${p99.toFixed(1)}, worst ${Math.max(...times).toFixed(1)} ms of ${times.length}`,
);
for (const discrepancy of discrepancies) console.log(`WRONG: ${discrepancy}`);
process.exitCode = discrepancies.length === 0 ? 0 : 1;
