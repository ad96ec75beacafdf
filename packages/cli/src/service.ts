// A service that cuts documents: each is sent as it is, paid for when the service asks and the user allows, and its job
// followed to the end. What comes back is the service's own answer.
import { type FileHandle, open } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Warning } from '@grainline/core';
import {
  type Pay,
  payingFetch,
  PayingError,
  paymentOf,
  payWithKeypair,
  readKeypair,
  USDC,
  wait,
} from '@grainline/x402/client';
import { type ServicePlace, USDC_DECIMALS, type WalletRequest } from './arguments.ts';
import { CliError, reasonOf } from './errors.ts';
import type { ServiceFields } from './fields.ts';
import { openPaymentFolder, paymentFolder } from './payment-folder.ts';
import { counted, type Io } from './terminal.ts';
import { readText } from './text-of.ts';
import { isPassing, whyUnreachable } from './unreachable.ts';

/** A service, with what may be spent there in one run. */
export interface Service {
  /** Sends an order, and resolves with the answer once it has all chunks. Rejects with a CliError, a PayingError, or the signal's reason. */
  readonly send: (order: Order, run: Sending) => Promise<Answer>;
  /** What was paid, in lines for people; none when nothing was. */
  readonly summary: () => string[];
}

/** A document, and how it is to be cut. */
export interface Order {
  /** As the service calls it. */
  readonly tier: string;
  readonly fields: ServiceFields;
  readonly documentId: string;
  readonly source: Upload | Link;
}

/** A document to send. */
export interface Upload {
  readonly bytes: Uint8Array;
  readonly filename: string;
  /** Declares an encoding, and no more. */
  readonly contentType?: string | undefined;
}

/** A document for the service to fetch. */
export interface Link {
  readonly url: string;
}

/** What one order brings besides itself. */
export interface Sending {
  readonly signal: AbortSignal;
  /** How far a job is: from 0 to 100, and the service's words. */
  readonly onProgress?: (percent: number, message: string) => void;
}

/** Members of an answer that are read here; the records are as they come. */
export interface Answer {
  readonly tier: string;
  readonly total_chunks: number;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly chunks: readonly Readonly<Record<string, unknown>>[];
  readonly warnings?: readonly Warning[];
}

/** Tries of a request that the service puts off, or whose connection breaks, before anything is paid. */
const MOST_TRIES = 5;
/** A service that wants more patience than this is full for today. */
const MOST_WAIT_S = 60;
/** How a job is followed: looks, and how far apart. Together longer than services give a job as a rule, 30 minutes. */
const FOLLOWING = { pollMs: 1500, mostPolls: 1400 };
/** Bits of a file's mode by which others than its owner may do something with it. */
const OTHERS = 0o077;

/**
 * Opens a service for a run.
 *
 * Rejects with `keypair_unusable`, `keypair_exposed` or `no_state_folder`.
 */
export async function openService(
  place: ServicePlace,
  io: Pick<Io, 'cwd' | 'environment'>,
  following = FOLLOWING,
): Promise<Service> {
  const purse = createPurse(place.wallet?.maxCost ?? 0n);
  const fetchPaid = payingFetch(patientFetch, await payingOptions(place.wallet, purse, io));

  return {
    async send(order, run) {
      const { path, init } = requestOf(order);
      const asked = fetchPaid(place.remote + path, { ...init, method: 'POST', signal: run.signal });
      const response = await orExplained(asked, place);
      const payment = paymentOf(response);
      if (payment !== undefined) purse.used(payment.signature);
      return readAnswer(await finalAnswer(await readBody(response), place.remote, run, following));
    },
    summary: () => purse.summary(),
  };
}

/** What a service says of itself: the answer of `GET /`. Rejects with a CliError, or the signal's reason. */
export async function askInfo(remote: string, signal: AbortSignal): Promise<Record<string, unknown>> {
  const asked = patientFetch(remote, { signal, headers: { Accept: 'application/json' } });
  return readBody(await orExplained(asked, { remote, wallet: undefined }));
}

/** What a run has paid. */
interface Purse {
  /** The wallet, held back where the run would cost more than it may. */
  guard(pay: Pay): Pay;
  used(signature: string): void;
  summary(): string[];
}

