// Failures inside a child process and the pool's handling of them. The children follow the acts of
// misbehaving-child.ts.
import { afterEach, describe, expect, it } from 'vitest';
import {
  createProcessPool,
  type ProcessPool,
  type ProcessPoolPorts,
  type ProcessPoolSettings,
} from '../../src/sandbox/process-pool.ts';
import { createMemoryWatch, type MemoryWatch, residentBytesBySystem } from '../../src/sandbox/memory.ts';
import { childrenOf, niceOf } from '@grainline/testing/processes';
import { bad, bytesTask, FROM_SOURCES, MISBEHAVING, SETTINGS } from './tasks.ts';

const none = { signal: new AbortController().signal };

const pools: ProcessPool[] = [];
afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close()));
});

function poolOf(settings: Partial<ProcessPoolSettings> = {}, ports: ProcessPoolPorts = {}): ProcessPool {
  const pool = createProcessPool({ ...SETTINGS, ...settings }, { ...MISBEHAVING, ...ports });
  pools.push(pool);
  return pool;
}

interface About {
  readonly pid: number;
  readonly tasks: number;
  readonly environment: Record<string, string>;
  readonly nice: number;
  readonly argv: string[];
}

const about = async (pool: ProcessPool): Promise<About> =>
  JSON.parse((await pool.run(bad('describe itself'), none)).members) as About;

/** Documents after a bad one succeed. */
const expectsNextToWork = async (pool: ProcessPool) => {
  const answers = await Promise.all(['a', 'b', 'c'].map((word) => pool.run(bad(word), none)));
  expect(answers.map(({ members }) => members)).toEqual(
    ['a', 'b', 'c'].map((word) => JSON.stringify({ word })),
  );
};

describe('a child process', () => {
  it('has nothing of the server in its environment, low priority, and a limited heap', async () => {
    process.env['SECRET_KEY'] = 'do not tell';
    const { environment, argv } = await about(poolOf({ workerHeapMb: 123 }));
    delete process.env['SECRET_KEY'];
    expect(Object.keys(environment)).toEqual(['TINYPOOL_WORKER_ID']);
    expect(argv).toContain('--max-old-space-size=123');
  });

  it('runs below the server', async () => {
    const pool = createProcessPool({ ...SETTINGS, workers: 1 }, FROM_SOURCES);
    pools.push(pool);
    await pool.run(bytesTask(Buffer.from('text')), none);
    const [pid] = childrenOf(process.pid);
    expect(niceOf(pid!)).toBe(10);
  });

  it('works on one document at a time', async () => {
    const pool = poolOf();
    const answers = await Promise.all(Array.from({ length: 20 }, () => about(pool)));
    const tasksByPid = Map.groupBy(answers, ({ pid }) => pid);
    expect(tasksByPid.size).toBeLessThanOrEqual(2);
    for (const list of tasksByPid.values())
      expect(list.map(({ tasks }) => tasks)).toEqual(list.map((_, index) => index + 1));
  });

  it('is given to clients in turn', async () => {
    const pool = poolOf({ workers: 1 });
    const ended: string[] = [];
    await Promise.all(
      ['a', 'a', 'a', 'b'].map((client) =>
        pool.run(bad('word'), { ...none, client }).then(() => ended.push(client)),
      ),
    );
    expect(ended.join('')).toBe('abaa');
  });

  it('is left to paid documents by free ones', async () => {
    const pool = poolOf({ workers: 2, reservesProcess: true });
    const stop = new AbortController();
    let started = 0;
    const free = ['a', 'b'].map((client) =>
      pool.run(bad('wait for ever'), {
        signal: stop.signal,
        client,
        isFree: true,
        onStart: () => (started += 1),
      }),
    );
    await expectsNextToWork(pool);
    expect(started).toBe(1);
    stop.abort(new Error('enough'));
    for (const run of free) await expect(run).rejects.toThrow('enough');
  });

  it('works on a paid document before free ones that have waited for longer', async () => {
    const pool = poolOf({ workers: 1, reservesProcess: true });
    const ended: string[] = [];
    await Promise.all(
      ['free 1', 'free 2', 'free 3', 'paid'].map((word) =>
        pool
          .run(bad('word'), { ...none, client: word, isFree: word !== 'paid' })
          .then(() => ended.push(word)),
      ),
    );
    expect(ended).toEqual(['free 1', 'paid', 'free 2', 'free 3']);
  });

  it('that is killed while it has nothing to do is replaced, and no document is lost over it', async () => {
    const pool = poolOf({ workers: 1 });
    const { pid } = await about(pool);
    process.kill(pid, 'SIGKILL');
    expect((await about(pool)).pid).not.toBe(pid);
  });

  it('is renewed after so many documents, and no document is lost over it', async () => {
    const pool = poolOf({ workers: 2 }, { renewAfter: 5 });
    const answers = await Promise.all(Array.from({ length: 60 }, () => about(pool)));
    // A process can receive one more task just before its renewal.
    expect(Math.max(...answers.map(({ tasks }) => tasks))).toBeLessThanOrEqual(6);
    expect(new Set(answers.map(({ pid }) => pid)).size).toBeGreaterThanOrEqual(10);
  });
});

