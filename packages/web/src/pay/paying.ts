// One request from the choice of a wallet to its answer, as a sequence of views without elements. Begun requests are
// stored, so that neither a reload nor a closed tab loses a payment or its answer.
import { type Pay, type PaymentMemory, type PaymentOrder, wait } from '@grainline/x402/client';
import { createClient } from '@grainline/client';
import type { RawSubmission, PayProps } from '../service/chunk-request.ts';
import { payByLink } from './pay-by-link.ts';
import { findBy, type PayingPage, type PayingStage, payWithWallet } from './pay-with-wallet.ts';
import { pendingRequests } from './pending.ts';
import { purchase, withoutPaying } from './purchase.ts';
import { type Trouble, troubleOf } from './sentences.ts';
import type { PayingWallet } from './wallet.ts';

/** The current view of the panel. */
export type View =
  | { readonly kind: 'choose' }
  | { readonly kind: 'busy'; readonly stage: BusyStage }
  | { readonly kind: 'link'; readonly order: PaymentOrder }
  | { readonly kind: 'trouble'; readonly trouble: Trouble; readonly again: () => void };

/** Stages of a wait. */
export type BusyStage = PayingStage | 'connecting' | 'asking';

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
  #view: View = { kind: 'choose' };
  #running = new AbortController();
  /** Ends the wait for a transfer by the link. */
  #leaving = new AbortController();

  constructor(deps: PaymentDeps) {
    this.#deps = deps;
    this.#id = deps.request.resumes?.id ?? crypto.randomUUID();
    this.#page = {
      tier: deps.request.tier,
      transfers: createClient({ url: deps.base, tries: 1 }).transfers,
      onStage: (stage) => this.#show({ kind: 'busy', stage }),
      nowMs: Date.now,
      wait,
    };
  }

  payBy(wallet: PayingWallet): void {
    const pay = wallet.connect().then((account) => payWithWallet(account, this.#page));
    void this.#run(pay, 'connecting', () => this.payBy(wallet));
  }

  /** Pays by a link for a wallet on another device. */
  payElsewhere(): void {
    this.#leaving = new AbortController();
    const show = (order: PaymentOrder): void => this.#show({ kind: 'link', order });
    const pay = payByLink(this.#page, show, this.#leaving.signal);
    void this.#run(pay, 'asking', () => this.payElsewhere());
  }

  /** Searches for a payment with an unknown outcome, and pays nothing. */
  look(): void {
    const find = withoutPaying(findBy(this.#page));
    void this.#run(find, 'asking', () => this.choose());
  }

  choose(): void {
    this.#show({ kind: 'choose' });
  }

  /** Stops the wait. A visible link gets a last search for its payment; any other wait ends at once. */
  stop(): void {
    if (this.#view.kind === 'link') {
      this.#show({ kind: 'busy', stage: 'confirming' });
      this.#leaving.abort();
      return;
    }
    this.close();
    this.choose();
  }

  /** Ends the current work; the stored request stays. */
  close(): void {
    this.#running.abort();
  }

  #show(view: View): void {
    this.#view = view;
    this.#deps.show(view);
  }

  /** Runs one way of paying; every outcome is a view. */
  async #run(pay: Pay | Promise<Pay>, stage: BusyStage, again: () => void): Promise<void> {
    this.close();
    const { signal } = (this.#running = new AbortController());
    this.#show({ kind: 'busy', stage });
    try {
      const result = await this.#buy(await pay, signal);
      if (signal.aborted) return;
      await pendingRequests.remove(this.#id);
      this.#deps.onAnswer(result);
    } catch (error) {
      if (signal.aborted) return;
      const trouble = troubleOf(error);
      // After these outcomes nothing is left to resume.
      if (trouble.next === 'pay' || trouble.next === 'none')
        await pendingRequests.remove(this.#id).catch(() => undefined);
      this.#show({ kind: 'trouble', trouble, again: trouble.next === 'pay' ? again : () => this.look() });
    }
  }

  async #buy(pay: Pay, signal: AbortSignal): Promise<RawSubmission> {
    const { request, base, remember } = this.#deps;
    const { tier, source, options } = request;
    const beganMs = request.resumes?.beganMs ?? Date.now();
    await pendingRequests.put({ id: this.#id, tier, source, options, beganMs });
    return purchase(request, this.#reportPaid(pay), { base, signal, remember });
  }

  /** Shows the next stage after the payment, because the wait is for the service then. */
  #reportPaid(pay: Pay): Pay {
    const recording: Pay = async (order, context) => {
      const signature = await pay(order, context);
      this.#show({ kind: 'busy', stage: 'asking' });
      return signature;
    };
    return pay.find === undefined ? recording : Object.assign(recording, { find: pay.find });
  }
}
