// The errors of the paying side, in one closed list. A payer must know whether money may have moved, and under which
// signature: the code of every error says the first, and the error carries the second when there is one.

/** The message of each code. `{…}` is filled from the details. */
const MESSAGES = {
  unrepeatable_body:
    'A request that may cost money is sent more than once, and {detail} can be read only once; give the body as a string, bytes, Blob, FormData or URLSearchParams.',
  invalid_keypair: 'This is no key pair of the Solana command line (a JSON array of 64 bytes): {detail}.',
  wrong_chain:
    'The endpoint is not on the network that the server wants to be paid on: {detail}. Nothing was paid.',
  endpoint_unavailable: 'The network cannot be asked: {detail}. Nothing was paid.',
  malformed_offer:
    'The server asks for a payment in a way that cannot be followed: {detail}. Nothing was paid.',
  network_not_allowed: 'The server wants to be paid on {detail}. Nothing was paid.',
  asset_not_allowed: 'The server wants to be paid in another asset, {detail}. Nothing was paid.',
  recipient_not_allowed: 'The server wants the money to go to another address, {detail}. Nothing was paid.',
  price_too_high: 'The server asks for {detail}. Nothing was paid.',
  not_bindable: 'The payment cannot be bound to this request: {detail}. Nothing was paid.',
  payment_aborted: 'Nothing was paid: {detail}',
  redirected:
    'The server sends the request on to {detail}. What may cost money is sent nowhere but to the address that was given.',
  memory_failed: 'The payment could not be written down before it was made: {detail}. Nothing was paid.',
  payment_failed: 'The payment was not made: {detail}.',
  payment_unknown:
    'It is not known whether the payment was made: {detail}. The same request again looks for it before it pays.',
  payment_refused: 'The payment was made, and the server refuses it: {detail}',
  answer_missing:
    'The payment was made, and no answer came: {detail}. The same request again uses the same payment.',
} as const;

/** Why a request was not paid for or not answered, for programs. */
export type PayingErrorCode = keyof typeof MESSAGES;

/** What a {@link PayingError} carries besides its code. */
export interface PayingErrorDetails {
  /** Words for the place `{detail}` of the message. */
  readonly detail?: string;
  /** Transaction that paid or may have: to look it up, to send it again, or to ask for a refund. */
  readonly signature?: string | undefined;
  /** Code of the server's last answer (`payment_already_used`), when it had one. */
  readonly reason?: string | undefined;
  /** The price that was asked for, in the smallest unit of the asset. */
  readonly amount?: bigint;
  readonly cause?: unknown;
}

/**
 * The error that ends a paying request. Without a `signature` no money has moved. With the code `payment_failed` none
 * has either; a signature is then that of a transaction that failed or can no longer be included.
 */
export class PayingError extends Error {
  readonly code: PayingErrorCode;
  readonly signature: string | undefined;
  readonly reason: string | undefined;
  readonly amount: bigint | undefined;

  constructor(code: PayingErrorCode, { detail = '', signature, reason, amount, cause }: PayingErrorDetails) {
    super(
      MESSAGES[code].replace('{detail}', () => detail),
      cause === undefined ? undefined : { cause },
    );
    this.name = 'PayingError';
    this.code = code;
    this.signature = signature;
    this.reason = reason;
    this.amount = amount;
  }
}

/** The message of whatever was thrown. `fetch` only says that it failed, so its reason is added. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, message } = Object(error instanceof TypeError ? error.cause : undefined) as {
    readonly code?: unknown;
    readonly message?: unknown;
  };
  const reason = [code, message].find((text): text is string => typeof text === 'string' && text !== '');
  return reason === undefined ? error.message : `${error.message} (${reason})`;
}
