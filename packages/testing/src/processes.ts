// Facts about processes (Linux: /proc), and child processes that end together with their test or long program.
import type { ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';

/** Live processes of the pool that `parent` has started. */
export function childrenOf(parent: number): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => parentOf(pid) === parent && isAlive(pid) && isWorker(pid));
}

export function isAlive(pid: number): boolean {
  const [state] = statOf(pid);
  return state !== undefined && state !== 'Z' && state !== 'X';
}

export function niceOf(pid: number): number {
  return Number(statOf(pid)[16]);
}

/** Memory of a process and of all that it has started, in bytes: what they share counts once each. */
export function memoryOf(pid: number): number {
  const status = read(`/proc/${pid}/status`);
  const own = Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024;
  const children = read(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean);
  return children.reduce((sum, child) => sum + memoryOf(Number(child)), own);
}

function parentOf(pid: number): number {
  return Number(statOf(pid)[1]);
}

/** Fields of /proc/<pid>/stat from the third, the state, on; none when the process is gone. */
function statOf(pid: number): string[] {
  const line = read(`/proc/${pid}/stat`);
  return line === '' ? [] : line.slice(line.lastIndexOf(')') + 2).split(' ');
}

function isWorker(pid: number): boolean {
  return read(`/proc/${pid}/cmdline`).includes('tinypool');
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

const children = new Set<ChildProcess>();

/** Has a process ended when this one ends, be it by its last line, an exception or a signal. */
export function endWithUs(child: ChildProcess): void {
  watchOurEnd();
  children.add(child);
  child.once('exit', () => children.delete(child));
}

/**
 * Node tells of every end but that by a signal, which it does not survive to tell: such an end becomes one that it
 * does.
 */
let isWatching = false;
function watchOurEnd(): void {
  if (isWatching) return;
  isWatching = true;
  process.on('exit', () => {
    for (const child of children) child.kill('SIGKILL');
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => process.exit(128 + constants.signals[signal]));
}
