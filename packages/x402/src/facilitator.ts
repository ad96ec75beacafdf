// The client of an x402 facilitator: somebody with a key who completes, broadcasts and pays for transactions that
// payers have signed. It is believed in nothing that the chain can tell: what it says it settled is looked up.
import type { NetworkNames } from './network.ts';
import { PaymentProblem } from './reasons.ts';

/** One kind of payment that a facilitator settles, as its `/supported` lists it. */
export interface FacilitatorKind {
  readonly version: 1 | 2;
  /** The network's name in that version of x402. */
  readonly network: string;
  /** Address that pays the transaction's fee, which payers put into what they sign. */
  readonly feePayer: string;
  /** Whatever else it wants payers to know. */
  readonly extra: Readonly<Record<string, unknown>>;
}

/** What a facilitator verifies and settles: a payload of either version, and the entry of the offer that it answers. */
export interface Settlement {
  readonly version: 1 | 2;
  readonly payload: unknown;
  readonly requirements: Readonly<Record<string, unknown>>;
}

/** The outcome of a settlement, as the facilitator tells it. */
export type SettleOutcome =
  | { readonly kind: 'settled'; readonly transaction: string }
  /** Refused or failed; the transaction may have been broadcast nevertheless. */
  | { readonly kind: 'failed'; readonly detail: string }
  /** No answer, or none that can be read. */
  | { readonly kind: 'unknown'; readonly cause: unknown };

/** A facilitator, as the gate sees it. */
export interface Facilitator {
  /** What it said last that it settles; empty before it has been asked. */
  kinds(): readonly FacilitatorKind[];
  /**
   * Asks what it settles. A fee payer that was offered before stays for as long as the facilitator signs with it.
   *
   * @throws PaymentProblem `facilitator_unavailable`
   */
  refresh(signal: AbortSignal): Promise<readonly FacilitatorKind[]>;
  /**
   * Asks whether it would settle; null when it would, else why not.
   *
   * @throws PaymentProblem `facilitator_unavailable`
   */
  verify(settlement: Settlement, signal: AbortSignal): Promise<string | null>;
  /** Settles. It takes no signal: the payer's money may be taken meanwhile, and somebody has to learn of it. */
  settle(settlement: Settlement): Promise<SettleOutcome>;
}

/** Where a facilitator is, and how long it may take. */
export interface FacilitatorOptions {
  /** Its address; `/verify`, `/settle` and `/supported` stand below it. */
  readonly url: string;
  /** Value of the `Authorization` header, or how to make it for one path; a secret, and never part of an error. */
  readonly authorization?: string | ((path: string) => Promise<string>);
  readonly fetch?: typeof globalThis.fetch;
  /** Time for one answer, in milliseconds. Settling waits for the chain, so less than ten seconds is little. */
  readonly timeoutMs?: number;
}

const DEFAULT_TIMEOUT_MS = 30_000;
/**
 * Longest answer that is read, in characters. Answers have some hundred bytes; `/supported` of large facilitators some
 * ten thousand.
 */
const MAX_ANSWER_LENGTH = 1_000_000;
const MAX_DETAIL_LENGTH = 200;

type Json = Readonly<Record<string, unknown>>;

/** The kind that takes payments of a version of x402 on a network. */
export function kindOf(
  kinds: readonly FacilitatorKind[],
  version: 1 | 2,
  network: NetworkNames,
): FacilitatorKind | undefined {
  const name = version === 1 ? network.v1 : network.caip2;
  return kinds.find((kind) => kind.version === version && kind.network === name);
}

