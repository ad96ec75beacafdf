// Paying for one request: who pays, what happens meanwhile, and what to do when it does not work. Loaded when somebody wants
// to pay; what was begun is kept, so that neither a reload nor a closed tab loses a payment or its answer.
import type { Pay as PayPort, PaymentOrder } from '@grainline/x402/client';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { PayProps } from '../order.ts';
import { wait } from '../wait.ts';
import { DEMO_WALLET, PLAY_NETWORK } from './demo-wallet.ts';
import { storedPayments } from './memory.ts';
import { payByLink, payLink } from './pay-by-link.ts';
import { findBy, type PayingPage, type PayingStage, payWithWallet } from './pay-with-wallet.ts';
import { pendingOrders } from './pending.ts';
import { purchase, withoutPaying } from './purchase.ts';
import { QrCode } from './qr.tsx';
import { type Trouble, troubleOf } from './sentences.ts';
import { paymentService } from './service.ts';
import { chainOf, type PayingWallet, watchWallets } from './wallet.ts';
import './pay.css';

/** Where the payment is. */
type View =
  | { readonly kind: 'choose' }
  | { readonly kind: 'busy'; readonly stage: PayingStage | 'connecting' | 'asking' }
  | { readonly kind: 'link'; readonly order: PaymentOrder }
  | { readonly kind: 'trouble'; readonly trouble: Trouble; readonly again: () => void };

const STAGES: Readonly<Record<Extract<View, { kind: 'busy' }>['stage'], string>> = {
  connecting: 'Waiting for the wallet to connect …',
  preparing: 'Asking the service for the transfer …',
  signing: 'Waiting for you to confirm in the wallet …',
  sending: 'Handing the transfer to the network …',
  confirming: 'Waiting for the network to confirm …',
  asking: 'Waiting for the answer …',
};

