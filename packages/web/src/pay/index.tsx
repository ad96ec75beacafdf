// The payment panel of one request: the price, the wallets, the progress, and the way out of an error. It loads with
// the first payment; paying.ts has the actions.
import type { PaymentOrder } from '@grainline/x402/client';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { PayProps } from '../service/chunk-request.ts';
import { DEMO_WALLET, PLAY_NETWORK } from './demo-wallet.ts';
import { storedPayments } from './memory.ts';
import { payLink } from './pay-by-link.ts';
import { Paying, type View } from './paying.ts';
import { QrCode } from './qr.tsx';
import type { Trouble } from './sentences.ts';
import { chainOf, type PayingWallet, watchWallets } from './wallet.ts';
import { JOBS, PAY } from '../texts.ts';

/** The panel. It begins with a search for an earlier payment of the same request. */
export function Pay({ request, keep, onAnswer }: PayProps) {
  const { overview, tier } = request;
  const [wallets, setWallets] = useState<readonly PayingWallet[]>([]);
  const [view, setView] = useState<View>({ kind: 'busy', stage: 'searching' });
  const heading = useRef<HTMLHeadingElement>(null);
  const [paying] = useState(() => {
    const remember = storedPayments(localStorage, navigator.locks);
    return new Paying({
      request,
      keep,
      onAnswer,
      base: new URL('.', document.baseURI).href,
      remember,
      show: setView,
    });
  });
  const isPlay = overview.network === PLAY_NETWORK;

  useEffect(() => watchWallets(chainOf(overview.network), setWallets), [overview.network]);
  useEffect(() => {
    heading.current?.focus();
    paying.resume();
    return () => paying.close();
  }, []);
  // The focused button disappears with its view.
  useEffect(() => {
    if (document.activeElement === document.body) heading.current?.focus();
  }, [view.kind]);

  return (
    <>
      <h2 tabIndex={-1} ref={heading}>
        {PAY.title(priceOf(request))}
        <em>{tier}</em>
      </h2>
      {isPlay && <p class="note">{PAY.play}</p>}
      {view.kind === 'choose' && (
        <Choice
          wallets={isPlay ? [DEMO_WALLET, ...wallets] : wallets}
          codeMs={view.codeMs}
          onPick={(wallet) => paying.payBy(wallet)}
          onLink={() => paying.payElsewhere()}
        />
      )}
      {view.kind === 'link' && <LinkView order={view.order} tier={tier} />}
      <p class="status" role="status">
        {view.kind === 'busy' && PAY.stages[view.stage]}
        {view.kind === 'link' && PAY.waiting}
      </p>
      {view.kind === 'trouble' && (
        <TroubleView trouble={view.trouble} onNext={view.again} onChoose={() => paying.choose()} />
      )}
      {(view.kind === 'busy' || view.kind === 'link') && (
        <button type="button" onClick={() => paying.choose()}>
          {view.kind === 'link' ? PAY.otherWay : JOBS.stop}
        </button>
      )}
    </>
  );
}

interface TroubleProps {
  readonly trouble: Trouble;
  readonly onNext: () => void;
  readonly onChoose: () => void;
}

function TroubleView({ trouble: { text, next }, onNext, onChoose }: TroubleProps) {
  return (
    <div role="alert">
      <p class="fault">{text}</p>
      {next !== 'none' && (
        <button type="button" class="main" onClick={onNext}>
          {PAY.next[next]}
        </button>
      )}{' '}
      {next === 'pay' && (
        <button type="button" onClick={onChoose}>
          {PAY.otherWay}
        </button>
      )}
    </div>
  );
}

interface ChoiceProps {
  readonly wallets: readonly PayingWallet[];
  /** Time of an earlier code without a payment so far. */
  readonly codeMs: number | undefined;
  readonly onPick: (wallet: PayingWallet) => void;
  readonly onLink: () => void;
}

function Choice({ wallets, codeMs, onPick, onLink }: ChoiceProps) {
  return (
    <>
      {codeMs !== undefined && <p class="note">{PAY.code(codeMs)}</p>}
      {wallets.length === 0 && <p>{PAY.noWallet}</p>}
      <ul class="wallets">
        {wallets.map((wallet) => (
          <li key={wallet.name}>
            <button type="button" onClick={() => onPick(wallet)}>
              {wallet.icon !== undefined && <img src={wallet.icon} alt="" width="20" height="20" />}
              {wallet.name}
              {wallet.isDemo && <small>{PAY.demo}</small>}
            </button>
          </li>
        ))}
        <li>
          <button type="button" onClick={onLink}>
            {PAY.otherDevice}
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
      <QrCode text={link} label={PAY.qr} />
      <p>
        {PAY.scan}
        <a href={link}>{PAY.scanHere}</a>.
      </p>
    </div>
  );
}

/** Dollars and the asset: `$0.004 in USDC`. */
function priceOf({ overview, tier }: PayProps['request']): string {
  const entry = overview.tiers.find(({ id }) => id === tier);
  return `$${entry?.price_usd ?? 0} in ${overview.asset}`;
}
