// Payments that outlive the process: a file for each version of each entry. A new version is linked to its name whole,
// and counts where the name was free and no later version is there, so that of two processes at the same request only
// one goes on.
import { randomUUID } from 'node:crypto';
import { link, mkdir, open, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type PaymentMemory, readRemembered, writeRemembered } from '@grainline/x402/client';
import { CliError, codeOf } from './errors.ts';

/** Versions of an entry that stay: the last, and the one that others may be reading. */
const KEPT_VERSIONS = 2;

/**
 * Where payments are kept: `grainline/payments` in the folder for state of the XDG base directories.
 *
 * @throws CliError `no_state_folder`
 */
export function paymentFolder(environment: Readonly<Record<string, string | undefined>>): string {
  const { XDG_STATE_HOME: state = '', HOME: home = environment['USERPROFILE'] ?? '' } = environment;
  // The standard says that a relative path is to be ignored.
  if (state.startsWith('/')) return join(state, 'grainline/payments');
  if (home === '') throw new CliError('no_state_folder');
  return join(home, '.local/state/grainline/payments');
}

/** A memory of payments in a folder, which is made when it is first written to. */
export function openPaymentFolder(path: string): PaymentMemory {
  const fileOf = (key: string, version: number): string => join(path, `${key}.${version}.json`);

  return {
    async read(key) {
      for (let gone = 0; ;) {
        const version = (await versionsOf(path, key)).at(-1);
        if (version === undefined) return null;
        const file = fileOf(key, version);
        const text = await readFile(file, 'utf8').catch((error: unknown) => {
          // Others have written twice since it was listed; there is a later one then.
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
      // A name is free again once others have written that version and two more; theirs are there then, and ours is
      // old.
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

/** False when the name is taken. */
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

/** A name that a power cut takes back would be a payment that is forgotten. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
