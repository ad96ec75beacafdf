// Every documented start of the service ends at a signal, also where only npm and its shell get it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

const ROOT = join(import.meta.dirname, '../../..');
const isBuilt = existsSync(join(ROOT, 'packages/cli/dist/bin.js'));
/** The default of SHUTDOWN_MS. Without a client no start needs more than a few seconds of it. */
const DRAIN_MS = 25_000;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'grainline-stops-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Signals to the started process alone, and Ctrl-C, which a terminal sends to all of its processes. */
const SIGNALS = ['SIGTERM', 'SIGINT', 'Ctrl-C'] as const;
/** A shell between npm and the command may ignore SIGINT while the command runs. */
const SHELL_SIGNALS = ['SIGTERM', 'Ctrl-C'] as const;

/** The start, a text that it prints once it runs, and what ends it. */
const STARTS: readonly (readonly [string, string, readonly (typeof SIGNALS)[number][]])[] = [
  ['npm run serve', 'listens on', SIGNALS],
  ['npm start', 'Ctrl-C ends it.', SIGNALS],
  ['npx grainline serve', 'listens on', SHELL_SIGNALS],
  ['npx grainline-server', 'listens on', SHELL_SIGNALS],
  ['npm start --workspace packages/playground -- KEYS', 'Ctrl-C ends it,', SHELL_SIGNALS],
  ['node packages/server/bin/grainline-server.js', 'listens on', SIGNALS],
];

describe.skipIf(!isBuilt).each(STARTS)('%s', (command, printed, signals) => {
  it.each(signals)(
    'ends at %s within its time',
    async (signal) => {
      const [program = '', ...args] = command.replace('KEYS', join(folder, 'keys')).split(' ');
      const child = spawn(program, args, {
        cwd: ROOT,
        env: {
          PATH: process.env['PATH'],
          PORT: '0',
          PLAYCHAIN_PORT: '0',
          DATA_DIR: folder,
          LOG_LEVEL: 'silent',
        },
        stdio: ['ignore', 'pipe', 'pipe'],
        // A group of its own, as a terminal makes one.
        detached: true,
      });
      try {
        let said = '';
        for (const stream of [child.stdout, child.stderr])
          stream.setEncoding('utf8').on('data', (text: string) => (said += text));
        await vi.waitFor(() => expect(said).toContain(printed), { timeout: 100_000, interval: 50 });
        if (signal === 'Ctrl-C') signalGroup(child.pid, 'SIGINT');
        else child.kill(signal);
        // Its output closes with the last process that holds it, not with npm.
        await once(child, 'close', { signal: AbortSignal.timeout(DRAIN_MS) });
        expect(existsSync(join(folder, 'keys'))).toBe(command.includes('KEYS'));
      } finally {
        signalGroup(child.pid, 'SIGKILL');
      }
    },
    150_000,
  );
});

function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {
    // It has ended.
  }
}