/** Creates a facilitator that is reached over HTTP. */
export function createFacilitator(options: FacilitatorOptions): Facilitator {
  const base = options.url.replace(/\/+$/, '');
  const { authorization, fetch = globalThis.fetch, timeoutMs = DEFAULT_TIMEOUT_MS } = options;
  let known: readonly FacilitatorKind[] = [];

  async function call(path: string, body: object | null, signals: AbortSignal[]): Promise<[number, Json]> {
    const credentials = typeof authorization === 'function' ? await authorization(path) : authorization;
    const response = await fetch(`${base}/${path}`, {
      method: body === null ? 'GET' : 'POST',
      headers: {
        Accept: 'application/json',
        ...(body === null ? {} : { 'Content-Type': 'application/json' }),
        ...(credentials === undefined ? {} : { Authorization: credentials }),
      },
      body: body === null ? null : JSON.stringify(body),
      // Credentials are for this address alone.
      redirect: 'error',
      signal: AbortSignal.any([...signals, AbortSignal.timeout(timeoutMs)]),
    });
    return [response.status, await jsonOf(response)];
  }

  return {
    kinds: () => known,

    async refresh(signal) {
      const [status, answer] = await reached(call('supported', null, [signal]), signal);
      const kinds = kindsIn(answer, known);
      if (status !== 200 || kinds === null) throw unavailable(`It answers ${status} to /supported.`);
      known = kinds;
      return known;
    },

    async verify(settlement, signal) {
      const [status, answer] = await reached(call('verify', requestOf(settlement), [signal]), signal);
      if (status === 200 && answer['isValid'] === true) return null;
      const reason = wordsIn(answer['invalidReason']);
      // `unexpected_…` is its word for faults of its own, such as a chain that it cannot reach.
      if (answer['isValid'] === false && !reason.startsWith('unexpected')) return reason;
      throw unavailable(`It answers ${status} to /verify.`);
    },

    async settle(settlement) {
      try {
        const [status, answer] = await call('settle', requestOf(settlement), []);
        const { success, transaction } = answer;
        if (success === true && typeof transaction === 'string') return { kind: 'settled', transaction };
        if (success === false) return { kind: 'failed', detail: wordsIn(answer['errorReason']) };
        return { kind: 'unknown', cause: new Error(`The facilitator answers ${status} to /settle.`) };
      } catch (cause) {
        return { kind: 'unknown', cause };
      }
    },
  };
}

function requestOf({ version, payload, requirements }: Settlement): object {
  return { x402Version: version, paymentPayload: payload, paymentRequirements: requirements };
}

async function reached(call: Promise<[number, Json]>, signal: AbortSignal): Promise<[number, Json]> {
  try {
    return await call;
  } catch (cause) {
    signal.throwIfAborted();
    throw unavailable(undefined, cause);
  }
}

function unavailable(detail?: string, cause?: unknown): PaymentProblem {
  return new PaymentProblem('facilitator_unavailable', {
    ...(detail === undefined ? {} : { detail }),
    ...(cause === undefined ? {} : { cause }),
  });
}

async function jsonOf(response: Response): Promise<Json> {
  const text = await readText(response);
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    // As any other answer that is no object.
  }
  throw new Error(`The facilitator answers ${response.status}, and no JSON object.`);
}

/** The body; what is longer than any answer is not read to its end. */
async function readText({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const piece of (body ?? []) as AsyncIterable<Uint8Array>) {
    text += decoder.decode(piece, { stream: true });
    if (text.length > MAX_ANSWER_LENGTH) throw new Error('The answer of the facilitator is too long.');
  }
  return text + decoder.decode();
}

/** The kinds of `/supported` that can be paid with `exact`; null when the answer is none of it. */
function kindsIn(answer: Json, before: readonly FacilitatorKind[]): FacilitatorKind[] | null {
  const { kinds, signers } = answer;
  if (!Array.isArray(kinds)) return null;
  const signing = isObject(signers) ? Object.values(signers).flat() : [];
  return kinds.filter(isObject).flatMap((kind): FacilitatorKind[] => {
    const { x402Version: version, scheme, network } = kind;
    if ((version !== 1 && version !== 2) || scheme !== 'exact' || typeof network !== 'string') return [];
    const { feePayer: named, ...others } = isObject(kind['extra']) ? kind['extra'] : {};
    if (typeof named !== 'string') return [];
    // A memo would be one for all payments, and some clients are refused for any (`entry` in offer.ts).
    const extra = Object.fromEntries(Object.entries(others).filter(([name]) => name !== 'memo'));
    // Facilitators with several fee payers name another one each time, and version 1 does not say which one was paid
    // by.
    const offered = before.find((other) => other.version === version && other.network === network)?.feePayer;
    const feePayer = offered !== undefined && signing.includes(offered) ? offered : named;
    return [{ version, network, feePayer, extra }];
  });
}

/** A word of the facilitator for people to read: without what it should not hold, and not too long. */
function wordsIn(value: unknown): string {
  const text = typeof value === 'string' ? value : '';
  return text.replaceAll(/[^\w .,:()-]/g, '').slice(0, MAX_DETAIL_LENGTH) || 'no reason given';
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
