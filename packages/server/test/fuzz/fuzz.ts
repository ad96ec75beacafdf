// `npm run fuzz -- --minutes 15 --seed 7`: sends changed documents, forms, bodies and heads to a service in a process
// of its own, and watches that every answer is one of the API, in time, and none of them 5xx; that memory stays
// bounded; and that honest requests in between get the same answer as ever. What goes wrong is written into a folder
// (`--findings`), one file each, and sent again by `--replay file`. `--kind rtf` sends documents of one kind alone.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { deploymentOf } from '../../src/catalog.ts';
import { undescribed } from '../http/described.ts';
import { memoryOf } from '@grainline/testing/processes';
import { type HostileTarget, startHostileTarget } from '../hostile/start-service.ts';
import { type FuzzCase, fuzzCase } from './cases.ts';

/** For any answer. */
const MOST_MS = 15_000;
/** Of the service and its child together. */
const MOST_BYTES = 1.2 * 1024 ** 3;
const AT_ONCE = 4;
/** Cases between two looks at an honest request. */
const HONEST_EACH = 50;
const DEPLOYMENT = deploymentOf({ deployment: 'primary', payments: 'off', payTo: undefined });

/** Outcome of one exchange: an answer, or none. */
interface ExchangeOutcome {
  /** `200`, `400`, `closed`. */
  readonly status: string;
  /** Broken promises of the exchange; empty when all hold. */
  readonly issues: readonly string[];
}

