// A fixed share of a core for each worker of workers.ts, by groups of the Linux kernel: with shares that leave room
// for the queue and the database, two cores show what a second machine would add.
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const CONTROLLER = '/sys/fs/cgroup/cpu';
/** Short beside a lease and a heartbeat, and long beside a turn of the event loop. */
const PERIOD_US = 20_000;
/** The weight of nice 10: a group of its own does not inherit the niceness of the program. */
const WEIGHT = 110;

/** True if this machine has control groups of version 1, and this program may make one. */
export function hasQuotas(): boolean {
  return existsSync(join(CONTROLLER, 'cpu.cfs_quota_us')) && process.getuid?.() === 0;
}

/**
 * Limits a process and its threads to a share of one core.
 *
 * @param share in percent
 * @returns a function that removes the group, once the process has ended
 */
export function limitProcess(pid: number, share: number): () => void {
  const group = join(CONTROLLER, `grainline-bench-${process.pid}-${pid}`);
  const set = (name: string, value: number): void => writeFileSync(join(group, name), String(value));
  mkdirSync(group);
  set('cpu.cfs_period_us', PERIOD_US);
  set('cpu.cfs_quota_us', (PERIOD_US * share) / 100);
  set('cpu.shares', WEIGHT);
  set('cgroup.procs', pid);
  return () => rmdirSync(group);
}
