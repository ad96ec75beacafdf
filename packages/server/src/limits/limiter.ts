// A bounded number of places with a fair queue before them: for bodies in memory, fetched links, documents that wait
// for remote models, and child processes.
import { HttpError } from '../errors/http-error.ts';

/** Bounds of a {@link Limiter}. */
export interface LimiterOptions {
  /** Claims admitted at one time. */
  readonly places: number;
  /** Free claims admitted at one time. Default: as many as there are places. */
  readonly freePlaces?: number;
  /** Sum of the bytes of admitted claims. A larger claim is admitted alone. Default: unbounded. */
  readonly bytes?: number;
  /** Share of the places, bytes and queue that one client can take, from 0 to 1. Default 1. */
  readonly clientShare?: number;
  /** Claims that can wait. Default: unbounded. */
  readonly queue?: number;
  /** Longest wait of a claim in milliseconds. Default: until its signal is aborted. */
  readonly waitMs?: number;
}

/** A request for a place. */
export interface Claim {
  /** Name of the client. */
  readonly client: string;
  /** Memory that the work needs. Default 0. */
  readonly bytes?: number;
  /** True for work without a price. Default false. */
  readonly isFree?: boolean | undefined;
}

/**
 * Admits claims, those of paid work first. Then the next claim comes from the client with the fewest places, among
 * equals from the one that arrived or released a place the longest ago; the claims of one client keep their order. A
 * claim too large for the unused bytes holds back all others. Clients at their share are passed over.
 */
export interface Limiter {
  /** Runs the work in a place. Rejects with the signal's reason, or with `busy` after a full queue or a long wait. */
  run<Value>(claim: Claim, signal: AbortSignal, work: () => Promise<Value>): Promise<Value>;
  /** Number of claims admitted at the moment, and of claims that wait. */
  load(): { readonly inWork: number; readonly waiting: number };
}

interface Usage {
  places: number;
  bytes: number;
}

/** A client with admitted or waiting claims. */
interface Client {
  readonly name: string;
  readonly used: Usage;
  /** In the order of arrival. A Set removes a member from its middle in constant time. */
  readonly waiting: Set<Waiter>;
}

export function createLimiter(options: LimiterOptions): Limiter {
  return new FairLimiter(options);
}

class FairLimiter implements Limiter {
  readonly #options: LimiterOptions;
  readonly #total: Usage;
  readonly #share: Usage;
  readonly #queue: number;
  readonly #clientQueue: number;
  readonly #used: Usage = { places: 0, bytes: 0 };
  #usedByFree = 0;
  #waiting = 0;
  // In the order in which clients arrived or released a place. A new client stands at the end, so a stream of clients
  // with one claim each cannot overtake a client that waits with its second.
  readonly #clients = new Map<string, Client>();

  constructor(options: LimiterOptions) {
    const { places, bytes = Infinity, clientShare = 1, queue = Infinity } = options;
    this.#options = options;
    this.#total = { places, bytes };
    this.#share = { places: Math.ceil(places * clientShare), bytes: bytes * clientShare };
    this.#queue = queue;
    this.#clientQueue = Math.ceil(queue * clientShare);
  }

  async run<Value>(claim: Claim, signal: AbortSignal, work: () => Promise<Value>): Promise<Value> {
    signal.throwIfAborted();
    const { client: name, bytes = 0, isFree = false } = claim;
    const client = this.#clients.get(name) ?? { name, used: { places: 0, bytes: 0 }, waiting: new Set() };
    this.#clients.set(name, client);
    const counted: Counted = { bytes, kind: isFree ? 'free' : 'paid' };
    await this.#enter(client, counted, signal);
    try {
      return await work();
    } finally {
      this.#leave(client, counted);
    }
  }

