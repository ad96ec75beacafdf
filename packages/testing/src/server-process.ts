// The server as its users run it: a process of its own, from the build, which ends with the program that starts it.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { endWithUs } from './processes.ts';

/** A server process. */
export interface ServerProcess {
  readonly pid: number;
  readonly url: string;
  /** Asks until it is ready to sell; from then on it is watched, and drains for DRAIN_MS when it is stopped. */
  ready(): Promise<void>;
  /** Ends it as a power cut does. */
  kill(): Promise<void>;
  /** Ends it as an operator does; resolves with the ms that it took, and rejects when it does not end well. */
  stop(): Promise<number>;
}

const COMMAND = fileURLToPath(new URL('../../server/bin/grainline-server.js', import.meta.url));
const READY_LOOK_MS = 5;

/** Starts a server with these settings alone; resolves once it listens. */
export async function startServer(settings: Readonly<Record<string, string>>): Promise<ServerProcess> {
  const child = spawn(process.execPath, [COMMAND], {
    env: { LOG_LEVEL: 'error', ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  endWithUs(child);
  const ended = once(child, 'exit');
  const url = await addressOf(child, ended);
  if (child.pid === undefined) throw new Error('What has an address runs.');
  return {
    pid: child.pid,
    url,
    async ready() {
      while (!(await fetch(`${url}/ready`)).ok) await wait(READY_LOOK_MS);
    },
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
    async stop() {
      const beganMs = performance.now();
      child.kill('SIGTERM');
      const [code] = (await ended) as [number | null];
      if (code !== 0) throw new Error(`The server ended with ${code}.`);
      return performance.now() - beganMs;
    },
  };
}

async function addressOf(child: ChildProcess, ended: Promise<unknown>): Promise<string> {
  if (child.stdout === null) throw new Error('Its output is a pipe.');
  const lines = createInterface(child.stdout);
  const listening = new Promise<string>((resolve) => {
    lines.on('line', (line) => {
      const [, url] = / listens on (\S+)$/.exec(line) ?? [];
      if (url !== undefined) resolve(url);
    });
  });
  const url = await Promise.race([listening, ended.then(() => undefined)]);
  if (url === undefined) throw new Error('The server ended before it listened.');
  return url;
}
