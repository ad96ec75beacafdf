// The errors of the paying side, in one closed list. The code of an error says whether money may have moved; the error
// carries the signature if there is one.

/** The message of each code. Details replace `{…}`. */
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

/** The code of an error. */
export type PayingErrorCode = keyof typeof MESSAGES;

/** Details of a {@link PayingError}. */
export interface PayingErrorDetails {
  /** Text for `{detail}` in the message. */
  readonly detail?: string | undefined;
  /** Transaction that paid or may have paid: to look it up, to send it again, or to request a refund. */
  readonly signature?: string | undefined;
  /** Code of the server's last answer (`payment_already_used`), if it has one. */
  readonly reason?: string | undefined;
  /** The server's price, in the smallest unit of the asset. */
  readonly amount?: bigint | undefined;
  readonly cause?: unknown;
}

/**
 * The error that ends a paying request. Without a `signature` no money has moved. With the code `payment_failed` no
 * money has moved either, and the signature is that of a transaction that failed or can no longer be included.
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

/** The message of a thrown value. `fetch` hides its reason in `cause`, so that is added. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, message } = Object(error instanceof TypeError ? error.cause : undefined) as {
    readonly code?: unknown;
    readonly message?: unknown;
  };
  const reason = [code, message].find((text): text is string => typeof text === 'string' && text !== '');
  return reason === undefined ? error.message : `${error.message} (${reason})`;
}
