// Pays from another device: shows a link and its QR code (Solana Pay, transfer request 1.1), and polls the network
// until the transfer arrives.
import type { Pay, PaymentOrder } from '@grainline/x402/client';
import { BY_CODE, findBy, type PayingPage } from './pay-with-wallet.ts';

/** Pause between two polls, in milliseconds. */
const POLL_MS = 2500;

/** The link to the transfer of an order. https://docs.solanapay.com/spec */
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
  // The scheme does not allow plus signs.
  return `solana:${payTo}?${query.toString().replaceAll('+', '%20')}`;
}

/**
 * Shows the link of an order and waits for its transfer. Its attempt is recorded as one by code, because only the
 * visitor knows whether anyone follows the link.
 */
export function payByLink(page: PayingPage, show: (order: PaymentOrder) => void): Pay {
  const pay: Pay = async (order, { signal, record }) => {
    const { tier, transfers, nowMs } = page;
    const { memo } = order;
    // Transfers from before the link belong to an earlier payment of the same request and are used up.
    const except = await earlier(memo, page, signal);
    await record({ beganMs: nowMs(), way: BY_CODE });
    show(order);
    for (;;) {
      await page.wait(POLL_MS, signal);
      const found = await transfers.find({ tier, memo, except }, { signal }).catch(() => null);
      signal.throwIfAborted();
      if (found?.state === 'paid') return found.signature;
    }
  };
  return Object.assign(pay, { find: findBy(page, { leavesCode: true }), recordsAttempts: true });
}

async function earlier(
  memo: string,
  { tier, transfers }: PayingPage,
  signal: AbortSignal,
): Promise<string[]> {
  const except: string[] = [];
  for (;;) {
    const found = await transfers.find({ tier, memo, except }, { signal });
    if (found.state !== 'paid') return except;
    except.push(found.signature);
  }
}
