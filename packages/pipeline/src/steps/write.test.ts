// A write step that is executed several times at once: workers are killed or frozen at each of their requests, and the
// request arrives at each later moment. The step ends once, and the store equals that of an undisturbed run.
import { describe, expect, it } from 'vitest';
import { array, assert, asyncProperty, nat, record } from 'fast-check';
import type { SourceLock, StoreRun, VectorStore } from '@grainline/core';
import { cases } from '@grainline/testing/cases';
import { wordEmbedder } from '@grainline/testing/embedders';
import { createMemoryStore, type MemoryStore } from '@grainline/testing/memory-store';
import { type BlobStore, createMemoryBlobs } from './blobs.ts';
import type { Step } from './step.ts';
import { createSteps, type DocumentSteps } from './steps.ts';

/** A document, and a write step that several workers execute. */
interface Scene {
  readonly memory: MemoryStore;
  readonly blobs: BlobStore;
  readonly step: Step;
  /** Lets all locks expire. */
  readonly wait: () => void;
}

/** A request that is on its way to the store. */
type Request = (run: StoreRun | undefined) => Promise<void>;

class Kill extends Error {}

const LOCK_MS = 60_000;
const PARAGRAPHS = ['The tide waits for the moon.', 'A pilot waits for the tide.', 'Ships wait for a pilot.'];

function stepsOn(store: VectorStore, blobs: BlobStore): DocumentSteps {
  return createSteps({
    store,
    blobs,
    embed: wordEmbedder,
    embedding: { model: 'words', dimensions: 48, distance: 'cosine', blend: 0.4 },
    settings: { tier: 'structure', size: 40 },
  });
}

const shared = createMemoryBlobs();

/** The write steps of the revisions 1, 2, … of one document; `undefined` removes it. */
async function writesOf(store: VectorStore, texts: readonly (string | undefined)[]): Promise<Step[]> {
  const steps = stepsOn(store, shared);
  return Promise.all(
    texts.map(async (text, at) => {
      const bytes = text === undefined ? undefined : new TextEncoder().encode(text);
      const plan = await steps.submit({ documentId: 'a.md', revision: at + 1, filename: 'a.md', bytes });
      return (await steps.plan(plan)).chain.at(-1)!;
    }),
  );
}

const FIRST = PARAGRAPHS.join('\n\n');
const SECOND = ['Fog waits for no one.', ...PARAGRAPHS.slice(1), 'Ropes are wet.'].join('\n\n');

/** The contents of the store before, and the revision whose write is executed. */
const SCENES = {
  'a new document': { texts: [FIRST], before: [], run: 1 },
  'a next revision': { texts: [FIRST, SECOND], before: [1], run: 2 },
  'a removal': { texts: [FIRST, undefined], before: [1], run: 2 },
  'a document that comes back': { texts: [FIRST, undefined, SECOND], before: [1, 2], run: 3 },
  'a repair by the same revision': { texts: [FIRST, SECOND], before: [1, 2], run: 2, isDamaged: true },
  'a repair by an earlier revision': { texts: [FIRST, SECOND], before: [2], run: 1, isDamaged: true },
} as const;

async function open(name: keyof typeof SCENES): Promise<Scene> {
  const { texts, before, run, isDamaged } = { isDamaged: false, ...SCENES[name] };
  let now = 0;
  const memory = await createMemoryStore({ now: () => now });
  const writes = await writesOf(memory, texts);
  for (const revision of before) await stepsOn(memory, shared).run(writes[revision - 1]!);
  if (isDamaged) {
    const [removed, moved] = [...memory.records.values()];
    await memory.remove([removed!.id]);
    await memory.upsert([{ ...moved!, id: crypto.randomUUID() }]);
  }
  return { memory, blobs: shared, step: writes[run - 1]!, wait: () => (now += LOCK_MS + 1) };
}

/** The store as one worker reaches it: each request that writes goes through `pass`, as does the end of its lock. */
function reach(
  memory: MemoryStore,
  pass: (send: Request, run: StoreRun | undefined) => Promise<void>,
  isKilled: () => boolean = () => false,
): VectorStore {
  const each = async <Item>(
    items: readonly Item[],
    run: StoreRun | undefined,
    send: (items: readonly Item[], run: StoreRun | undefined) => Promise<void>,
  ): Promise<void> => {
    for (let first = 0; first < items.length; first += 2)
      await pass((given) => send(items.slice(first, first + 2), given), run);
  };
  return {
    ...memory,
    upsert: (records, run) => each(records, run, memory.upsert.bind(memory)),
    remove: (ids, run) => each(ids, run, memory.remove.bind(memory)),
    putEntries: (entries, run) => each(entries, run, memory.putEntries.bind(memory)),
    removeEntries: (ids, run) => each(ids, run, memory.removeEntries.bind(memory)),
    async lock(source, options): Promise<SourceLock> {
      const lock = await memory.lock(source, { ...options, ttlMs: LOCK_MS });
      const release = (): Promise<void> => (isKilled() ? Promise.resolve() : lock.release());
      return Object.defineProperties({ ...lock, release }, { expiresMs: { get: () => lock.expiresMs } });
    },
  };
}