const { values: given } = parseArgs({
  options: {
    minutes: { type: 'string', default: '1' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    findings: { type: 'string', default: 'fuzz-findings' },
    replay: { type: 'string' },
    kind: { type: 'string' },
  },
});
process.exit(
  given.replay === undefined
    ? await fuzz(Number(given.seed), Number(given.minutes))
    : await replay(given.replay),
);

async function fuzz(seed: number, minutes: number): Promise<number> {
  console.log(`seed ${seed}, ${minutes} minutes`);
  const endMs = performance.now() + minutes * 60_000;
  const folder = mkdtempSync(join(tmpdir(), 'grainline-fuzz-'));
  let service = await start(folder);
  const honest = await askHonestly(service);
  const counts = new Map<string, number>();
  let [number, findings, mostBytes, slowestMs] = [0, 0, 0, 0];
  /** Late, or answered with 503: of a machine that has other things to do that says nothing, unless it comes again. */
  const doubtful = new Map<number, FuzzCase>();
  const watch = setInterval(() => (mostBytes = Math.max(mostBytes, memoryOf(service.process.pid ?? 0))), 200);
  const report = setInterval(() => console.log(summary()), 30_000);
  const summary = (): string =>
    `${number} cases, ${findings} findings, at most ${Math.round(mostBytes / 2 ** 20)} MiB, slowest ${Math.round(slowestMs)} ms: ${[
      ...counts,
    ]
      .sort()
      .map(([key, count]) => `${key} ${count}`)
      .join(', ')}`;
  const record = (name: string, entry: FuzzCase, issues: readonly string[]): void => {
    findings += 1;
    mkdirSync(given.findings, { recursive: true });
    const file = join(given.findings, `${seed}-${name}.json`);
    writeFileSync(file, JSON.stringify({ issues, ...entry, body: entry.body.toString('base64') }, null, 2));
    console.log(`${file}: ${issues.join('; ')}`);
  };

  const worker = async (): Promise<void> => {
    while (performance.now() < endMs) {
      const mine = number++;
      const entry = fuzzCase(seed, mine, given.kind);
      const startedMs = performance.now();
      const { status, issues } = await send(service, entry);
      const ms = performance.now() - startedMs;
      slowestMs = Math.max(slowestMs, ms);
      const key = `${entry.kind} ${status}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
      const dead =
        service.process.exitCode === null ? [] : [`the service ended with ${service.process.exitCode}`];
      if (dead.length === 0 && (ms > MOST_MS || status === '503')) doubtful.set(mine, entry);
      else if (issues.length + dead.length > 0) record(String(mine), entry, [...issues, ...dead]);
      if (dead.length > 0) service = await start(folder);
      if (mine % HONEST_EACH !== 0) continue;
      const after = await askHonestly(service);
      if (after !== honest)
        record(`${mine}-honest`, entry, [`an honest request then got ${after.slice(0, 200)}`]);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  console.log(`${doubtful.size} were late, or met a service with its hands full: once more, one by one`);
  for (const [late, entry] of doubtful) {
    const startedMs = performance.now();
    const { issues } = await send(service, entry);
    const ms = performance.now() - startedMs;
    if (issues.length > 0 || ms > MOST_MS)
      record(String(late), entry, [...issues, `it took ${Math.round(ms)} ms`]);
  }
  clearInterval(watch);
  clearInterval(report);
  if (mostBytes > MOST_BYTES) {
    findings += 1;
    console.log(`memory reached ${Math.round(mostBytes / 2 ** 20)} MiB`);
  }
  console.log(summary());
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
  return findings === 0 ? 0 : 1;
}

async function replay(file: string): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'grainline-fuzz-'));
  const service = await start(folder);
  const kept = JSON.parse(readFileSync(file, 'utf8')) as Omit<FuzzCase, 'body'> & { body: string };
  const startedMs = performance.now();
  const { status, issues } = await send(service, { ...kept, body: Buffer.from(kept.body, 'base64') });
  console.log(
    `${status} after ${Math.round(performance.now() - startedMs)} ms: ${issues.join('; ') || 'as described'}`,
  );
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
  return issues.length === 0 ? 0 : 1;
}

function start(folder: string): Promise<HostileTarget> {
  return startHostileTarget(folder, { PAYMENTS: 'off', UPLOAD_KINDS: 'all', WORK_TIMEOUT_MS: '10000' });
}

/** The outcome of an honest request: `ok`, or the issue. */
async function askHonestly({ url }: HostileTarget): Promise<string> {
  try {
    const health = await fetch(`${url}/health`, { signal: AbortSignal.timeout(MOST_MS) });
    const body = JSON.stringify({ tier: 'structure', text: '# Tides\n\nHigh water follows the moon.' });
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${url}/chunk`, {
      method: 'POST',
      headers,
      body,
      signal: AbortSignal.timeout(MOST_MS),
    });
    return `${health.status} ${response.status} ${await response.text()}`;
  } catch (error) {
    return String(error);
  }
}

async function send({ url }: HostileTarget, entry: FuzzCase): Promise<ExchangeOutcome> {
  return entry.method === undefined ? sendBytes(url, entry.body) : sendRequest(url, entry.method, entry);
}

async function sendRequest(
  url: string,
  method: string,
  { path, contentType = '', body }: FuzzCase,
): Promise<ExchangeOutcome> {
  try {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { 'content-type': contentType },
      body: new Uint8Array(body),
      signal: AbortSignal.timeout(2 * MOST_MS),
    });
    const text = await response.text();
    return { status: String(response.status), issues: findBreaches(method, path, response.status, text) };
  } catch (error) {
    return { status: 'none', issues: [`no answer: ${String(error)}`] };
  }
}

function findBreaches(method: string, path: string, status: number, text: string): string[] {
  const server = status >= 500 ? [`${status}: ${text.slice(0, 300)}`] : [];
  return [...server, ...undescribed(DEPLOYMENT, method, path, { status, headers: {}, text })];
}

/** Any answer that is none of 5xx will do, and none as well, as long as the connection ends. */
function sendBytes(url: string, bytes: Buffer): Promise<ExchangeOutcome> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    const received: Buffer[] = [];
    const end = (issues: readonly string[] = []): void => {
      socket.destroy();
      const [, status = 'closed'] =
        /^HTTP\/1\.1 (\d{3})/.exec(Buffer.concat(received).toString('latin1')) ?? [];
      resolve({ status, issues: status.startsWith('5') ? [...issues, `answered ${status}`] : issues });
    };
    socket.setTimeout(2 * MOST_MS, () => end(['the connection does not end']));
    socket.on('data', (piece) => received.push(piece));
    socket.on('end', () => end()).on('error', () => end());
    socket.end(bytes);
  });
}
