// The client of an x402 facilitator, which completes, broadcasts and pays for transactions that payers have signed. The
// chain proves each settlement that the facilitator reports.
import { readText } from './http.ts';
import { isObject, type JsonObject, parseJson } from './json.ts';
import type { NetworkNames } from './network.ts';
import { PaymentProblem } from './reasons.ts';

/** A kind of payment that a facilitator settles, as listed by its `/supported`. */
export interface FacilitatorKind {
  readonly version: 1 | 2;
  /** The network's name in that version of x402. */
  readonly network: string;
  /** Address that pays the transaction's fee; payers include it in the message that they sign. */
  readonly feePayer: string;
  /** Further members for payers. */
  readonly extra: Readonly<Record<string, unknown>>;
}

/** The input of a facilitator: a payload of either version, and the offer's entry that it answers. */
export interface Settlement {
  readonly version: 1 | 2;
  readonly payload: unknown;
  readonly requirements: Readonly<Record<string, unknown>>;
}

/** The outcome of a settlement, as reported by the facilitator. */
export type SettleOutcome =
  | { readonly kind: 'settled'; readonly transaction: string }
  /** Rejected or failed; the transaction may have been broadcast nevertheless. */
  | { readonly kind: 'failed'; readonly detail: string }
  /** No answer, or an unreadable one. */
  | { readonly kind: 'unknown'; readonly cause: unknown };

/** A facilitator. */
export interface Facilitator {
  /** The kinds of the last {@link refresh}; empty before the first. */
  kinds(): readonly FacilitatorKind[];
  /**
   * Requests the supported kinds. A fee payer that was offered before stays while the facilitator signs with it.
   *
   * @throws PaymentProblem `facilitator_unavailable`
   */
  refresh(signal: AbortSignal): Promise<readonly FacilitatorKind[]>;
  /**
   * Has a payment verified; null when the facilitator would settle it, else its reason.
   *
   * @throws PaymentProblem `facilitator_unavailable`
   */
  verify(settlement: Settlement, signal: AbortSignal): Promise<string | null>;
  /** Settles. It takes no signal: the payer's money may move meanwhile, and the outcome must be recorded. */
  settle(settlement: Settlement): Promise<SettleOutcome>;
}

/** Options of {@link createFacilitator}. */
export interface FacilitatorOptions {
  /** Its address, with `/verify`, `/settle` and `/supported` below it. */
  readonly url: string;
  /**
   * Value of the `Authorization` header, or a function that makes it for a path; a secret, and never part of an error.
   */
  readonly authorization?: string | ((path: string) => Promise<string>) | undefined;
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Time for one answer, in milliseconds. Settling waits for the chain and often takes ten seconds. */
  readonly timeoutMs?: number | undefined;
}

const DEFAULT_TIMEOUT_MS = 30_000;
/** Answers take some hundred bytes; `/supported` of large facilitators some ten thousand. */
const MAX_ANSWER_BYTES = 1_000_000;
const MAX_DETAIL_LENGTH = 200;

/** The kind for a version of x402 on a network. */
export function findKind(
  kinds: readonly FacilitatorKind[],
  version: 1 | 2,
  network: NetworkNames,
): FacilitatorKind | undefined {
  const name = version === 1 ? network.v1 : network.caip2;
  return kinds.find((kind) => kind.version === version && kind.network === name);
}

