// A server process without payments and limits on requests, and what the system says of it.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryOf } from '@grainline/testing/processes';
import { startServer } from '@grainline/testing/server-process';

export interface ServiceProcess {
  readonly url: string;
  /** Processor time of it and of its children so far, in ms; those that ended count too. */
  cpuMs(): number;
  /** Memory of it and of its children, in bytes. */
  memory(): number;
  /** Files and sockets that it holds open. */
  handles(): number;
  /** Sends SIGTERM; resolves with the ms that it took, and rejects when it does not end well. */
  stop(): Promise<number>;
}

/** Starts it with these settings alone, without payments and limits on requests, on a folder of its own. */
export async function startService(settings: Readonly<Record<string, string>> = {}): Promise<ServiceProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'grainline-long-'));
  const server = await startServer({
    PORT: '0',
    DATA_DIR: folder,
    PAYMENTS: 'off',
    RATE_LIMIT: 'off',
    FREE_PAGES_PER_DAY: '1000000000',
    ...settings,
  });
  const { pid, url } = server;
  return {
    url,
    cpuMs: () => cpuOf(pid),
    memory: () => memoryOf(pid),
    handles: () => readdirSync(`/proc/${pid}/fd`).length,
    stop: () => server.stop().finally(() => rmSync(folder, { recursive: true, force: true })),
  };
}

/** Linux counts processor time in hundredths of a second. */
const TICK_MS = 10;

/** Processor time of a process and of all below it, in ms. */
export function cpuOf(pid: number): number {
  const stat = read(`/proc/${pid}/stat`);
  if (stat === '') return 0;
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // utime, stime, and the same of children that have ended and were waited for.
  const own = [11, 12, 13, 14].reduce((sum, index) => sum + Number(fields[index]), 0) * TICK_MS;
  const children = read(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean);
  return children.reduce((sum, child) => sum + cpuOf(Number(child)), own);
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
