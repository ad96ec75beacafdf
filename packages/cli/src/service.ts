// A service that cuts documents: each is sent as it is, paid for when the service asks and the user allows, and its job
// followed to the end. What comes back is the service's own answer.
import type { Warning } from '@grainline/core';
import {
  type BeforePayment,
  type Pay,
  payingFetch,
  PayingError,
  type PayingErrorCode,
  paymentOf,
  payWithKeypair,
  USDC,
  wait,
} from '@grainline/x402/client';
import { askJson, isRecord, patientFetch, readBody, refusal, unreachable } from './asking.ts';
import type { Look } from './before-payment.ts';
import { CliError, type CliErrorCode } from './errors.ts';
import type { ServiceFields } from './fields.ts';
import type { Order } from './order.ts';
import { openPaymentFolder, paymentFolder } from './payment-folder.ts';
import { createBudget, type Budget, readKeypairFile, usdc } from './budget.ts';
import type { ServicePlace, WalletRequest } from './request.ts';
import { counted, type Io } from './terminal.ts';

/** A service, with what may be spent there in one run. */
export interface Service {
  /**
   * Sends an order, and resolves with the answer once it has all chunks. Rejects with a CliError, a PayingError, or the
   * signal's reason.
   */
  readonly send: (order: Order, run: Sending) => Promise<Answer>;
  /** What was paid, in lines for people; none when nothing was. */
  readonly summary: () => string[];
}

/** What one order brings besides itself. */
export interface Sending {
  readonly signal: AbortSignal;
  /** How far it is: that it is paid for, at 0; of a job from 0 to 100, and the service's words. */
  readonly onProgress?: (percent: number, message: string) => void;
  /** Called with what should be known before the order is paid for but does not prevent it. */
  readonly onWarning?: (warning: Warning) => void;
}

/** Members of an answer that are read here; the records are as they come. */
export interface Answer {
  readonly tier: string;
  readonly total_chunks: number;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly chunks: readonly Readonly<Record<string, unknown>>[];
  readonly warnings?: readonly Warning[];
}

/** How a job is followed: looks, and how far apart. Together longer than services give a job as a rule, 30 minutes. */
const FOLLOWING = { pollMs: 1500, mostPolls: 1400 };

/**
 * Opens a service for a run.
 *
 * Rejects with `keypair_unusable`, `keypair_exposed` or `no_state_folder`.
 *
 * @param look at each document that is to be paid for
 */
export async function openService(
  place: ServicePlace,
  io: Pick<Io, 'cwd' | 'environment'>,
  look: Look,
  following = FOLLOWING,
): Promise<Service> {
  const budget = createBudget(place.wallet?.maxCost ?? 0n);
  /** What was sent, by the body in which it went. */
  const sent = new WeakMap<object, { readonly order: Order; readonly run: Sending }>();
  const beforePayment: BeforePayment = async ({ order: { amount }, request: { body } }) => {
    const closed = budget.closed();
    if (closed !== undefined) return { abort: true, reason: closed };
    // Not left to the wallet, which may be given something back meanwhile: then the document would not have been looked
    // at.
    if (amount > budget.left()) throw new PayingError('price_too_high', { amount });
    const found = body instanceof Object ? sent.get(body) : undefined;
    if (found === undefined) throw new Error('Only what was sent here is paid for.');
    const { order, run } = found;
    const { refusal, warning } = await look(order, amount, run.signal);
    if (warning !== undefined) run.onWarning?.(warning);
    // To read a document may take long, and another one may have been paid for nothing meanwhile.
    const reason = refusal ?? budget.closed();
    if (reason !== undefined) return { abort: true, reason };
    run.onProgress?.(0, `paying ${usdc(amount)}, and waiting for the answer`);
    return undefined;
  };
  const options = { ...(await payingOptions(place.wallet, budget, io)), beforePayment };
  const fetchPaid = payingFetch(patientFetch, options);

  return {
    async send(order, run) {
      const { path, init } = requestOf(order);
      sent.set(init.body, { order, run });
      let signature: string | undefined;
      try {
        const asked = fetchPaid(place.remote + path, { ...init, method: 'POST', signal: run.signal });
        const response = await orExplained(asked, place, budget);
        signature = paymentOf(response)?.signature;
        if (signature !== undefined) budget.used(signature);
        return readAnswer(await finalAnswer(await readBody(response), place.remote, run, following));
      } catch (error) {
        const failure = thoughPaid(error, signature);
        budget.failed(failure);
        throw failure;
      }
    },
    summary: () => budget.summary(),
  };
}

