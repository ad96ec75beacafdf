// Errors of a payment → two sentences: the cause, and the next step. Each states the state of the money.
import { ClientError } from '@grainline/client';
import { PayingError } from '@grainline/x402/client';
import { sentenceOf } from '../error-sentences.ts';
import { UnpaidRefusal } from './purchase.ts';
import { WrongNetworkError } from './wallet.ts';
import { TROUBLE } from '../texts.ts';

/** A payment error with its next step. */
export interface Trouble {
  readonly text: string;
  /**
   * `pay`: nothing was paid, try again. `find`: it may have been paid, search for it. `get`: it was paid, request
   * the answer again. `check`: nothing was paid, ask the service for the document again. `none`: no step helps.
   */
  readonly next: 'pay' | 'find' | 'get' | 'check' | 'none';
}

/**
 * The error in words for the visitor, with the message of the network, the service or the wallet where it helps.
 */
export function troubleOf(error: unknown): Trouble {
  if (error instanceof WrongNetworkError)
    return {
      text: `${error.message} ${TROUBLE.otherNetwork}`,
      next: 'pay',
    };
  if (error instanceof ClientError) return troubleOfService(error);
  if (error instanceof UnpaidRefusal)
    return {
      text: `${sentence(error.message)} ${TROUBLE.nothingPaid}`,
      next: error.isRetryable ? 'check' : 'none',
    };
  if (!(error instanceof PayingError))
    return { text: `${sentence(wordsOf(error))} ${TROUBLE.nothingPaid}`, next: 'pay' };
  const { code, message, reason } = error;
  if (code === 'payment_failed') return { text: `${sentence(message)} ${TROUBLE.nothingPaid}`, next: 'pay' };
  if (code === 'payment_unknown')
    return {
      text: TROUBLE.unknown,
      next: 'find',
    };
  if (code === 'answer_missing') return { text: `${sentence(message)} ${TROUBLE.kept}`, next: 'get' };
  if (code === 'payment_refused')
    return { text: sentence(message), next: reason === 'payment_in_progress' ? 'get' : 'none' };
  // All other errors precede the payment, and their messages say so.
  return { text: sentence(message), next: 'pay' };
}

/** A rejected request reports the state of its payment; a failed link to an answer does not. */
function troubleOfService(error: ClientError): Trouble {
  const { status, payment, details } = error;
  if (payment !== undefined && details['payment'] === undefined)
    return { text: `${sentenceOf(error)} ${TROUBLE.kept}`, next: 'get' };
  if (status === undefined) return { text: `${sentenceOf(error)} ${TROUBLE.nothingPaid}`, next: 'pay' };
  return { text: `${sentenceOf(error)} ${TROUBLE.unused}`, next: 'none' };
}

function wordsOf(error: unknown): string {
  const { message } = Object(error) as { message?: unknown };
  return typeof message === 'string' && message !== '' ? message : TROUBLE.silent;
}

function sentence(text: string): string {
  const trimmed = text.trim();
  const begun = trimmed.charAt(0).toUpperCase() + trimmed.slice(1);
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
}