/** The price, the wallets, and the way from one to the answer. For what an earlier visit began, its payment is looked for first. */
export function Pay({ order, onAnswer }: PayProps) {
  const { overview, tier, resumes } = order;
  const [wallets, setWallets] = useState<readonly PayingWallet[]>([]);
  const [view, setView] = useState<View>({ kind: 'choose' });
  const running = useRef<AbortController | null>(null);
  /** Ends the waiting for somebody to follow the link. */
  const leaving = useRef(new AbortController());
  const heading = useRef<HTMLHeadingElement>(null);
  const id = useRef(resumes?.id ?? crypto.randomUUID());
  const price = priceOf(order);
  const isPlay = overview.network === PLAY_NETWORK;

  useEffect(() => watchWallets(chainOf(overview.network), setWallets), [overview.network]);
  useEffect(() => {
    heading.current?.focus();
    if (resumes !== undefined) look();
    return () => running.current?.abort();
  }, []);

  const page: PayingPage = {
    service: paymentService(tier, document.baseURI),
    onStage: (stage) => setView({ kind: 'busy', stage }),
    now: Date.now,
    sleep: wait,
  };

  /** Buys by a way of paying; whatever happens ends in a view. */
  async function run(
    open: (signal: AbortSignal) => Promise<PayPort>,
    stage: 'connecting' | 'asking',
    again: () => void,
  ): Promise<void> {
    running.current?.abort();
    const own = new AbortController();
    running.current = own;
    setView({ kind: 'busy', stage });
    try {
      const pay = await open(own.signal);
      await pendingOrders.put({
        id: id.current,
        tier,
        request: order.request,
        beganMs: resumes?.beganMs ?? Date.now(),
      });
      const bought = await purchase(order, afterPaying(pay), {
        base: document.baseURI,
        signal: own.signal,
        remember: storedPayments(localStorage, navigator.locks),
      });
      if (own.signal.aborted) return;
      await pendingOrders.remove(id.current);
      if (bought.kind === 'answer') {
        onAnswer(bought.json);
        return;
      }
      const text = `${bought.message} The payment was not used: it stays good for this very request.`;
      setView({ kind: 'trouble', trouble: { text, next: 'none' }, again });
    } catch (error) {
      if (own.signal.aborted) return;
      const trouble = troubleOf(error);
      if (trouble.next === 'pay' || trouble.next === 'none') await forget();
      setView({ kind: 'trouble', trouble, again: trouble.next === 'pay' ? again : look });
    }
  }

  /** The payment is there; what follows is the service's work. */
  function afterPaying(pay: PayPort): PayPort {
    const told: PayPort = async (asked, context) => {
      const signature = await pay(asked, context);
      setView({ kind: 'busy', stage: 'asking' });
      return signature;
    };
    return pay.find === undefined ? told : Object.assign(told, { find: pay.find });
  }

  /** Nothing was paid, so nothing has to be kept. */
  async function forget(): Promise<void> {
    await pendingOrders.remove(id.current).catch(() => undefined);
  }

  function payBy(wallet: PayingWallet): void {
    void run(
      async () => payWithWallet(await wallet.connect(), page),
      'connecting',
      () => payBy(wallet),
    );
  }

  function payElsewhere(): void {
    const show = (asked: PaymentOrder): void => setView({ kind: 'link', order: asked });
    const { signal } = (leaving.current = new AbortController());
    void run(() => Promise.resolve(payByLink(page, show, signal)), 'asking', payElsewhere);
  }

  function look(): void {
    const find: PayPort = Object.assign<PayPort, Pick<PayPort, 'find'>>(
      () => Promise.reject(new Error('A search pays nothing.')),
      { find: findBy(page) },
    );
    void run(
      () => Promise.resolve(withoutPaying(find)),
      'asking',
      () => setView({ kind: 'choose' }),
    );
  }

  function stop(): void {
    if (view.kind === 'link') {
      setView({ kind: 'busy', stage: 'confirming' });
      leaving.current.abort();
      return;
    }
    running.current?.abort();
    setView({ kind: 'choose' });
  }

  return (
    <>
      <h2 tabIndex={-1} ref={heading}>
        Pay {price} for <em>{tier}</em>
      </h2>
      {isPlay && <p class="note">Play money: nothing here is worth anything.</p>}
      {view.kind === 'choose' && (
        <Choice wallets={isPlay ? [DEMO_WALLET, ...wallets] : wallets} onPick={payBy} onLink={payElsewhere} />
      )}
      {view.kind === 'link' && <LinkView order={view.order} tier={tier} />}
      <p class="status" role="status">
        {view.kind === 'busy' && STAGES[view.stage]}
        {view.kind === 'link' && 'Waiting for the payment …'}
      </p>
      {view.kind === 'trouble' && (
        <div role="alert">
          <p class="fault">{view.trouble.text}</p>
          {view.trouble.next !== 'none' && (
            <button type="button" class="main" onClick={view.again}>
              {NEXT[view.trouble.next]}
            </button>
          )}{' '}
          {view.trouble.next === 'pay' && (
            <button type="button" onClick={() => setView({ kind: 'choose' })}>
              Another way to pay
            </button>
          )}
        </div>
      )}
      {(view.kind === 'busy' || view.kind === 'link') && (
        <button type="button" onClick={stop}>
          {view.kind === 'link' ? 'Nobody pays by it' : 'Stop waiting'}
        </button>
      )}
    </>
  );
}

const NEXT = { pay: 'Try again', look: 'Look for it again', ask: 'Ask for the answer again' } as const;

interface ChoiceProps {
  readonly wallets: readonly PayingWallet[];
  readonly onPick: (wallet: PayingWallet) => void;
  readonly onLink: () => void;
}

function Choice({ wallets, onPick, onLink }: ChoiceProps) {
  return (
    <>
      {wallets.length === 0 && (
        <p>No wallet for this network was found in this browser. Install one, or pay from a phone.</p>
      )}
      <ul class="wallets">
        {wallets.map((wallet) => (
          <li key={wallet.name}>
            <button type="button" onClick={() => onPick(wallet)}>
              {wallet.icon !== undefined && <img src={wallet.icon} alt="" width="20" height="20" />}
              {wallet.name}
              {wallet.isDemo && <small>built into this page</small>}
            </button>
          </li>
        ))}
        <li>
          <button type="button" onClick={onLink}>
            Pay from another device
          </button>
        </li>
      </ul>
    </>
  );
}

function LinkView({ order, tier }: { readonly order: PaymentOrder; readonly tier: string }) {
  const link = payLink(order, tier);
  return (
    <div>
      <QrCode text={link} label="Solana Pay code of this payment" />
      <p>
        Scan it with a wallet, or <a href={link}>open it in a wallet on this device</a>.
      </p>
    </div>
  );
}

/** Dollars and the asset: `$0.004 in USDC`. */
function priceOf({ overview, tier }: PayProps['order']): string {
  const entry = overview.tiers.find(({ id }) => id === tier);
  return `$${entry?.price_usd ?? 0} in ${overview.asset}`;
}
