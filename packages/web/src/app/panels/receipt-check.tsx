// The outcome of a check of a receipt: what it proves, and what it does not.
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { State } from '../../state/state.ts';
import { dayAndTime } from '../../wording.ts';
import type { ReceiptCheck } from '../../receipts/check-receipt.ts';

/** Millionths of the asset. */
const UNIT = 1e6;
/** Mint of USDC on Solana's mainnet; others are shown by their address. */
const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';

const KEYS = {
  service: 'the keys that this service publishes',
  file: 'the keys that you brought',
} as const;

/** The latest check, until it is closed. */
export function ReceiptOutcome({ state: { receiptCheck } }: { readonly state: State }) {
  const section = useRef<HTMLElement>(null);
  const { value: check } = receiptCheck;
  useLayoutEffect(() => section.current?.focus(), [check]);
  if (check === undefined) return null;
  const isGood = check.kind === 'valid' && check.chunks !== 'other';
  return (
    <section
      ref={section}
      tabIndex={-1}
      class={`receipt-check ${isGood ? 'good' : 'bad'}`}
      aria-labelledby="receipt-check"
    >
      {check.kind === 'valid' ? <Valid check={check} /> : <Invalid check={check} />}
      <button type="button" class="quiet" onClick={() => (receiptCheck.value = undefined)}>
        Close
      </button>
    </section>
  );
}

function Invalid({
  check: { reason, keysOf },
}: {
  readonly check: Extract<ReceiptCheck, { kind: 'invalid' }>;
}) {
  return (
    <>
      <h2 id="receipt-check">This receipt is not valid</h2>
      <p>
        Checked with {KEYS[keysOf]}: {reason} It proves nothing.
      </p>
      {reason.includes('key') && (
        <p class="note">
          For a receipt of another service, bring its keys too: the file at{' '}
          <code>/.well-known/jwks.json</code> there, together with the receipt.
        </p>
      )}
    </>
  );
}

const CHUNKS = {
  equal: 'The chunks beside it are the delivered ones, each character of them.',
  other:
    'The chunks beside it are not the delivered ones: something in them was changed, or they are another answer.',
  absent:
    'It was checked without chunks. Bring the answer as a JSON file together with the receipt, to compare them.',
} as const;

function Valid({ check }: { readonly check: Extract<ReceiptCheck, { kind: 'valid' }> }) {
  const { claims, keysOf, chunks } = check;
  const { amount, payer, transaction, tier, issuedAt, resourceUrl, network, asset } = claims;
  return (
    <>
      <h2 id="receipt-check">
        {chunks === 'other' ? 'This receipt is for other chunks' : 'This receipt is valid'}
      </h2>
      <p>{CHUNKS[chunks]}</p>
      <p>
        The holder of one of {KEYS[keysOf]} has signed that <strong>{resourceUrl}</strong> delivered the
        chunks of one document in the tier <strong>{tier}</strong> on {dayAndTime(issuedAt * 1000)}, for{' '}
        <strong>
          {Number(amount) / UNIT} {asset === USDC ? 'USDC' : 'of the asset below'}
        </strong>
        , paid by <code>{payer}</code>.
      </p>
      <dl>
        <dt>Transaction</dt>
        <dd>
          <code>{transaction}</code>
        </dd>
        <dt>Network and asset</dt>
        <dd>
          <code>{network}</code> <code>{asset}</code>
        </dd>
        <dt>SHA-256 of the chunks</dt>
        <dd>
          <code>{claims.resultSha256}</code>
        </dd>
        <dt>SHA-256 of the text</dt>
        <dd>
          <code>{claims.sourceSha256}</code>
        </dd>
        <dt>Hash of the request</dt>
        <dd>
          <code>{claims.requestHash}</code>
        </dd>
      </dl>
      <p class="note">
        It does not prove that the payment stands on the chain; look its transaction up there. It is worth as
        much as the keys: take them from the service while you trust it.
      </p>
    </>
  );
}
