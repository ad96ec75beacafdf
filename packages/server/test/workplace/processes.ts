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