describe('a document that', () => {
  it.each(['loop for ever', 'wait for ever', 'ignore the polite signal'])(
    'makes its process %s is too complex once its time is over',
    async (word) => {
      const pool = poolOf({ workers: 1, workTimeoutMs: 500 });
      await expect(pool.run(bad(word), none)).rejects.toMatchObject({
        name: 'WorkError',
        code: 'too_complex',
        message: /longer than 0.5 s/,
      });
      await expectsNextToWork(pool);
    },
  );

  it('fills the heap is too complex', async () => {
    const pool = poolOf({ workers: 1, workerHeapMb: 32 });
    await expect(pool.run(bad('fill the heap with one array'), none)).rejects.toMatchObject({
      name: 'WorkError',
      code: 'too_complex',
      message: /process that worked on it ended/,
    });
    await expectsNextToWork(pool);
  });

  it('takes memory outside the heap is too complex', async () => {
    const pool = poolOf({ workers: 1, workerRssMb: 150 });
    await expect(pool.run(bad('fill memory with buffers'), none)).rejects.toMatchObject({
      name: 'WorkError',
      code: 'too_complex',
      message: /more than 150 MiB/,
    });
    await expectsNextToWork(pool);
  });

  it.each(['exit', 'abort', 'throw later'])('ends its process (%s) is too complex', async (word) => {
    const pool = poolOf({ workers: 1 });
    await expect(pool.run(bad(word), none)).rejects.toMatchObject({ name: 'WorkError', code: 'too_complex' });
    await expectsNextToWork(pool);
  });

  it('meets a defect of ours is not to blame', async () => {
    const pool = poolOf({ workers: 1 });
    await expect(pool.run(bad('throw'), none)).rejects.toThrow(/a defect/);
    await expect(pool.run(bad('throw'), none)).rejects.not.toHaveProperty('code');
    await expectsNextToWork(pool);
  });

  it('meets a process that dies before it begins is not to blame', async () => {
    const pool = poolOf({ workers: 1 });
    await expect(pool.run(bad('die before it starts'), none)).rejects.not.toHaveProperty('code');
    await expectsNextToWork(pool);
  });

  it('meets a child file that is missing is not to blame, and processes are not started again and again', async () => {
    const pool = poolOf({ workers: 1 }, { childFile: '/nowhere/child.js' });
    for (let time = 0; time < 3; time++) {
      const lost = pool.run(bad('a'), none);
      await expect(lost).rejects.toThrow(/nowhere/);
      await expect(lost).rejects.not.toHaveProperty('code');
    }
    expect(childrenOf(process.pid).length).toBeLessThanOrEqual(1);
  });
});

describe('the signal of a document', () => {
  it('ends its process, and the others go on', async () => {
    const pool = poolOf();
    const gone = new AbortController();
    const reason = new Error('the client is gone');
    const looping = pool.run(bad('loop for ever'), { signal: gone.signal });
    await expectsNextToWork(pool);
    gone.abort(reason);
    await expect(looping).rejects.toBe(reason);
    await expectsNextToWork(pool);
  });

  it('is respected while it waits for a process', async () => {
    const pool = poolOf({ workers: 1 });
    const first = new AbortController();
    const second = new AbortController();
    const looping = pool.run(bad('loop for ever'), { signal: first.signal });
    const waiting = pool.run(bad('a'), { signal: second.signal });
    const last = pool.run(bad('b'), none);
    second.abort(new Error('second'));
    await expect(waiting).rejects.toThrow('second');
    first.abort(new Error('first'));
    await expect(looping).rejects.toThrow('first');
    expect((await last).members).toBe('{"word":"b"}');
  });

  it('that is aborted already keeps it from starting', async () => {
    await expect(poolOf().run(bad('a'), { signal: AbortSignal.abort(new Error('gone')) })).rejects.toThrow(
      'gone',
    );
  });

  it('does not end the process of the next document when it is aborted late', async () => {
    const pool = poolOf({ workers: 1 });
    const late = new AbortController();
    await pool.run(bad('a'), { signal: late.signal });
    const { pid } = await about(pool);
    late.abort();
    expect((await about(pool)).pid).toBe(pid);
  });
});

