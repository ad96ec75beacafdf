// Starts the built server, alone or by `grainline serve`, on a free port with its own data folder.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

export interface RunningServer {
  readonly url: string;
  /** Ends it with SIGTERM; resolves with its exit code after its exit and the removal of its folder. */
  stop(): Promise<number | null>;
}

const BIN = join(import.meta.dirname, '../../server/dist/bin.js');

/**
 * Resolves when the server reports that it is ready; rejects with its output when it ends before.
 *
 * @param command file for Node, and its arguments
 */
export async function startBuiltServer(
  environment: Readonly<Record<string, string>> = {},
  command: readonly string[] = [BIN],
): Promise<RunningServer> {
  const folder = mkdtempSync(join(tmpdir(), 'grainline-server-'));
  const child = spawn(process.execPath, command, {
    env: {
      PATH: process.env['PATH'],
      PORT: '0',
      RATE_LIMIT: 'off',
      DRAIN_MS: '0',
      DATA_DIR: folder,
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  let printed = '';
  const url = await new Promise<string>((resolve, reject) => {
    const read = (bytes: Buffer): void => {
      printed += bytes.toString();
      const found = /http:\/\/127\.0\.0\.1:\d+/.exec(printed)?.[0];
      if (found !== undefined) resolve(found);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    void ended.then((code) => {
      reject(new Error(`the server ended with ${String(code)} before it listened:\n${printed}`));
    });
  });
  while (!(await fetch(`${url}/ready`)).ok) await wait(20);
  return {
    url,
    async stop() {
      child.kill('SIGTERM');
      const code = await ended;
      rmSync(folder, { recursive: true, force: true });
      return code;
    },
  };
}