/** An error about a request that was paid for names the payment, and says what it is still good for. */
function thoughPaid(error: unknown, signature: string | undefined): unknown {
  if (!(error instanceof CliError) || signature === undefined) return error;
  const { code, detail, message } = error;
  const given =
    code === 'remote_refused' ? { code: 'refused_though_paid' as const, detail: message } : { code, detail };
  return new CliError(given.code, { detail: given.detail, signature, cause: error });
}

async function payingOptions(
  wallet: WalletRequest | undefined,
  budget: Budget,
  io: Pick<Io, 'cwd' | 'environment'>,
) {
  // Without a wallet nothing is asked to pay: every price is above the ceiling.
  if (wallet === undefined) return { pay: payNothing, maxAmount: 0n, assets: USDC };
  const { network, rpcUrl, maxCost } = wallet;
  const keypair = await readKeypairFile(wallet.keypair, io);
  return {
    pay: budget.guard(payWithKeypair({ rpcUrl, keypair })),
    maxAmount: maxCost,
    assets: { [network]: USDC[network] },
    remember: openPaymentFolder(paymentFolder(io.environment)),
  };
}

const payNothing: Pay = () =>
  Promise.reject(new PayingError('payment_failed', { detail: 'there is no key pair' }));

/** A link goes as JSON, a document as a form. Either body is an object of its own, however equal two orders are. */
function requestOf({ tier, fields, documentId, source }: Order): {
  readonly path: string;
  readonly init: { readonly body: FormData | Blob };
} {
  const given: ServiceFields = { ...fields, document_id: documentId };
  if ('url' in source) {
    const json = JSON.stringify({ tier, url: source.url, ...given });
    return { path: '/chunk', init: { body: new Blob([json], { type: 'application/json' }) } };
  }
  const form = new FormData();
  for (const [name, value] of Object.entries(given)) form.append(name, String(value));
  const { bytes, filename, contentType } = source;
  form.append('file', new Blob([bytes], contentType === undefined ? {} : { type: contentType }), filename);
  return { path: `/chunk/${tier}`, init: { body: form } };
}

/**
 * What can be done about it here, and under which code; what there is to say besides stands in the message of the
 * paying side.
 */
const WAYS_OUT: Readonly<Partial<Record<PayingErrorCode, readonly [CliErrorCode, string]>>> = {
  network_not_allowed: [
    'not_payable',
    'Name the network with --network, if its money is what you mean to spend.',
  ],
  redirected: ['redirected', 'Name that address with --remote, if it is the service that you mean.'],
  wrong_chain: ['not_payable', 'Name a node of that network with --rpc.'],
  endpoint_unavailable: ['not_payable', 'Try again, or name another node with --rpc.'],
  payment_refused: [
    'payment_refused',
    'Ask whoever runs the service for the money back; to pay anew, remove the files that name the transaction below $XDG_STATE_HOME/grainline/payments (~/.local/state).',
  ],
};

/** What `fetch` and the payer throw, in the words of the command line. */
async function orExplained(
  answer: Promise<Response>,
  { wallet, remote }: ServicePlace,
  budget: Budget,
): Promise<Response> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof TypeError) throw unreachable(error, remote);
    if (!(error instanceof PayingError)) throw error;
    const { code, amount, message, signature } = error;
    if (code === 'payment_aborted') throw new CliError('not_paid', { detail: message, cause: error });
    const [ours, wayOut] = WAYS_OUT[code] ?? [];
    if (ours !== undefined)
      throw new CliError(ours, { detail: `${message} ${wayOut}`, signature, cause: error });
    if (code !== 'price_too_high' || amount === undefined) throw error;
    if (wallet === undefined) throw new CliError('payment_needed', { detail: usdc(amount), cause: error });
    const left = `${usdc(budget.left())} of ${usdc(wallet.maxCost)}`;
    throw new CliError('too_dear', {
      detail: `${usdc(amount)}, and --max-cost leaves ${left}`,
      cause: error,
    });
  }
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
    return askJson(url, { signal, redirect: 'error' });
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

function isWarning(value: unknown): boolean {
  return isRecord(value) && typeof value['code'] === 'string' && typeof value['message'] === 'string';
}
