// Payments that outlive the process: a file for each version of an entry. A new version is linked to its name whole. It
// counts when the name was free and no later version exists, so that only one of two processes continues a request.
import { randomUUID } from 'node:crypto';
import { link, mkdir, open, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type PaymentMemory, readRemembered, writeRemembered } from '@grainline/x402/client';
import { CliError, codeOf } from '../errors.ts';
import { stateFolder } from '../local/state-folder.ts';

/** Kept versions of an entry: the last, and the one that other processes may be reading. */
const KEPT_VERSIONS = 2;

/**
 * Folder of the payments: `grainline/payments` in the state folder of the XDG base directories.
 *
 * @throws CliError `no_state_folder`
 */
export function paymentFolder(environment: Readonly<Record<string, string | undefined>>): string {
  const folder = stateFolder(environment, 'payments');
  if (folder === undefined) throw new CliError('no_state_folder');
  return folder;
}

/** A memory of payments in a folder, which the first write creates. */
export function openPaymentFolder(path: string): PaymentMemory {
  const fileOf = (key: string, version: number): string => join(path, `${key}.${version}.json`);

  return {
    async read(key) {
      for (let gone = 0; ;) {
        const version = (await versionsOf(path, key)).at(-1);
        if (version === undefined) return null;
        const file = fileOf(key, version);
        const text = await readFile(file, 'utf8').catch((error: unknown) => {
          // Two later writes have removed the listed version, so a newer one exists.
          if (codeOf(error) === 'ENOENT' && version > gone) return undefined;
          throw error;
        });
        gone = version;
        if (text === undefined) continue;
        const payment = readRemembered(text);
        if (payment !== null) return { payment, version };
        throw new Error(`${file} is damaged; if nothing was paid for this request, remove it`);
      }
    },

    async write(key, payment, version) {
      await mkdir(path, { recursive: true, mode: 0o700 });
      const draft = join(path, `${randomUUID()}.draft`);
      try {
        await writeDurably(draft, writeRemembered(payment));
        if (!(await linkNew(draft, fileOf(key, version + 1)))) return false;
      } finally {
        await rm(draft, { force: true });
      }
      await syncFolder(path);
      const versions = await versionsOf(path, key);
      const old = versions.slice(0, -KEPT_VERSIONS);
      for (const past of old) await rm(fileOf(key, past), { force: true });
      // Removal frees a name after two later versions. They exist then, and this version is outdated.
      return versions.at(-1) === version + 1;
    },
  };
}

/** Versions of an entry, ascending. */
async function versionsOf(path: string, key: string): Promise<number[]> {
  const names = await readdir(path).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  });
  return names
    .filter((name) => name.startsWith(`${key}.`) && /^\.\d+\.json$/.test(name.slice(key.length)))
    .map((name) => Number(name.slice(key.length + 1, -'.json'.length)))
    .sort((a, b) => a - b);
}

/** False when the name exists. */
async function linkNew(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** A power cut could otherwise undo the name and lose the payment. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