/** Executes the step until its request of this number, which stays on its way: its worker is killed. */
async function cutOff(
  { memory, blobs, step }: Scene,
  at: number,
  before: (request: number) => Promise<void> = () => Promise.resolve(),
): Promise<(() => Promise<void>) | undefined> {
  let [count, late] = [0, undefined as Request | undefined];
  const store = reach(
    memory,
    async (send, run) => {
      await before(count);
      if (count++ === at) late = send;
      if (late !== undefined) throw new Kill();
      await send(run);
    },
    () => late !== undefined,
  );
  await stepsOn(store, blobs)
    .run(step)
    .catch((error: unknown) => {
      if (!(error instanceof Kill)) throw error;
    });
  await before(Infinity);
  return late && (() => late!(undefined));
}

/** Executes the step to its end; resolves with the number of its requests. */
async function execute(scene: Scene, before?: (request: number) => Promise<void>): Promise<number> {
  let requests = 0;
  await cutOff(scene, -1, async (request) => {
    if (request !== Infinity) requests = request + 1;
    await before?.(request);
  });
  return requests;
}

/** The contents after an undisturbed execution. */
async function undisturbed(name: keyof typeof SCENES): Promise<{ contents: string; requests: number }> {
  const scene = await open(name);
  const requests = await execute(scene);
  return { contents: scene.memory.contents(), requests };
}

const names = Object.keys(SCENES) as (keyof typeof SCENES)[];

describe.each(names)('a write of %s', (name) => {
  it('has the store of one execution, whenever a request of a killed one arrives', async () => {
    const { contents, requests } = await undisturbed(name);
    let runs = 0;
    for (let at = 0; at < requests; at++)
      // The other execution may have other requests, as it finds some of its work done.
      for (let [arrival, isEnd] = [0, false]; !isEnd; arrival++) {
        const scene = await open(name);
        const arrive = (await cutOff(scene, at))!;
        scene.wait();
        let isThere = false;
        await execute(scene, async (request) => {
          if (isThere || request < arrival) return;
          [isThere, isEnd] = [true, request === Infinity];
          await arrive();
        });
        expect(scene.memory.contents(), `request ${at} arrives before request ${arrival}`).toBe(contents);
        runs++;
      }
    expect(requests).toBeGreaterThan(3);
    expect(runs).toBeGreaterThan(requests * 2);
  });

  it('has the store of one execution after two killed ones, whose requests arrive in any order', async () => {
    const { contents } = await undisturbed(name);
    const chance = record({ cuts: array(nat(8), { minLength: 2, maxLength: 2 }), arrivals: array(nat(9)) });
    await assert(
      asyncProperty(chance, async ({ cuts, arrivals }) => {
        const scene = await open(name);
        const [late, waits] = [[] as (() => Promise<void>)[], [...arrivals]];
        const arriveSome = async (request: number): Promise<void> => {
          while (late.length > 0 && (request === Infinity || waits[0] === 0)) {
            waits.shift();
            await late.splice((request === Infinity ? late.length : request) % late.length, 1)[0]!();
          }
          if (waits[0] !== undefined) waits[0]--;
        };
        for (const at of cuts) {
          const request = await cutOff(scene, at, (number) =>
            number === Infinity ? Promise.resolve() : arriveSome(number),
          );
          if (request !== undefined) late.push(request);
          scene.wait();
        }
        await execute(scene, arriveSome);
        expect(scene.memory.contents()).toBe(contents);
      }),
      cases(40),
    );
  });

  it('sends nothing more when its worker was frozen beyond its lock, while a later revision was written', async () => {
    const { requests } = await undisturbed(name);
    for (let at = 0; at < requests; at++) {
      const scene = await open(name);
      const [, , , next] = await writesOf(scene.memory, [undefined, undefined, undefined, 'Later.']);
      let [count, contents] = [0, ''];
      const store = reach(scene.memory, async (send, run) => {
        if (count++ === at) {
          scene.wait();
          await stepsOn(scene.memory, scene.blobs).run(next!);
          contents = scene.memory.contents();
        }
        await send(run);
      });
      await expect(stepsOn(store, scene.blobs).run(scene.step)).rejects.toMatchObject({ code: 'lock_lost' });
      expect(scene.memory.contents(), `request ${at} was not sent`).toBe(contents);
    }
  });
});
