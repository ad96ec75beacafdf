// `npm start`, as a process of its own.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, vi } from 'vitest';

const SCRIPT = join(import.meta.dirname, '../../server/scripts/start.mjs');
const isBuilt = existsSync(join(import.meta.dirname, '../../cli/dist/bin.js'));

it.skipIf(!isBuilt)(
  'a second start on the same port says so, and leaves the wallet of the first one alone',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'grainline-start-'));
    const first = createServer().listen(0, '127.0.0.1');
    await once(first, 'listening');
    const { port } = first.address() as AddressInfo;
    const keys = [join(folder, 'data/play-payer.json'), join(folder, `data/${port}/play-payer.json`)];
    try {
      mkdirSync(join(folder, `data/${port}`), { recursive: true });
      for (const key of keys) writeFileSync(key, 'the key of the first one');
      const env = { PATH: process.env['PATH'], PORT: String(port), LOG_LEVEL: 'silent' };
      const second = promisify(execFile)(process.execPath, [SCRIPT], { cwd: folder, env });
      await expect(second).rejects.toMatchObject({
        code: 1,
        stderr: expect.stringContaining(
          `Port ${port} is taken, perhaps by an earlier npm start; set PORT`,
        ) as string,
      });
      expect(keys.map((key) => readFileSync(key, 'utf8'))).toEqual(
        keys.map(() => 'the key of the first one'),
      );
    } finally {
      first.close();
      rmSync(folder, { recursive: true, force: true });
    }
  },
  120_000,
);

it.skipIf(!isBuilt)(
  'a start with PORT set to nothing looks at the port that the service takes then',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'grainline-start-'));
    // Any other process on the port serves as well.
    const first = createServer();
    const listening = Promise.withResolvers<unknown>();
    first.once('error', listening.resolve).listen(8402, '127.0.0.1', () => listening.resolve(first));
    await listening.promise;
    try {
      const env = { PATH: process.env['PATH'], PORT: '', LOG_LEVEL: 'silent' };
      const second = promisify(execFile)(process.execPath, [SCRIPT], { cwd: folder, env });
      await expect(second).rejects.toMatchObject({
        code: 1,
        stderr: expect.stringContaining('Port 8402 is taken') as string,
      });
    } finally {
      first.close();
      rmSync(folder, { recursive: true, force: true });
    }
  },
  120_000,
);

it.skipIf(!isBuilt)(
  'keeps keys apart where any port is taken, and takes them along at the end',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'grainline-start-'));
    const env = { PATH: process.env['PATH'], PORT: '0', LOG_LEVEL: 'silent' };
    const service = spawn(process.execPath, [SCRIPT], {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const ended = once(service, 'exit');
    try {
      let said = '';
      for (const stream of [service.stdout, service.stderr])
        stream.setEncoding('utf8').on('data', (text: string) => (said += text));
      await vi.waitFor(() => expect(said).toContain('Ctrl-C ends it.'), { timeout: 100_000, interval: 50 });
      const key = /--keypair (\S+)/.exec(said)?.[1] ?? '';
      expect([existsSync(resolve(folder, key)), existsSync(join(folder, 'data'))]).toEqual([true, false]);
      service.kill('SIGTERM');
      expect(await ended).toEqual([0, null]);
      expect(existsSync(resolve(folder, key))).toBe(false);
    } finally {
      service.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    }
  },
  120_000,
);

it.skipIf(!isBuilt)(
  'writes no key where PORT is no port, and says so',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'grainline-start-'));
    try {
      const env = { PATH: process.env['PATH'], PORT: '..', LOG_LEVEL: 'silent' };
      const service = promisify(execFile)(process.execPath, [SCRIPT], { cwd: folder, env });
      await expect(service).rejects.toMatchObject({
        stderr: expect.stringContaining('PORT must be') as string,
      });
      expect(readdirSync(folder)).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
  120_000,
);
