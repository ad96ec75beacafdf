// The name of this process at the lock of a source. A killed load leaves its lock, which is free only after a minute.
// Its name stands in a file with the number of its process, so that the next load on the machine takes the name over.
import { hash, randomUUID } from 'node:crypto';
import { mkdir, readFile, readlink, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { codeOf } from '../errors.ts';
import { stateFolder } from './state-folder.ts';

/** The name of a process, and the end of its use. */
export interface LoadOwner {
  readonly name: string;
  readonly release: () => Promise<void>;
}

/**
 * The processes that this one sees by their numbers: those of the machine, in a container those of its namespace. A
 * home folder may be that of many machines, and containers may share the name of their host.
 */
export async function processSpace(): Promise<string> {
  const namespace = await readlink('/proc/self/ns/pid').catch(() => '');
  return `${hostname()} ${namespace}`;
}

/**
 * The name for the lock of a source in a store: that of an ended process, or a new one. While the process of a name is
 * alive, every other one gets another name, which the store then refuses.
 *
 * @param space the processes whose numbers can be looked up; a file of another space is not read
 */
export async function takeOwner(
  environment: Readonly<Record<string, string | undefined>>,
  space: string,
  ...lock: readonly string[]
): Promise<LoadOwner> {
  const fresh = { name: randomUUID(), release: () => Promise.resolve() };
  const folder = stateFolder(environment, 'loads');
  if (folder === undefined) return fresh;
  const file = join(folder, `${hash('sha256', [space, ...lock].join('\n')).slice(0, 32)}.lock`);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const name = (await takeOver(file)) ?? fresh.name;
    // Only one of two processes makes the file.
    await writeFile(file, `${process.pid} ${name}\n`, { flag: 'wx', mode: 0o600 });
    return { name, release: () => rm(file, { force: true }) };
  } catch (error) {
    // Without the file, the lock of a killed load is free after its time.
    if (codeOf(error) !== undefined) return fresh;
    throw error;
  }
}

/** The name in the file of an ended process, which is moved away; undefined without one. */
async function takeOver(file: string): Promise<string | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const [, pid, name] = /^(\d+) ([0-9a-f-]{36})\n$/.exec(text) ?? [];
  if (name === undefined || isAlive(Number(pid))) return undefined;
  // Of two processes that read the same file, one can move it away.
  const own = `${file}.${process.pid}`;
  await rename(file, own);
  const moved = await readFile(own, 'utf8');
  // The other one was faster and has written its own file since.
  if (moved !== text) await rename(own, file);
  await rm(own, { force: true });
  return moved === text ? name : undefined;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}
