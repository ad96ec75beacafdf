// Loads in processes of their own, killed at random moments: the store, which lives on, equals that of an undisturbed
// load after the next one.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { cases } from '@grainline/testing/cases';
import { bodyOf, close, listen } from '@grainline/testing/loopback';
import { createMemoryStore, type MemoryStore } from '@grainline/testing/memory-store';
import { endWithUs } from '@grainline/testing/processes';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { loadVersion } from './load-versions.ts';

const CHILD = fileURLToPath(new URL('./load-child.ts', import.meta.url));
const SOURCES = fileURLToPath(new URL('../../server/test/sandbox/from-sources.mjs', import.meta.url));
const MOST_BYTES = 2 ** 26;

/** The moment of a kill: a call of the store, before its work, after it, or after its answer. */
interface Moment {
  readonly call: number;
  readonly phase: 'before' | 'after' | 'answered';
}

type Call = (...args: unknown[]) => unknown;

/** Loads a version in a process of its own against the store of this one; returns the number of its calls. */
async function loadInProcess(store: MemoryStore, version: number, kill?: Moment): Promise<number> {
  let calls = 0;
  const server = createServer((request, response) => {
    void (async () => {
      const body = await bodyOf(request, MOST_BYTES);
      const { method, args } = JSON.parse(String(body)) as { method: string; args: unknown[] };
      const isMoment = calls++ === kill?.call;
      const die = (phase: Moment['phase']): void => {
        if (isMoment && kill.phase === phase) child.kill('SIGKILL');
      };
      die('before');
      if (child.killed) return;
      const answer = (store as unknown as Record<string, Call>)[method]?.(...args);
      const result =
        method === 'entries' ? await Array.fromAsync(answer as AsyncIterable<unknown>) : await answer;
      die('after');
      response.end(JSON.stringify(result ?? null));
      die('answered');
    })();
  });
  const port = await listen(server, 0);
  const child = spawn(process.execPath, ['--import', SOURCES, CHILD, String(port), String(version)], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  endWithUs(child);
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  await close(server);
  expect([code, signal]).toEqual(child.killed ? [null, 'SIGKILL'] : [0, null]);
  return calls;
}

async function undisturbed(...versions: number[]): Promise<MemoryStore> {
  const store = await createMemoryStore();
  for (const version of versions) await loadVersion(store, version);
  return store;
}

it('completes a load that was killed at any moment', async () => {
  const contents = await Promise.all([1, 2].map(async (version) => (await undisturbed(version)).contents()));
  const callsOf = [
    await loadInProcess(await createMemoryStore(), 1),
    await loadInProcess(await undisturbed(1), 2),
  ];
  const moment = fc.record({
    version: fc.constantFrom(1, 2),
    share: fc.double({ min: 0, max: 0.999, noNaN: true }),
    phase: fc.constantFrom('before', 'after', 'answered'),
  });
  const law = fc.asyncProperty(moment, async ({ version, share, phase }) => {
    const store = await undisturbed(...(version === 1 ? [] : [1]));
    const call = Math.floor(share * (callsOf[version - 1] ?? 0));
    await loadInProcess(store, version, { call, phase });
    await loadVersion(store, version);
    expect(store.contents()).toBe(contents[version - 1]);
  });
  // Each starts a process; `CASES=5` is the full run.
  await fc.assert(law, { ...cases(12), endOnFailure: true });
}, 1_800_000);
