// Starts the service of service-process.ts: a whole service from sources, in a process of its own.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { endWithUs } from '@grainline/testing/processes';

export interface HostileTarget {
  readonly url: string;
  readonly process: ChildProcess;
  /** Payments of every kind, by their names. */
  readonly proofs: Readonly<Record<string, string>>;
  readonly stop: () => Promise<void>;
}

const HERE = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** Starts it on a folder, with one child process, and without limits on requests. */
export async function startHostileTarget(
  folder: string,
  settings: Readonly<Record<string, string>>,
): Promise<HostileTarget> {
  const files = ['--import', HERE('../sandbox/from-sources.mjs'), HERE('service-process.ts')];
  const env = {
    PORT: '0',
    DATA_DIR: folder,
    WORKERS: '1',
    FREE_PAGES_PER_DAY: '1000000000',
    RATE_LIMIT: 'off',
    LOG_LEVEL: 'error',
    ...settings,
  };
  const child = spawn(process.execPath, files, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  endWithUs(child);
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  const { url, proofs } = JSON.parse(line) as Pick<HostileTarget, 'url' | 'proofs'>;
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  return { url, proofs, process: child, stop };
}
