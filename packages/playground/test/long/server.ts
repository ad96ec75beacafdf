// The server as its users run it: a process of its own, from the build.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** A server process. */
export interface ServerProcess {
  readonly url: string;
  readonly pid: number;
  /** Ends it as a power cut does. */
  kill(): Promise<void>;
  /** Ends it as an operator does; resolves with the ms that it took, and rejects when it does not end well. */
  stop(): Promise<number>;
}

const COMMAND = fileURLToPath(new URL('../../../server/bin/grainline-server.js', import.meta.url));

/** Starts a server with these settings alone; resolves once it listens. */
export async function startServer(settings: Readonly<Record<string, string>>): Promise<ServerProcess> {
  const child = spawn(process.execPath, [COMMAND], {
    env: { LOG_LEVEL: 'error', ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const url = await addressOf(child, ended);
  if (child.pid === undefined) throw new Error('What has an address runs.');
  return {
    url,
    pid: child.pid,
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
