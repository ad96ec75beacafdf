// How much memory processes take, and word when one takes too much. The heap limit of Node counts neither buffers nor
// WebAssembly, so the process is watched from outside.
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';

/** Watches processes. */
export interface MemoryWatch {
  /** Calls `onOver` once, when the process first takes more than is allowed; ends with the returned function. */
  add(pid: number, onOver: () => void): () => void;
}

/** What tests put in the place of the system. */
export interface MemoryPorts {
  /** Resident memory of a process in bytes; undefined when it is gone or nobody can tell. */
  readonly residentBytes: (pid: number) => Promise<number | undefined>;
  readonly everyMs: number;
}

/** Memory can grow by some 500 MB in this time; the machine must have that much to spare. */
const EVERY_MS = 250;

/** A watch that allows each process `maxBytes`. It looks only while there is something to look at. */
export function createMemoryWatch(
  maxBytes: number,
  { residentBytes, everyMs }: MemoryPorts = { residentBytes: residentBytesBySystem, everyMs: EVERY_MS },
): MemoryWatch {
  function add(pid: number, onOver: () => void): () => void {
    let ended = false;
    const look = async (): Promise<void> => {
      const taken = await residentBytes(pid);
      if (ended) return;
      if (taken !== undefined && taken > maxBytes) onOver();
      else timer.refresh();
    };
    const timer = setTimeout(() => void look(), everyMs).unref();
    return () => {
      ended = true;
      clearTimeout(timer);
    };
  }
  return { add };
}

/**
 * Reads a process's memory from /proc on Linux, from `ps` elsewhere. Windows has neither, so that only the heap limit
 * and the time limit hold there.
 */
export async function residentBytesBySystem(pid: number): Promise<number | undefined> {
  try {
    const kilobytes = process.platform === 'linux' ? await fromProc(pid) : await fromPs(pid);
    return kilobytes === undefined ? undefined : kilobytes * 1024;
  } catch {
    return undefined;
  }
}

async function fromProc(pid: number): Promise<number | undefined> {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? [];
  return kilobytes === undefined ? undefined : Number(kilobytes);
}

function fromPs(pid: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    execFile('ps', ['-o', 'rss=', '-p', String(pid)], (_, stdout) => {
      resolve(/^\s*\d+\s*$/.test(stdout) ? Number(stdout) : undefined);
    });
  });
}
