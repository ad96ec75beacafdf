// What the page says when a payment does not go as it should: one sentence for what happened, one for what to do. That
// money is safe, or may be under way, is said each time.
import { PayingError } from '@grainline/x402/client';
import { WrongNetworkError } from './wallet.ts';

/** What went wrong, and what can be done about it. */
export interface Trouble {
  readonly text: string;
  /**
   * `pay`: nothing was paid, try again. `look`: it may have been paid, look for it. `ask`: it was paid, ask for the
   * answer again. `none`: nothing helps here.
   */
  readonly next: 'pay' | 'look' | 'ask' | 'none';
}

/** In words for people; what the network, the service or the wallet said stands in it where it helps. */
export function troubleOf(error: unknown): Trouble {
  if (error instanceof WrongNetworkError)
    return {
      text: `${error.message} Choose that network in the wallet, or another wallet. Nothing was paid.`,
      next: 'pay',
    };
  if (!(error instanceof PayingError))
    return { text: `${sentence(wordsOf(error))} Nothing was paid.`, next: 'pay' };
  const { code, message, reason } = error;
  if (code === 'payment_failed') return { text: `${sentence(message)} Nothing was paid.`, next: 'pay' };
  if (code === 'payment_unknown')
    return {
      text: 'The payment may be under way: the wallet or the network has not said how it ended. You will not be asked to pay twice.',
      next: 'look',
    };
  if (code === 'answer_missing')
    return { text: `${sentence(message)} The payment is kept in this browser.`, next: 'ask' };
  if (code === 'payment_refused')
    return { text: sentence(message), next: reason === 'payment_in_progress' ? 'ask' : 'none' };
  // Everything else is found out before anything is paid, and says so.
  return { text: sentence(message), next: 'pay' };
}

function wordsOf(error: unknown): string {
  const { message } = Object(error) as { message?: unknown };
  return typeof message === 'string' && message !== ''
    ? message
    : 'The wallet said nothing but that it failed';
}

function sentence(text: string): string {
  const trimmed = text.trim();
  const begun = trimmed.charAt(0).toUpperCase() + trimmed.slice(1);
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
}
