// One request from the choice of a wallet to its answer, as a sequence of views without elements. Begun requests are
// stored, so that neither a reload nor a closed tab loses a payment or its answer.
import {
  type FindPayment,
  type Pay,
  PayingError,
  type PaymentMemory,
  type PaymentOrder,
  wait,
} from '@grainline/x402/client';
import { createClient } from '@grainline/client';
import type { AnswerOrigin, PayProps, RawSubmission } from '../service/chunk-request.ts';
import { requestKey } from '../service/paid-answers.ts';
import { payByLink } from './pay-by-link.ts';
import { findBy, isByCode, type PayingPage, type PayingStage, payWithWallet } from './pay-with-wallet.ts';
import { type PendingRequest, pendingRequests } from './pending.ts';
import { assertLinkAccepted, purchase, type PurchaseDeps, repeatPurchase } from './purchase.ts';
import { type Trouble, troubleOf } from './sentences.ts';
import type { PayingWallet } from './wallet.ts';

/** The current view of the panel. */
export type View =
  /** `codeMs` is the time of an earlier code without a payment so far. */
  | { readonly kind: 'choose'; readonly codeMs?: number | undefined }
  | { readonly kind: 'busy'; readonly stage: BusyStage }
  | { readonly kind: 'link'; readonly order: PaymentOrder }
  | { readonly kind: 'trouble'; readonly trouble: Trouble; readonly again: () => void };

/** Stages of a wait. */
export type BusyStage = PayingStage | 'connecting' | 'requesting' | 'searching' | 'measuring';

/** Dependencies of a payment besides the request. */
export interface PaymentDeps extends PayProps {
  /** Address of the page: the service's endpoints are beside it. */
  readonly base: string;
  readonly remember: PaymentMemory;
  readonly show: (view: View) => void;
}

/** Pays for one request, by one way after another, until its answer arrives. */
export class Paying {
  readonly #deps: PaymentDeps;
  readonly #page: PayingPage;
  /** Id of the request among the stored ones. */
  readonly #id: string;
  #running = new AbortController();
  /** True after the service has measured the document and accepts it. */
  #isAccepted = false;
  /** Time of a code that no wallet has followed so far. */
  #codeMs: number | undefined;

  constructor(deps: PaymentDeps) {
    this.#deps = deps;
    this.#id = requestKey(deps.request);
    this.#page = {
      tier: deps.request.tier,
      transfers: createClient({ url: deps.base, tries: 1 }).transfers,
      onStage: (stage) => deps.show({ kind: 'busy', stage }),
      nowMs: Date.now,
      wait,
    };
  }

  /** Takes the answer for an earlier payment, or offers the ways to pay for an accepted document. Pays nothing. */
  resume(): void {
    void this.#run({ stage: 'searching', origin: 'repeated', again: () => this.choose() }, async (signal) => {
      this.#codeMs = undefined;
      const repeated = await repeatPurchase(this.#deps.request, this.#find(), this.#purchaseDeps(signal));
      if (repeated === undefined) await this.#assertAccepted(signal);
      return repeated;
    });
  }

  payBy(wallet: PayingWallet): void {
    void this.#run({ stage: 'connecting', again: () => this.payBy(wallet) }, async (signal) => {
      const account = await wallet.connect();
      this.#codeMs = undefined;
      return this.#buy(payWithWallet(account, this.#page), signal);
    });
  }

  /** Pays by a link for a wallet on another device. */
  payElsewhere(): void {
    const show = (order: PaymentOrder): void => {
      this.#codeMs = Date.now();
      this.#deps.show({ kind: 'link', order });
    };
    void this.#run({ stage: 'preparing', again: () => this.payElsewhere() }, (signal) =>
      this.#buy(payByLink(this.#page, show), signal, { isByCode: true }),
    );
  }

  /** Ends the current work, and offers the ways to pay. */
  choose(): void {
    this.close();
    this.#deps.show({ kind: 'choose', codeMs: this.#codeMs });
  }

  /** Ends the current work; the stored request stays. */
  close(): void {
    this.#running.abort();
  }

  /** Runs one way to the answer; every outcome is a view. */
  async #run({ stage, again, origin = 'bought' }: Way, work: Work): Promise<void> {
    this.close();
    const { signal } = (this.#running = new AbortController());
    const { show, keep, onAnswer } = this.#deps;
    show({ kind: 'busy', stage });
    try {
      const result = await work(signal);
      if (signal.aborted) return;
      if (result === undefined) {
        this.choose();
        return;
      }
      await keep(result);
      await this.#forgetRequest();
      onAnswer(result, origin);
    } catch (error) {
      if (!signal.aborted) await this.#fail(error, again);
    }
  }

  async #fail(error: unknown, again: () => void): Promise<void> {
    const isUnknown = error instanceof PayingError && error.code === 'payment_unknown';
    // The visitor alone knows whether a code is followed, and may pay in another way.
    if (isUnknown && this.#codeMs !== undefined) {
      this.choose();
      return;
    }
    const trouble = troubleOf(error);
    // After these outcomes nothing is left to resume.
    if (trouble.next === 'pay' || trouble.next === 'none') await this.#forgetRequest();
    this.#deps.show({
      kind: 'trouble',
      trouble,
      again: trouble.next === 'pay' ? again : () => this.resume(),
    });
  }

  async #buy(
    pay: Pay,
    signal: AbortSignal,
    way: Pick<PendingRequest, 'isByCode'> = {},
  ): Promise<RawSubmission> {
    const { request } = this.#deps;
    await this.#assertAccepted(signal);
    const { tier, source, options, reading, documentId } = request;
    await pendingRequests.put({
      id: this.#id,
      tier,
      source,
      options,
      reading,
      documentId,
      beganMs: Date.now(),
      ...way,
    });
    return purchase(request, pay, this.#purchaseDeps(signal));
  }

  /** Nothing is paid for a document that the service would refuse, also when the visitor cancels its measuring. */
  async #assertAccepted(signal: AbortSignal): Promise<void> {
    const { request, base, show } = this.#deps;
    signal.throwIfAborted();
    if (this.#isAccepted || !('url' in request.source)) return;
    show({ kind: 'busy', stage: 'measuring' });
    await assertLinkAccepted(request, { base, signal });
    this.#isAccepted = true;
  }

  #purchaseDeps(signal: AbortSignal): PurchaseDeps {
    const { base, remember, show } = this.#deps;
    return { base, remember, signal, onPaid: () => show({ kind: 'busy', stage: 'requesting' }) };
  }

  #forgetRequest(): Promise<void> {
    return pendingRequests.remove(this.#id).catch(() => undefined);
  }

  /** Searches for a payment, and notes the time of a code that no wallet has followed so far. */
  #find(): FindPayment {
    const find = findBy(this.#page);
    return async (order, attempts, context) => {
      const found = await find(order, attempts, context);
      if (found.kind === 'unknown' && isByCode(attempts)) this.#codeMs = attempts.at(-1)?.beganMs;
      return found;
    };
  }
}

/** One way to the answer: its first stage, and the next try after an error without a payment. */
interface Way {
  readonly stage: BusyStage;
  readonly origin?: AnswerOrigin;
  readonly again: () => void;
}

/** Resolves with undefined when there is nothing to take. */
type Work = (signal: AbortSignal) => Promise<RawSubmission | undefined>;
