// Binding of a payment to one request: the transaction's memo carries a hash of the request. A signature is public as
// soon as it lands. With the memo it is useless to other readers, because another request has another hash.

/**
 * A request in canonical form: all members that decide the purchase. It holds only strings, so that every language
 * serialises it alike. An undefined member is left out, as in JSON.
 */
export interface CanonicalRequest {
  readonly [name: string]: string | CanonicalRequest | undefined;
}

/** The prefix of every memo: a name and the version of the formula. */
export const MEMO_PREFIX = 'chunk:1:';

const FINGERPRINT = /^[A-Za-z0-9_-]{43}$/;

/**
 * The text that is hashed: JSON without white space, names in the order of their UTF-16 units, at every depth.
 *
 * For objects of strings this is the canonical form of RFC 8785.
 *
 * @example
 * canonicalText({ tier: 'structure', source: { url: 'https://example.org/a.pdf' } });
 * // '{"source":{"url":"https://example.org/a.pdf"},"tier":"structure"}'
 */
export function canonicalText(request: CanonicalRequest): string {
  const members = Object.entries(request)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, value]) => {
      if (value === undefined) return [];
      const text = typeof value === 'string' ? JSON.stringify(value) : canonicalText(value);
      return [`${JSON.stringify(name)}:${text}`];
    });
  return `{${members.join(',')}}`;
}

/**
 * SHA-256 of the canonical text in UTF-8, as base64url without padding: 43 characters.
 *
 * @example
 * await fingerprint({ tier: 'structure' }); // 'c7ttjNY2…'
 */
export async function fingerprint(request: CanonicalRequest): Promise<string> {
  const bytes = new TextEncoder().encode(canonicalText(request));
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return btoa(String.fromCharCode(...digest))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
}

/** The memo that binds a payment to a request. */
export function memoOf(requestFingerprint: string): string {
  return MEMO_PREFIX + requestFingerprint;
}

/**
 * Request header for a payment without a memo, where one is required: the payer's signature over
 * {@link bindingMessage}.
 */
export const BINDING_HEADER = 'X-PAYMENT-BINDING';

/**
 * The text that a payer signs to bind a payment without a memo to a request. It names the payment and the request, so
 * that the signature serves no other, and its beginning names this use. No transaction of Solana begins like it.
 *
 * @param transaction id of the payment's transaction
 * @param memo the memo of the request ({@link memoOf})
 */
export function bindingMessage(transaction: string, memo: string): string {
  return `grainline:binding:1:${transaction}:${memo}`;
}

/** The fingerprint in a memo; null when the memo has another form. */
export function fingerprintIn(memo: string): string | null {
  if (!memo.startsWith(MEMO_PREFIX)) return null;
  const named = memo.slice(MEMO_PREFIX.length);
  return FINGERPRINT.test(named) ? named : null;
}
