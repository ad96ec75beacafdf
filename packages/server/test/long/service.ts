// The service as its users run it: a process of its own, from the build; and what the system says of it.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { memoryOf } from '../workplace/processes.ts';

const COMMAND = fileURLToPath(new URL('../../bin/grainline-server.js', import.meta.url));

export interface ServiceProcess {
  readonly url: string;
  /** Processor time of it and of its children so far, in ms; those that ended count too. */
  cpuMs(): number;
  /** Memory of it and of its children, in bytes. */
  memory(): number;
  /** Files and sockets that it holds open. */
  handles(): number;
  /** Sends SIGTERM; resolves with the exit code and the ms that it took. */
  stop(): Promise<{ readonly code: number | null; readonly ms: number }>;
}

/** Starts it with these settings alone, without payments and limits on requests, on a folder of its own. */
export async function startService(settings: Readonly<Record<string, string>> = {}): Promise<ServiceProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'grainline-long-'));
  const env = {
    PORT: '0',
    DATA_DIR: folder,
    PAYMENTS: 'off',
    RATE_LIMIT: 'off',
    FREE_PAGES_PER_DAY: '1000000000',
    LOG_LEVEL: 'error',
    ...settings,
  };
  const child = spawn(process.execPath, [COMMAND], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit') as Promise<[number | null]>;
  const url = await addressOf(child, exited);
  const pid = child.pid ?? 0;
  return {
    url,
    cpuMs: () => cpuOf(pid),
    memory: () => memoryOf(pid),
    handles: () => readdirSync(`/proc/${pid}/fd`).length,
    async stop() {
      const startedMs = performance.now();
      child.kill('SIGTERM');
      const [code] = await exited;
      rmSync(folder, { recursive: true, force: true });
      return { code, ms: performance.now() - startedMs };
    },
  };
}

async function addressOf(child: ChildProcess, exited: Promise<unknown>): Promise<string> {
  if (child.stdout === null) throw new Error('Its output is a pipe.');
  const lines = createInterface(child.stdout);
  const listening = new Promise<string>((resolve) => {
    lines.on('line', (line) => {
      const [, url] = / listens on (\S+)$/.exec(line) ?? [];
      if (url !== undefined) resolve(url);
    });
  });
  const url = await Promise.race([listening, exited.then(() => undefined)]);
  if (url === undefined) throw new Error('The service ended before it listened.');
  return url;
}

/** What Linux counts in hundredths of a second. */
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