function createPurse(maxCost: bigint): Purse {
  let spent = 0n;
  const made = new Set<string>();
  const used = new Set<string>();
  const guard = (pay: Pay): Pay => {
    const guarded: Pay = async (order, context) => {
      if (spent + order.amount > maxCost) throw new PayingError('price_too_high', { amount: order.amount });
      // Taken off first: several files may be paid for at the same time.
      spent += order.amount;
      const begun: unknown[] = [];
      const record = async (attempt: Parameters<typeof context.record>[0]): Promise<void> => {
        await context.record(attempt);
        begun.push(attempt);
      };
      try {
        const signature = await pay(order, { ...context, record });
        made.add(signature);
        return signature;
      } catch (error) {
        // What may have been paid counts as paid.
        const isUnpaid = error instanceof PayingError && error.code === 'payment_failed';
        if (begun.length === 0 || isUnpaid) spent -= order.amount;
        throw error;
      }
    };
    return Object.assign(guarded, pay);
  };
  const summary = (): string[] => {
    const earlier = [...used].filter((signature) => !made.has(signature)).length;
    const paid = spent === 0n ? [] : [`Paid ${usdc(spent)} in ${counted(made.size, 'payment')}.`];
    return earlier === 0 ? paid : [...paid, `${counted(earlier, 'payment')} of earlier runs used again.`];
  };
  return { guard, used: (signature) => void used.add(signature), summary };
}

async function payingOptions(
  wallet: WalletRequest | undefined,
  purse: Purse,
  io: Pick<Io, 'cwd' | 'environment'>,
) {
  // Without a wallet nothing is asked to pay: every price is above the ceiling.
  if (wallet === undefined) return { pay: payNothing, maxAmount: 0n, assets: USDC };
  const { network, rpcUrl, maxCost } = wallet;
  const keypair = await readKeypairFile(resolve(io.cwd, wallet.keypair));
  return {
    pay: purse.guard(payWithKeypair({ rpcUrl, keypair })),
    maxAmount: maxCost,
    assets: { [network]: USDC[network] },
    remember: openPaymentFolder(paymentFolder(io.environment)),
  };
}

const payNothing: Pay = () =>
  Promise.reject(new PayingError('payment_failed', { detail: 'there is no key pair' }));

async function readKeypairFile(path: string): Promise<Uint8Array> {
  try {
    const file = await open(path);
    try {
      await refuseExposed(file, path);
      return readKeypair(await file.readFile('utf8'));
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof CliError) throw error;
    if (error instanceof PayingError)
      throw new CliError('keypair_unusable', { detail: `in ${path}: ${error.message}` });
    throw new CliError('keypair_unusable', { detail: `${path} cannot be read: ${reasonOf(error)}.` });
  }
}

/** Whoever can read the file can spend what is in the wallet. Windows has no such bits. */
async function refuseExposed(file: FileHandle, path: string): Promise<void> {
  const about = await file.stat();
  // What comes from another program through a pipe is nobody else's.
  if (process.platform === 'win32' || !about.isFile() || (about.mode & OTHERS) === 0) return;
  const bits = (about.mode & 0o777).toString(8).padStart(4, '0');
  throw new CliError('keypair_exposed', {
    detail: `in ${path}, whose mode is ${bits}. Run: chmod 600 ${quoted(path)}`,
  });
}

/** As a word of a shell. */
function quoted(path: string): string {
  return /^[\w./~+@%:,-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

/** A link goes as JSON, a document as a form. */
function requestOf({ tier, fields, documentId, source }: Order): { path: string; init: RequestInit } {
  const given: ServiceFields = { ...fields, document_id: documentId };
  if ('url' in source) {
    const body = JSON.stringify({ tier, url: source.url, ...given });
    return { path: '/chunk', init: { body, headers: { 'Content-Type': 'application/json' } } };
  }
  const form = new FormData();
  for (const [name, value] of Object.entries(given)) form.append(name, String(value));
  const { bytes, filename, contentType } = source;
  form.append('file', new Blob([bytes], contentType === undefined ? {} : { type: contentType }), filename);
  return { path: `/chunk/${tier}`, init: { body: form } };
}

/** Waits where the service says so, and tries again where a connection breaks; only as long as nothing is paid. */
async function patientFetch(url: string, init: RequestInit): Promise<Response> {
  const signal = init.signal ?? new AbortController().signal;
  // With a payment the paying fetch has its own patience.
  const most = new Headers(init.headers).has('X-PAYMENT') ? 1 : MOST_TRIES;
  for (let tries = 1; ; tries++) {
    const outcome = await fetch(url, init).catch((error: unknown) => ({ error }));
    signal.throwIfAborted();
    const waitS = 'error' in outcome ? (isPassing(outcome.error) ? tries : null) : waitOf(outcome);
    if (tries === most || waitS === null || waitS > MOST_WAIT_S) {
      if ('error' in outcome) throw outcome.error;
      return outcome;
    }
    await wait(waitS * 1000, signal);
  }
}

function waitOf({ status, headers }: Response): number | null {
  const text = headers.get('retry-after') ?? '';
  return (status === 429 || status === 503) && /^\d{1,6}$/.test(text) ? Number(text) : null;
}

/** What `fetch` and the payer throw, in the words of the command line. */
async function orExplained(answer: Promise<Response>, { wallet, remote }: ServicePlace): Promise<Response> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof PayingError && error.code === 'price_too_high' && error.amount !== undefined) {
      const detail = usdc(error.amount);
      throw new CliError(wallet === undefined ? 'payment_needed' : 'too_dear', { detail, cause: error });
    }
    if (error instanceof TypeError) throw unreachable(error, remote);
    throw error;
  }
}

