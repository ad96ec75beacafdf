// Documents that a service cuts: each is sent as it is, paid for when the service asks and the user allows, and its
// answer written down as if it had been cut here.
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
} from '@grainline/x402/client';
import type { FormatId } from '@grainline/core/formats';
import { type ChunkRequest, type RemoteCutting, USDC_DECIMALS, type WalletRequest } from './arguments.ts';
import { CliError, reasonOf } from './errors.ts';
import { documentIdOf, type Input } from './inputs.ts';
import type { Cut, Result } from './layout.ts';
import { dividedTexts, type LayoutId, linesOf, objectOf } from './layouts.ts';
import { openPaymentFolder, paymentFolder } from './payment-folder.ts';
import { counted, type Io } from './terminal.ts';
import { isPassing, whyUnreachable } from './unreachable.ts';

/** A service, for one run. */
export interface Remote {
  readonly cut: Cut;
  /** What was paid, in lines for people; none when nothing was. */
  readonly summary: () => string[];
}

/** Members of an answer that are read here; the records are written as they come. */
interface Answer {
  readonly tier: string;
  readonly total_chunks: number;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly chunks: readonly Readonly<Record<string, unknown>>[];
  readonly warnings?: readonly Warning[];
}

/** Members of an answer that the object of `--json` has not. */
const LEFT_OUT = ['success', 'warnings', 'download_url', 'expires_in'];
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
 * Rejects with `keypair_unusable`, `keypair_exposed` or `no_state_folder`. `cut` rejects with a CliError, a PayingError, or the signal's
 * reason.
 */
export async function connect(
  request: ChunkRequest,
  cutting: RemoteCutting,
  io: Io,
  following = FOLLOWING,
): Promise<Remote> {
  const purse = createPurse(cutting.wallet?.maxCost ?? 0n);
  const patient = patientFetch(io.signal);
  const fetchPaid = payingFetch(patient, await payingOptions(cutting.wallet, purse, io));
  const ask = (url: string, init: RequestInit): Promise<Response> =>
    fetchPaid(url, { ...init, signal: io.signal });

  return {
    async cut(bytes, inputHash, input) {
      const documentId = documentIdOf(input, inputHash, request.documentId);
      const init = { method: 'POST', body: formOf(bytes, input, documentId, cutting, request.contentType) };
      const response = await orExplained(ask(`${cutting.remote}/chunk/${cutting.tier}`, init), cutting);
      const payment = paymentOf(response);
      if (payment !== undefined) purse.used(payment.signature);
      const answer = readAnswer(
        await finalAnswer(await readBody(response), cutting.remote, patient, io.signal, following),
      );
      return resultOf(answer, documentId, request);
    },
    summary: () => purse.summary(),
  };
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

async function payingOptions(wallet: WalletRequest | undefined, purse: Purse, io: Io) {
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

function formOf(
  bytes: Uint8Array,
  { filename }: Input,
  documentId: string,
  { fields }: RemoteCutting,
  contentType: string | undefined,
): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries({ ...fields, document_id: documentId }))
    form.append(name, value);
  form.append(
    'file',
    new Blob([bytes], contentType === undefined ? {} : { type: contentType }),
    filename ?? 'stdin',
  );
  return form;
}

/** Waits where the service says so, and tries again where a connection breaks; only as long as nothing is paid. */
function patientFetch(signal: AbortSignal): (url: string, init: RequestInit) => Promise<Response> {
  return async (url, init) => {
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
      await pause(waitS * 1000, signal);
    }
  };
}

function waitOf({ status, headers }: Response): number | null {
  const text = headers.get('retry-after') ?? '';
  return (status === 429 || status === 503) && /^\d{1,6}$/.test(text) ? Number(text) : null;
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((done, reject) => {
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', onAbort);
      done();
    }, ms);
    signal.addEventListener('abort', onAbort, { once: true });
  });
}

/** What `fetch` and the payer throw, in the words of the command line. */
async function orExplained(answer: Promise<Response>, { wallet, remote }: RemoteCutting): Promise<Response> {
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
  const text = await response.text();
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    // Falls through to the same fault as JSON that is no object.
  }
  if (typeof body !== 'object' || body === null)
    throw new CliError('remote_strange', { detail: `status ${response.status}, and no JSON object` });
  const members = body as Record<string, unknown>;
  if (response.ok) return members;
  throw refusal(members, response.status);
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
  fetchPatiently: ReturnType<typeof patientFetch>,
  signal: AbortSignal,
  { pollMs, mostPolls }: typeof FOLLOWING,
): Promise<Record<string, unknown>> {
  const get = async (url: unknown): Promise<Record<string, unknown>> => {
    if (typeof url !== 'string' || !/^https?:\/\//.test(url) || !URL.canParse(url))
      throw new CliError('remote_strange', { detail: 'its link leads nowhere' });
    const { origin, protocol } = new URL(url);
    if (origin !== new URL(remote).origin && protocol !== 'https:')
      throw new CliError('remote_strange', { detail: `its link leads to ${origin}, and without https` });
    return readBody(
      await fetchPatiently(url, { signal, redirect: 'error' }).catch((error: unknown) => {
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
    await pause(pollMs, signal);
    const url = answer['status_url'] ?? first['status_url'];
    answer = await get(url);
    if (answer['status'] === 'failed') throw refusal(answer);
  }
  return answer['download_url'] === undefined
    ? answer
    : { ...answer, ...(await get(answer['download_url'])) };
}

function readAnswer(body: Record<string, unknown>): Answer {
  const { tier, total_chunks: total, metadata, chunks } = body;
  const isWhole = Array.isArray(chunks) && chunks.length === total && typeof metadata === 'object';
  if (isWhole && typeof tier === 'string') return body as unknown as Answer;
  throw new CliError('remote_strange', { detail: 'it has not the chunks that it says' });
}

function resultOf(answer: Answer, documentId: string, { layout, format }: ChunkRequest): Result {
  const { metadata, chunks, warnings = [] } = answer;
  const size = chunks.reduce((sum, chunk) => sum + textOf(chunk).length, 0);
  return {
    render: () => render(layout, answer, documentId, format),
    warnings,
    counts: { pages: Number(metadata['estimated_pages'] ?? 0), characters: size, chunks: chunks.length },
  };
}

/** As a document that was cut here is written down, and the payment beside it. */
function render(layout: LayoutId, answer: Answer, documentId: string, format: FormatId): Iterable<string> {
  const { tier, total_chunks, metadata, chunks, ...others } = answer;
  switch (layout) {
    case 'jsonl':
      // Formats for databases have the document's name in every record.
      return linesOf(chunks, format === 'raw' ? { document_id: documentId } : {});
    case 'json': {
      const head = { tier, total_chunks, metadata: { document_id: documentId, ...metadata } };
      const rest = Object.entries(others).filter(([name]) => !LEFT_OUT.includes(name));
      return objectOf(head, chunks, Object.fromEntries(rest));
    }
    case 'text':
      return dividedTexts(chunks.map(textOf));
    default:
      throw new TypeError(`--${layout} does not go with --remote.`);
  }
}

function textOf({ text }: Readonly<Record<string, unknown>>): string {
  return typeof text === 'string' ? text : '';
}

/** Millionths as people write them: 4000n is `0.004 USDC`. */
function usdc(micro: bigint): string {
  const digits = micro.toString().padStart(USDC_DECIMALS + 1, '0');
  const [whole, part] = [digits.slice(0, -USDC_DECIMALS), digits.slice(-USDC_DECIMALS)];
  return `${`${whole}.${part}`.replace(/\.?0+$/, '')} USDC`;
}
