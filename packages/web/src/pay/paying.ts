// One order on its way from a wallet to the answer: who is asked to pay, what is kept meanwhile, and what is to be seen
// at each step. It knows of no elements. What was begun is kept, so that neither a reload nor a closed tab loses a
// payment or its answer.
import { type Pay, type PaymentMemory, type PaymentOrder, wait } from '@grainline/x402/client';
import type { PayProps } from '../order.ts';
import { payByLink } from './pay-by-link.ts';
import { findBy, type PayingPage, type PayingStage, payWithWallet } from './pay-with-wallet.ts';
import { pendingOrders } from './pending.ts';
import { type Bought, purchase, withoutPaying } from './purchase.ts';
import { type Trouble, troubleOf } from './sentences.ts';
import { paymentService } from './service.ts';
import type { PayingWallet } from './wallet.ts';

/** Where the payment is. */
export type View =
  | { readonly kind: 'choose' }
  | { readonly kind: 'busy'; readonly stage: BusyStage }
  | { readonly kind: 'link'; readonly order: PaymentOrder }
  | { readonly kind: 'trouble'; readonly trouble: Trouble; readonly again: () => void };

/** What is waited for. */
export type BusyStage = PayingStage | 'connecting' | 'asking';

/** What paying needs besides the order. */
export interface PayingParts extends PayProps {
  /** Address of the page: the service's endpoints are beside it. */
  readonly base: string;
  readonly remember: PaymentMemory;
  readonly show: (view: View) => void;
}

/** Pays for one order, by one way after another, until there is an answer. */
export class Paying {
  readonly #parts: PayingParts;
  readonly #page: PayingPage;
  /** Of the order among those that are kept. */
  readonly #id: string;
  #view: View = { kind: 'choose' };
  #running = new AbortController();
  /** Ends the waiting for somebody to follow the link. */
  #leaving = new AbortController();

  constructor(parts: PayingParts) {
    this.#parts = parts;
    this.#id = parts.order.resumes?.id ?? crypto.randomUUID();
    this.#page = {
      service: paymentService(parts.order.tier, parts.base),
      onStage: (stage) => this.#show({ kind: 'busy', stage }),
      nowMs: Date.now,
      wait,
    };
  }

  payBy(wallet: PayingWallet): void {
    const pay = async (): Promise<Pay> => payWithWallet(await wallet.connect(), this.#page);
    void this.#run(pay, 'connecting', () => this.payBy(wallet));
  }

  /** By a link, which a wallet on another device may follow. */
  payElsewhere(): void {
    this.#leaving = new AbortController();
    const show = (order: PaymentOrder): void => this.#show({ kind: 'link', order });
    const pay = payByLink(this.#page, show, this.#leaving.signal);
    void this.#run(
      () => Promise.resolve(pay),
      'asking',
      () => this.payElsewhere(),
    );
  }

  /** Looks for a payment that may have been made, and pays nothing. */
  look(): void {
    const find = withoutPaying(findBy(this.#page));
    void this.#run(
      () => Promise.resolve(find),
      'asking',
      () => this.choose(),
    );
  }

  choose(): void {
    this.#show({ kind: 'choose' });
  }

  /** Waits no longer: for the link when it is shown, whose payment is looked for once more; else for all of it. */
  stop(): void {
    if (this.#view.kind === 'link') {
      this.#show({ kind: 'busy', stage: 'confirming' });
      this.#leaving.abort();
      return;
    }
    this.close();
    this.choose();
  }

  /** Ends what is under way; what was begun stays kept. */
  close(): void {
    this.#running.abort();
  }

  #show(view: View): void {
    this.#view = view;
    this.#parts.show(view);
  }

  /** Buys by a way of paying; whatever happens ends in a view. */
  async #run(open: () => Promise<Pay>, stage: BusyStage, again: () => void): Promise<void> {
    this.close();
    const { signal } = (this.#running = new AbortController());
    this.#show({ kind: 'busy', stage });
    try {
      const bought = await this.#buy(await open(), signal);
      if (signal.aborted) return;
      await pendingOrders.remove(this.#id);
      this.#take(bought, again);
    } catch (error) {
      if (signal.aborted) return;
      const trouble = troubleOf(error);
      // Nothing was paid, or nothing helps: there is nothing to go on with.
      if (trouble.next === 'pay' || trouble.next === 'none')
        await pendingOrders.remove(this.#id).catch(() => undefined);
      this.#show({ kind: 'trouble', trouble, again: trouble.next === 'pay' ? again : () => this.look() });
    }
  }

  async #buy(pay: Pay, signal: AbortSignal): Promise<Bought> {
    const { order, base, remember } = this.#parts;
    const beganMs = order.resumes?.beganMs ?? Date.now();
    await pendingOrders.put({ id: this.#id, tier: order.tier, request: order.request, beganMs });
    return purchase(order, this.#tellingWhenPaid(pay), { base, signal, remember });
  }

  /** The payment is there; what follows is the service's work. */
  #tellingWhenPaid(pay: Pay): Pay {
    const recording: Pay = async (asked, context) => {
      const signature = await pay(asked, context);
      this.#show({ kind: 'busy', stage: 'asking' });
      return signature;
    };
    return pay.find === undefined ? recording : Object.assign(recording, { find: pay.find });
  }

  #take(bought: Bought, again: () => void): void {
    if (bought.kind === 'answer') {
      this.#parts.onAnswer(bought.json);
      return;
    }
    const text = `${bought.message} The payment was not used: it stays good for this very request.`;
    this.#show({ kind: 'trouble', trouble: { text, next: 'none' }, again });
  }
}