function unreachable(error: TypeError, url: string): CliError {
  return new CliError('remote_unreachable', { detail: whyUnreachable(error, url), cause: error });
}

/** The body as JSON; an error of the service as one of ours. */
async function readBody(response: Response): Promise<Record<string, unknown>> {
  const text = await readText(response).catch((error: unknown) => {
    // The connection broke, or what came cannot be unpacked.
    throw error instanceof TypeError ? unreachable(error, response.url) : error;
  });
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    // Falls through to the same fault as JSON that is no object.
  }
  if (!isRecord(body))
    throw new CliError('remote_strange', { detail: `status ${response.status}, and no JSON object` });
  if (response.ok) return body;
  throw refusal(body, response.status);
}

function refusal({ message, error, code }: Record<string, unknown>, status?: number): CliError {
  const words = [message, error].find((text) => typeof text === 'string') ?? 'no reason is given';
  const name = typeof code === 'string' ? code : (status ?? 'failed');
  return new CliError('remote_refused', { detail: `${words} (${name})` });
}

/**
 * Follows a job to its end and a link to the chunks. A service may keep them elsewhere, but cannot have us ask what it
 * could not reach itself, such as a router or the metadata of a cloud machine: those speak plain http.
 */
async function finalAnswer(
  first: Record<string, unknown>,
  remote: string,
  { signal, onProgress }: Sending,
  { pollMs, mostPolls }: typeof FOLLOWING,
): Promise<Record<string, unknown>> {
  const get = async (url: unknown): Promise<Record<string, unknown>> => {
    if (typeof url !== 'string' || !/^https?:\/\//.test(url) || !URL.canParse(url))
      throw new CliError('remote_strange', { detail: 'its link leads nowhere' });
    const { origin, protocol } = new URL(url);
    if (origin !== new URL(remote).origin && protocol !== 'https:')
      throw new CliError('remote_strange', { detail: `its link leads to ${origin}, and without https` });
    return readBody(
      await patientFetch(url, { signal, redirect: 'error' }).catch((error: unknown) => {
        throw error instanceof TypeError ? unreachable(error, url) : error;
      }),
    );
  };
  let answer = first;
  for (let polls = 0; answer['status_url'] !== undefined || answer['status'] === 'processing'; polls++) {
    if (polls === mostPolls) {
      const minutes = Math.round((mostPolls * pollMs) / 60_000);
      throw new CliError('still_processing', { detail: counted(minutes, 'minute') });
    }
    await wait(pollMs, signal);
    const url = answer['status_url'] ?? first['status_url'];
    answer = await get(url);
    if (answer['status'] === 'failed') throw refusal(answer);
    const { progress, message } = answer;
    if (typeof progress === 'number' && typeof message === 'string') onProgress?.(progress, message);
  }
  return answer['download_url'] === undefined
    ? answer
    : { ...answer, ...(await get(answer['download_url'])) };
}

/** Nothing of what a service says is taken for granted, but for what stands in a record. */
function readAnswer(body: Record<string, unknown>): Answer {
  const { tier, total_chunks: total, metadata, chunks, warnings = [] } = body;
  const isWhole = Array.isArray(chunks) && chunks.length === total && chunks.every(isRecord);
  if (!isWhole || typeof tier !== 'string')
    throw new CliError('remote_strange', { detail: 'it has not the chunks that it says' });
  if (!isRecord(metadata) || !Array.isArray(warnings) || !warnings.every(isWarning))
    throw new CliError('remote_strange', { detail: 'what it says of the document makes no sense' });
  return body as unknown as Answer;
}

/** Whether a value is an object with members. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isWarning(value: unknown): boolean {
  return isRecord(value) && typeof value['code'] === 'string' && typeof value['message'] === 'string';
}

/** Millionths as people write them: 4000n is `0.004 USDC`. */
export function usdc(micro: bigint): string {
  const digits = micro.toString().padStart(USDC_DECIMALS + 1, '0');
  const [whole, part] = [digits.slice(0, -USDC_DECIMALS), digits.slice(-USDC_DECIMALS)];
  return `${`${whole}.${part}`.replace(/\.?0+$/, '')} USDC`;
}
