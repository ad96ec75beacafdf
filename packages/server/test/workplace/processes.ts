// What the system says of processes (Linux: /proc).
import { readdirSync, readFileSync } from 'node:fs';

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