  load(): ReturnType<Limiter['load']> {
    return { inWork: this.#used.places, waiting: this.#waiting };
  }

  #enter(client: Client, claim: Counted, signal: AbortSignal): Promise<void> {
    const waiter = createWaiter(claim, signal, this.#options.waitMs, () => {
      this.#dequeue(client, waiter);
      this.#forgetIdle(client);
      // Claims behind a large one may have waited for it alone.
      this.#admitWaiting();
    });
    client.waiting.add(waiter);
    this.#waiting += 1;
    this.#admitWaiting();
    const isQueueFull = this.#waiting > this.#queue || client.waiting.size > this.#clientQueue;
    if (isQueueFull && client.waiting.has(waiter)) waiter.giveUp(new HttpError('busy'));
    return waiter.admitted;
  }

  #admitWaiting(): void {
    for (let next = this.#findNext(); next !== undefined; next = this.#findNext()) {
      const { client, waiter } = next;
      if (!fits(waiter.bytes, this.#used, this.#total)) return;
      this.#dequeue(client, waiter);
      this.#count(client, waiter, 1);
      waiter.admit();
    }
  }

  /** Decides the order of admission. */
  #findNext(): Next | undefined {
    const { places, freePlaces = places } = this.#options;
    return this.#findNextOf('paid') ?? (this.#usedByFree < freePlaces ? this.#findNextOf('free') : undefined);
  }

  #findNextOf(kind: Waiter['kind']): Next | undefined {
    let next: Next | undefined;
    for (const client of this.#clients.values()) {
      const waiter = [...client.waiting].find((it) => it.kind === kind);
      if (waiter === undefined || !fits(waiter.bytes, client.used, this.#share)) continue;
      if (next === undefined || client.used.places < next.client.used.places) next = { client, waiter };
    }
    return next;
  }

  #dequeue(client: Client, waiter: Waiter): void {
    client.waiting.delete(waiter);
    this.#waiting -= 1;
  }

  /** Counts a claim that takes a place (1) or releases it (-1). */
  #count(client: Client, { bytes, kind }: Counted, sign: 1 | -1): void {
    for (const usage of [this.#used, client.used]) addTo(usage, sign, sign * bytes);
    if (kind === 'free') this.#usedByFree += sign;
  }

  #leave(client: Client, claim: Counted): void {
    this.#count(client, claim, -1);
    this.#clients.delete(client.name);
    this.#clients.set(client.name, client);
    this.#forgetIdle(client);
    this.#admitWaiting();
  }

  #forgetIdle({ name, used, waiting }: Client): void {
    if (used.places === 0 && waiting.size === 0) this.#clients.delete(name);
  }
}

/**
 * A limiter for requests. One client takes at most three quarters of the places, bytes and queue: eight connections
 * that announce no length and send nothing would otherwise shut out all others for 60 s.
 */
export const createAdmission = (options: Omit<LimiterOptions, 'clientShare'>): Limiter =>
  createLimiter({ ...options, clientShare: 3 / 4 });

/** The part of a claim that its places count. */
interface Counted {
  readonly bytes: number;
  readonly kind: 'free' | 'paid';
}

/** A claim in the queue. */
interface Waiter extends Counted {
  readonly admitted: Promise<void>;
  readonly admit: () => void;
  readonly giveUp: (reason: Error) => void;
}

interface Next {
  readonly client: Client;
  readonly waiter: Waiter;
}

/** @param onGiveUp called when the signal is aborted or the wait is too long */
function createWaiter(
  claim: Counted,
  signal: AbortSignal,
  waitMs: number | undefined,
  onGiveUp: () => void,
): Waiter {
  const { promise: admitted, resolve, reject } = Promise.withResolvers<undefined>();
  const end = (): void => {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  };
  const admit = (): void => {
    end();
    resolve(undefined);
  };
  const giveUp = (reason: Error): void => {
    end();
    reject(reason);
    onGiveUp();
  };
  const onAbort = (): void => giveUp(signal.reason as Error);
  const timer = waitMs === undefined ? undefined : setTimeout(() => giveUp(new HttpError('busy')), waitMs);
  signal.addEventListener('abort', onAbort, { once: true });
  return { ...claim, admitted, admit, giveUp };
}

/** A claim larger than every bound fits while nothing else is admitted. */
function fits(bytes: number, used: Usage, most: Usage): boolean {
  return used.places < most.places && (used.bytes + bytes <= most.bytes || used.places === 0);
}

function addTo(usage: Usage, places: number, bytes: number): void {
  usage.places += places;
  usage.bytes += bytes;
}
