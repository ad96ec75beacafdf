// Watches the memory of child processes from outside, because Node's heap limit counts neither buffers nor WebAssembly.
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';

/** Calls `onOver` once, when the process first exceeds its limit. The returned function ends the watch. */
export type MemoryWatch = (pid: number, onOver: () => void) => () => void;

/** The system, which tests replace. */
export interface MemoryPorts {
  /** Resident memory of a process in bytes; undefined for an ended process and on unsupported systems. */
  readonly residentBytes: (pid: number) => Promise<number | undefined>;
  readonly everyMs: number;
}

/** Memory can grow by some 500 MB in this time. The machine needs that reserve. */
const EVERY_MS = 250;

/** A watch with a limit of `maxBytes` for each process. */
export function createMemoryWatch(
  maxBytes: number,
  { residentBytes, everyMs }: MemoryPorts = { residentBytes: residentBytesBySystem, everyMs: EVERY_MS },
): MemoryWatch {
  return (pid, onOver) => {
    let hasEnded = false;
    const check = async (): Promise<void> => {
      const bytes = await residentBytes(pid);
      if (hasEnded) return;
      if (bytes !== undefined && bytes > maxBytes) onOver();
      else timer.refresh();
    };
    const timer = setTimeout(() => void check(), everyMs).unref();
    return () => {
      hasEnded = true;
      clearTimeout(timer);
    };
  };
}

/**
 * Reads a process's memory from /proc on Linux and from `ps` on other systems. Windows has neither, so only the heap
 * limit and the time limit hold there.
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
