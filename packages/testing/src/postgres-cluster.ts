// A PostgreSQL of a test's own, which it may end and start again: its files in a temporary folder, on a port of its
// own, run by a user without rights where the tests run as root, which PostgreSQL refuses to.
import { spawnSync } from 'node:child_process';
import { chownSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A server that was just made, and runs. */
export interface Cluster {
  readonly url: string;
  start(): void;
  /** Ends it at once, as a power cut would: it recovers from its log at the next start. */
  crash(): void;
  /** Ends all of its processes with SIGKILL, in whatever they are; resolves when none is left. */
  kill(): Promise<void>;
  /** Ends it and removes its files. */
  remove(): void;
}

/** True when PostgreSQL's own programs are installed; throws when they are missing in CI. */
export function hasPrograms(): boolean {
  if (findPrograms() !== undefined) return true;
  const message = 'initdb and pg_ctl are not installed, so that no database can be ended and started again';
  if (process.env['CI'] === 'true') throw new Error(message);
  console.warn(`\nSKIPPED: ${message}\n`);
  return false;
}

export async function createCluster(): Promise<Cluster> {
  const programs = findPrograms();
  if (programs === undefined) throw new Error('the programs of PostgreSQL are not installed');
  const user = unprivilegedUser();
  const folder = mkdtempSync(join(tmpdir(), 'grainline-cluster-'));
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  const run = (program: string, args: readonly string[]): void => {
    const { status, stderr } = spawnSync(join(programs, program), args, {
      ...user,
      cwd: folder,
      // The server would keep a pipe open for as long as it runs.
      stdio: ['ignore', 'ignore', program === 'initdb' ? 'pipe' : 'ignore'],
    });
    if (status !== 0) throw new Error(`${program} failed: ${String(stderr)}`);
  };
  const data = join(folder, 'data');
  const lock = join(data, 'postmaster.pid');
  const port = await freePort();
  const start = (): void =>
    run('pg_ctl', [
      ...['-D', data, '-l', join(folder, 'log'), '-w', '-o'],
      `-p ${port} -k ${folder} -c listen_addresses=127.0.0.1`,
      'start',
    ]);
  const crash = (): void => run('pg_ctl', ['-D', data, '-m', 'immediate', 'stop']);
  run('initdb', ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync']);
  start();
  return {
    url: `postgresql://postgres@127.0.0.1:${port}/postgres`,
    start,
    crash,
    async kill() {
      await killAll(Number(readFileSync(lock, 'utf8').split('\n', 1)[0]));
      // Without a process that reaps orphans, the first server keeps its number and would seem to run.
      for (const file of [lock, join(folder, `.s.PGSQL.${port}.lock`)]) rmSync(file, { force: true });
    },
    remove: () => {
      if (existsSync(lock)) crash();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A server's first process and those that it has started; it is held still meanwhile, so that it starts no more. */
async function killAll(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
  const pids = [pid, ...children.map(Number)];
  for (const one of pids) if (isThere(one)) process.kill(one, 'SIGKILL');
  while (pids.some(isThere)) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** True for a process that has not ended; an unreaped process has ended. */
function isThere(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

function findPrograms(): string | undefined {
  const folders = [
    ...globSync('/usr/lib/postgresql/*/bin/'),
    ...(process.env['PATH'] ?? '').split(':').filter((folder) => folder !== ''),
  ];
  return folders.find((folder) => globSync(join(folder, '{initdb,pg_ctl}')).length === 2);
}

function unprivilegedUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  const [, , uid, gid] =
    users.find(([name]) => name === 'postgres') ?? users.find(([name]) => name === 'nobody') ?? [];
  return { uid: Number(uid), gid: Number(gid) };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