/** Creates the client of a facilitator over HTTP. */
export function createFacilitator(options: FacilitatorOptions): Facilitator {
  const base = options.url.replace(/\/+$/, '');
  const { authorization, fetch = globalThis.fetch, timeoutMs = DEFAULT_TIMEOUT_MS } = options;
  let supported: readonly FacilitatorKind[] = [];

  async function call(
    path: string,
    body: object | null,
    signals: AbortSignal[],
  ): Promise<[number, JsonObject]> {
    const credentials = typeof authorization === 'function' ? await authorization(path) : authorization;
    const headers = new Headers({ Accept: 'application/json' });
    if (body !== null) headers.set('Content-Type', 'application/json');
    if (credentials !== undefined) headers.set('Authorization', credentials);
    const response = await fetch(`${base}/${path}`, {
      method: body === null ? 'GET' : 'POST',
      headers,
      body: body === null ? null : JSON.stringify(body),
      // The credentials belong to this address alone.
      redirect: 'error',
      signal: AbortSignal.any([...signals, AbortSignal.timeout(timeoutMs)]),
    });
    return [response.status, await readJson(response)];
  }

  return {
    kinds: () => supported,

    async refresh(signal) {
      const [status, answer] = await orUnavailable(call('supported', null, [signal]), signal);
      const kinds = kindsIn(answer, supported);
      if (status !== 200 || kinds === null) throw unavailable(`It answers ${status} to /supported.`);
      supported = kinds;
      return supported;
    },

    async verify(settlement, signal) {
      const [status, answer] = await orUnavailable(
        call('verify', writeRequest(settlement), [signal]),
        signal,
      );
      if (status === 200 && answer['isValid'] === true) return null;
      const reason = readableText(answer['invalidReason']);
      // `unexpected_…` marks the facilitator's own failures, such as an unreachable chain.
      if (answer['isValid'] === false && !reason.startsWith('unexpected')) return reason;
      throw unavailable(`It answers ${status} to /verify.`);
    },

    async settle(settlement) {
      try {
        const [status, answer] = await call('settle', writeRequest(settlement), []);
        const { success, transaction } = answer;
        if (success === true && typeof transaction === 'string') return { kind: 'settled', transaction };
        if (success === false) return { kind: 'failed', detail: readableText(answer['errorReason']) };
        return { kind: 'unknown', cause: new Error(`The facilitator answers ${status} to /settle.`) };
      } catch (cause) {
        return { kind: 'unknown', cause };
      }
    },
  };
}

function writeRequest({ version, payload, requirements }: Settlement): object {
  return { x402Version: version, paymentPayload: payload, paymentRequirements: requirements };
}

async function orUnavailable(
  call: Promise<[number, JsonObject]>,
  signal: AbortSignal,
): Promise<[number, JsonObject]> {
  try {
    return await call;
  } catch (cause) {
    signal.throwIfAborted();
    throw new PaymentProblem('facilitator_unavailable', { cause });
  }
}

function unavailable(detail: string): PaymentProblem {
  return new PaymentProblem('facilitator_unavailable', { detail });
}

async function readJson(response: Response): Promise<JsonObject> {
  const value = parseJson(await readText(response, MAX_ANSWER_BYTES));
  if (isObject(value)) return value;
  throw new Error(`The facilitator answers ${response.status}, and no JSON object.`);
}

/** The kinds of `/supported` with scheme `exact`; null when the answer has no list of kinds. */
function kindsIn(answer: JsonObject, previous: readonly FacilitatorKind[]): FacilitatorKind[] | null {
  const { kinds, signers } = answer;
  if (!Array.isArray(kinds)) return null;
  const signing = isObject(signers) ? Object.values(signers).flat() : [];
  return kinds.filter(isObject).flatMap((kind): FacilitatorKind[] => {
    const { x402Version: version, scheme, network } = kind;
    if ((version !== 1 && version !== 2) || scheme !== 'exact' || typeof network !== 'string') return [];
    const { feePayer: named, ...others } = isObject(kind['extra']) ? kind['extra'] : {};
    if (typeof named !== 'string') return [];
    // A memo here would be the same for all payments, and version 1 clients are rejected for any memo (`acceptsEntry`
    // in offer.ts).
    const extra = Object.fromEntries(Object.entries(others).filter(([name]) => name !== 'memo'));
    // Facilitators with several fee payers name another one each time, and version 1 does not repeat the chosen one.
    const offered = previous.find(
      (other) => other.version === version && other.network === network,
    )?.feePayer;
    const feePayer = offered !== undefined && signing.includes(offered) ? offered : named;
    return [{ version, network, feePayer, extra }];
  });
}

/** A facilitator's text for people, without special characters and with a bounded length. */
function readableText(value: unknown): string {
  const text = typeof value === 'string' ? value : '';
  return text.replaceAll(/[^\w .,:()-]/g, '').slice(0, MAX_DETAIL_LENGTH) || 'no reason given';
}
