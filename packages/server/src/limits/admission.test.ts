import { afterEach, describe, expect, it, vi } from 'vitest';
import { createAdmission } from './limiter.ts';

const LIMITS = { places: 2, bytes: 100, queue: 3, waitMs: 1000 };
const { signal } = new AbortController();

/** Work that ends on demand, and the names of begun work. */
function createWork(admission: ReturnType<typeof createAdmission>) {
  const begun: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  const hold = (name: string, bytes = 1, within: AbortSignal = signal, client = 'someone'): Promise<string> =>
    admission.run({ client, bytes }, within, () => {
      begun.push(name);
      return new Promise((resolve, reject) =>
        ends.set(name, (error) => (error === undefined ? resolve(name) : reject(error))),
      );
    });
  const end = async (name: string, error?: Error): Promise<void> => {
    ends.get(name)?.(error);
    await settle();
  };
  return { begun, hold, end };
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

afterEach(() => {
  vi.useRealTimers();
});

describe('admission', () => {
  it('lets in as many as there are places, and the others in the order of their arrival', async () => {
    const { begun, hold, end } = createWork(createAdmission(LIMITS));
    const all = Promise.all(['a', 'b', 'c', 'd'].map((name) => hold(name)));
    await settle();
    expect(begun).toEqual(['a', 'b']);
    await end('b');
    expect(begun).toEqual(['a', 'b', 'c']);
    await end('a');
    await end('c');
    await end('d');
    expect(await all).toEqual(['a', 'b', 'c', 'd']);
  });

  it('gives a place back when the work fails', async () => {
    const { begun, hold, end } = createWork(createAdmission({ ...LIMITS, places: 1 }));
    const failed = hold('a');
    const refused = expect(failed).rejects.toThrow('a defect');
    const next = hold('b');
    await settle();
    await end('a', new Error('a defect'));
    await refused;
    expect(begun).toEqual(['a', 'b']);
    await end('b');
    await next;
  });

  it('keeps the sum of bytes, in the order of arrival', async () => {
    const { begun, hold, end } = createWork(createAdmission({ ...LIMITS, places: 9 }));
    const all = [hold('a', 60), hold('b', 50), hold('c', 10)];
    await settle();
    expect(begun).toEqual(['a']);
    await end('a');
    expect(begun).toEqual(['a', 'b', 'c']);
    await end('b');
    await end('c');
    await Promise.all(all);
  });

  it('lets in alone who is larger than everything', async () => {
    const { begun, hold, end } = createWork(createAdmission(LIMITS));
    const all = [hold('a', 1), hold('b', 500)];
    await settle();
    expect(begun).toEqual(['a']);
    await end('a');
    expect(begun).toEqual(['a', 'b']);
    await end('b');
    await Promise.all(all);
  });

  it('turns away who finds the queue full', async () => {
    const { hold } = createWork(createAdmission(LIMITS));
    const gone = new AbortController();
    const others = ['a', 'b', 'c', 'd', 'e'].map((name) => hold(name, 1, gone.signal));
    await expect(hold('f')).rejects.toMatchObject({ code: 'busy', status: 503 });
    gone.abort(new Error('the end'));
    const waiting = await Promise.allSettled(others.slice(LIMITS.places));
    expect(waiting.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  });

  it('turns away who has waited too long, and the place goes to the next', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { begun, hold, end } = createWork(createAdmission({ ...LIMITS, places: 1 }));
    void hold('a');
    const late = expect(hold('b')).rejects.toMatchObject({ code: 'busy' });
    vi.advanceTimersByTime(999);
    void hold('c');
    vi.advanceTimersByTime(1);
    await late;
    await end('a');
    expect(begun).toEqual(['a', 'c']);
  });

  it('keeps a quarter of places, bytes and queue for others than one client', async () => {
    const limits = { ...LIMITS, places: 4, bytes: 100, queue: 4 };
    const byPlaces = createWork(createAdmission(limits));
    const gone = new AbortController();
    const busyClient = Promise.allSettled(
      Array.from({ length: 6 }, (_, at) => byPlaces.hold(`g${at}`, 1, gone.signal, 'busy-client')),
    );
    const turnedAway = expect(byPlaces.hold('g6', 1, signal, 'busy-client')).rejects.toMatchObject({
      code: 'busy',
    });
    const other = byPlaces.hold('other', 1, signal, 'other');
    await turnedAway;
    expect(byPlaces.begun).toEqual(['g0', 'g1', 'g2', 'other']);
    await byPlaces.end('other');
    await other;
    await byPlaces.end('g1');
    expect(byPlaces.begun.at(-1)).toBe('g3');
    gone.abort(new Error('the end'));
    for (const name of ['g0', 'g2', 'g3']) await byPlaces.end(name);
    await busyClient;

    const byBytes = createWork(createAdmission({ ...limits, places: 9 }));
    void byBytes.hold('a', 70, signal, 'busy-client');
    void byBytes.hold('b', 20, signal, 'busy-client');
    void byBytes.hold('c', 1, signal, 'busy-client');
    void byBytes.hold('other', 20, signal, 'other');
    await settle();
    expect(byBytes.begun).toEqual(['a', 'other']);
    for (const name of ['a', 'other', 'b', 'c']) await byBytes.end(name);
    expect(byBytes.begun).toEqual(['a', 'other', 'b', 'c']);
  });

  it('lets those behind go on when who kept them back gives up', async () => {
    const { begun, hold, end } = createWork(createAdmission({ ...LIMITS, places: 9 }));
    const gone = new AbortController();
    void hold('a', 60);
    const large = hold('b', 50, gone.signal, 'other');
    void hold('c', 10, signal, 'third');
    await settle();
    expect(begun).toEqual(['a']);
    gone.abort(new Error('gone'));
    await expect(large).rejects.toThrow('gone');
    expect(begun).toEqual(['a', 'c']);
    for (const name of ['a', 'c']) await end(name);
  });

  it('forgets who goes away while waiting', async () => {
    const { begun, hold, end } = createWork(createAdmission({ ...LIMITS, places: 1 }));
    const gone = new AbortController();
    void hold('a');
    const left = hold('b', 1, gone.signal);
    void hold('c');
    gone.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    await expect(hold('d', 1, gone.signal)).rejects.toThrow('gone');
    await end('a');
    expect(begun).toEqual(['a', 'c']);
  });
});
