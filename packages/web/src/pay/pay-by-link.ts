// Pays from another device: a link and its QR code that wallets understand (Solana Pay, transfer request 1.1), and a
// look at the network until somebody has followed it.
import { type Pay, PayingError, type PaymentOrder } from '@grainline/x402/client';
import { findBy, type PayingPage } from './pay-with-wallet.ts';

/** Pauses between two looks at the network, in milliseconds. */
const LOOK_MS = 2500;

/** The link that asks a wallet for the very transfer of an order. https://docs.solanapay.com/spec */
export function payLink({ payTo, amount, asset, decimals, memo }: PaymentOrder, product: string): string {
  const whole = amount / 10n ** BigInt(decimals);
  const part = (amount % 10n ** BigInt(decimals)).toString().padStart(decimals, '0').replace(/0+$/, '');
  const query = new URLSearchParams({
    amount: part === '' ? String(whole) : `${whole}.${part}`,
    'spl-token': asset,
    memo,
    label: 'Grainline',
    message: `Chunks of one document, tier ${product}`,
  });
  // The scheme knows no plus signs.
  return `solana:${payTo}?${query.toString().replaceAll('+', '%20')}`;
}

/**
 * Shows the link of an order, and waits until it was followed.
 *
 * @param givenUp aborted by the visitor, who then says that nobody has paid by it and nobody will
 */
export function payByLink(page: PayingPage, show: (order: PaymentOrder) => void, givenUp: AbortSignal): Pay {
  const pay: Pay = async (order, { signal }) => {
    const { memo } = order;
    // Whatever is there before the link is shown was made for the same request earlier, and is used up.
    const except = await earlier(memo, page, signal);
    show(order);
    for (;;) {
      await page.wait(LOOK_MS, AbortSignal.any([signal, givenUp])).catch(() => signal.throwIfAborted());
      const found = await page.service.find({ memo, except }, signal).catch(() => null);
      signal.throwIfAborted();
      if (found?.kind === 'paid') return found.signature;
      if (givenUp.aborted && found !== null)
        throw new PayingError('payment_failed', { detail: NOT_FOLLOWED });
    }
  };
  return Object.assign(pay, { find: findBy(page) });
}

const NOT_FOLLOWED = 'nobody has paid by the code';

async function earlier(memo: string, { service }: PayingPage, signal: AbortSignal): Promise<string[]> {
  const except: string[] = [];
  for (;;) {
    const found = await service.find({ memo, except }, signal);
    if (found.kind !== 'paid') return except;
    except.push(found.signature);
  }
}
