// `npm start`, as a process of its own.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

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