describe('time for a document', () => {
  it('does not run while it waits for a process', async () => {
    // With the first document's time counted, each waiting document would exceed its own.
    const pool = poolOf({ workers: 1, workTimeoutMs: 1000 });
    const looping = pool.run(bad('loop for ever'), none);
    const waiting = ['a', 'b', 'c'].map((word) => pool.run(bad(word), none));
    await expect(looping).rejects.toMatchObject({ code: 'too_complex' });
    expect((await Promise.all(waiting)).map(({ members }) => members)).toEqual([
      '{"word":"a"}',
      '{"word":"b"}',
      '{"word":"c"}',
    ]);
  });
});

describe('closing', () => {
  it('leaves no process behind, whatever they are doing', async () => {
    const pool = poolOf({ workers: 3 });
    const busy = ['loop for ever', 'wait for ever', 'ignore the polite signal', 'a', 'b'].map((word) =>
      pool.run(bad(word), none),
    );
    const ends = Promise.allSettled(busy);
    await about(poolOf({ workers: 1 }));
    expect(childrenOf(process.pid).length).toBeGreaterThanOrEqual(3);
    await Promise.all(pools.splice(0).map((each) => each.close()));
    expect(childrenOf(process.pid)).toEqual([]);
    for (const end of (await ends).slice(0, 3))
      expect(end).toMatchObject({ status: 'rejected', reason: { message: 'The worker pool is closed.' } });
    await expect(pool.run(bad('a'), none)).rejects.toThrow('closed');
    await pool.close();
  });
});

describe('the memory watch', () => {
  it('sees what a process takes', async () => {
    expect(await residentBytesBySystem(process.pid)).toBeGreaterThan(20_000_000);
    expect(await residentBytesBySystem(2 ** 30)).toBeUndefined();
  });

  it('speaks once, above its limit only, and not after it was ended', async () => {
    const readings = [100, 100, 101, 500];
    const looked: number[] = [];
    const spoken = Promise.withResolvers<number>();
    const residentBytes = (): Promise<number | undefined> => {
      const reading = readings.shift();
      looked.push(reading ?? 0);
      return Promise.resolve(reading);
    };
    const watch = createMemoryWatch(100, { residentBytes, everyMs: 1 });
    const held = setInterval(() => undefined, 1000);
    watch(1, () => spoken.resolve(looked.length));
    expect(await spoken.promise).toBe(3);
    clearInterval(held);
    expect(looked).toEqual([100, 100, 101]);
  });
});

describe('replaced processes are counted by their cause', () => {
  const causesOf = async (
    word: string,
    settings: Partial<ProcessPoolSettings>,
    ports: ProcessPoolPorts = {},
  ): Promise<string[]> => {
    const causes: string[] = [];
    const pool = poolOf({ workers: 1, ...settings }, { ...ports, onRestart: (cause) => causes.push(cause) });
    await pool.run(bad(word), none).catch(() => undefined);
    await pool.run(bad('a'), none);
    return causes;
  };

  it.each([
    ['loop for ever', { workTimeoutMs: 500 }, ['timeout']],
    ['fill memory with buffers', { workerRssMb: 150 }, ['memory']],
    ['exit', {}, ['died']],
    ['a', {}, []],
    // An error thrown in a child is a defect and does not end the process.
    ['throw', {}, []],
  ])('(%s)', async (word, settings, causes) => {
    expect(await causesOf(word, settings)).toEqual(causes);
  });

  it('(renewed)', async () => {
    expect(await causesOf('a', {}, { renewAfter: 1 })).toContain('renewed');
  });

  it('(left)', async () => {
    const causes: string[] = [];
    const pool = poolOf({ workers: 1 }, { onRestart: (cause) => causes.push(cause) });
    const gone = new AbortController();
    const watch: MemoryWatch = () => {
      // The child has begun.
      gone.abort(new Error('gone'));
      return () => undefined;
    };
    const watched = poolOf({ workers: 1 }, { memoryWatch: watch, onRestart: (cause) => causes.push(cause) });
    await expect(watched.run(bad('loop for ever'), { signal: gone.signal })).rejects.toThrow('gone');
    await pool.run(bad('a'), none);
    expect(causes).toEqual(['left']);
  });
});
