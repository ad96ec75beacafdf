// Hostile documents of every kind against a service with one child process: each ends with its code or its text within
// its time, the child's memory stays bounded, and the next honest request gets its answer. Exits with 1 when one does
// not. About five minutes. `ONLY='rtf: '` takes those whose kind and name hold these words.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HOSTILE_DOCUMENTS } from '../hostile/documents/index.ts';
import { cpuOf } from './service.ts';
import { startHostileTarget } from '../hostile/start-service.ts';
import { isExpected, outcomeOf } from '../hostile/documents/send.ts';

const MIB = 1024 ** 2;
/** Processor time of the service and its child for a document: other programs may run beside it. */
const MOST_MS = 12_000;
/** Resident memory of the child process at its height. */
const MOST_BYTES = 700 * MIB;
const only = process.env['ONLY'];

const folder = mkdtempSync(join(tmpdir(), 'grainline-documents-'));
const service = await startHostileTarget(folder, {
  PAYMENTS: 'off',
  UPLOAD_KINDS: 'all',
  WORK_TIMEOUT_MS: '60000',
});
const honest = await outcomeOf(service.url, 'note.txt', Buffer.from('An honest text.'));
const broken: string[] = [];
for (const { kind, name, filename, bytes, expected } of HOSTILE_DOCUMENTS) {
  if (only !== undefined && !`${kind}: ${name}`.includes(only)) continue;
  const content = bytes();
  resetPeaks();
  const startedMs = cpuOf(service.process.pid ?? 0);
  const outcome = await outcomeOf(service.url, filename, content);
  const ms = cpuOf(service.process.pid ?? 0) - startedMs;
  const peak = peakOf();
  const issues = [
    ...(isExpected(outcome, expected) ? [] : [`not ${String(expected)}`]),
    ...(ms > MOST_MS ? ['late'] : []),
    ...(peak > MOST_BYTES ? ['large'] : []),
    ...((await outcomeOf(service.url, 'note.txt', Buffer.from('An honest text.'))) === honest
      ? []
      : ['the next request']),
  ];
  if (issues.length > 0) broken.push(`${kind}: ${name}`);
  console.log(
    `${issues.length === 0 ? 'ok' : 'BROKEN'} ${kind}: ${name}: ${(content.length / 1024).toFixed(0)} kB, ${(ms / 1000).toFixed(2)} s, ${(peak / MIB).toFixed(0)} MiB, ${outcome.slice(0, 90).replace(/\s+/g, ' ')}${issues.length === 0 ? '' : ` (${issues.join(', ')})`}`,
  );
}
await service.stop();
rmSync(folder, { recursive: true, force: true });
console.log(broken.length === 0 ? 'all hold' : `broken: ${broken.join('; ')}`);
process.exit(broken.length === 0 ? 0 : 1);

/** Child processes that run now; one that a document has ended is replaced by another. */
function childrenOf(pid: number | undefined): string[] {
  return read(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean);
}

/** Makes the present memory of the children their height (Linux, proc_pid_clear_refs). */
function resetPeaks(): void {
  for (const child of childrenOf(service.process.pid)) writeFileSync(`/proc/${child}/clear_refs`, '5');
}

/** The greatest resident memory of a child since the last reset, in bytes. */
function peakOf(): number {
  const kilobytes = childrenOf(service.process.pid).map(
    (child) => /^VmHWM:\s+(\d+) kB/m.exec(read(`/proc/${child}/status`))?.[1] ?? 0,
  );
  return Math.max(...kilobytes.map(Number)) * 1024;
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
