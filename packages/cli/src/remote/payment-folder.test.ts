// A reader of payments that writers overtake between the listing and the reading of the latest file.
import { mkdtempSync, rmSync } from 'node:fs';
import type * as promises from 'node:fs/promises';
import { symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import type * as paymentFolder from './payment-folder.ts';

/** Runs before the reading of a file. */
const reading = { before: () => Promise.resolve() };
let openPaymentFolder: typeof paymentFolder.openPaymentFolder;

// Other test files share this process, and need the module with the system's own functions.
beforeAll(async () => {
  vi.resetModules();
  vi.doMock('node:fs/promises', async (original) => {
    const system = await original<typeof promises>();
    const readFile = async (...given: Parameters<typeof system.readFile>) => {
      await reading.before();
      return system.readFile(...given);
    };
    return { ...system, readFile };
  });
  ({ openPaymentFolder } = await import('./payment-folder.ts'));
});
afterAll(() => {
  vi.doUnmock('node:fs/promises');
  vi.resetModules();
});

const folder = mkdtempSync(join(tmpdir(), 'grainline-payments-'));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const payment = {
  order: { payTo: 'a', amount: 4000n, asset: 'b', decimals: 6, network: 'n', memo: 'm' },
  attempts: [],
  answered: false,
  spent: [],
};

it('what others have replaced twice meanwhile is read as it is now', async () => {
  const memory = openPaymentFolder(folder);
  await memory.write('key', payment, 0);
  let version = 1;
  reading.before = async () => {
    while (version < 3) await memory.write('key', { ...payment, answered: true }, version++);
  };
  expect(await memory.read('key')).toEqual({ payment: { ...payment, answered: true }, version: 3 });
});

it('a name that leads nowhere is not looked for again and again', async () => {
  reading.before = () => Promise.resolve();
  const memory = openPaymentFolder(folder);
  await memory.write('key', payment, 0);
  await symlink('nowhere', join(folder, 'key.2.json'));
  await expect(memory.read('key')).rejects.toThrow(/ENOENT/);
});

it('one that read before others wrote three times is refused, although the name of its version is free again', async () => {
  reading.before = () => Promise.resolve();
  const memory = openPaymentFolder(folder);
  for (const version of [0, 1, 2]) expect(await memory.write('key', payment, version)).toBe(true);
  expect(await memory.write('key', { ...payment, answered: true }, 0)).toBe(false);
  expect(await memory.read('key')).toEqual({ payment, version: 3 });
  expect(await memory.write('key', payment, 3)).toBe(true);
});
