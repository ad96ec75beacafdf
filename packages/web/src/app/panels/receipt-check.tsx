// The outcome of a check of a receipt: what it proves, and what it does not.
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { State } from '../../state/state.ts';
import { COMMON, RECEIPT_CHECK } from '../../texts.ts';
import type { ReceiptCheck } from '../../receipts/check-receipt.ts';

/** Millionths of the asset. */
const UNIT = 1e6;
/** Mint of USDC on Solana's mainnet; others are shown by their address. */
const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';

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
        {COMMON.close}
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
      <h2 id="receipt-check">{RECEIPT_CHECK.invalid}</h2>
      <p>{RECEIPT_CHECK.reason(RECEIPT_CHECK.keys[keysOf], reason)}</p>
      {reason.includes('key') && <p class="note">{RECEIPT_CHECK.otherService}</p>}
    </>
  );
}

function Valid({ check }: { readonly check: Extract<ReceiptCheck, { kind: 'valid' }> }) {
  const { claims, keysOf, chunks } = check;
  const { amount, payer, transaction, tier, issuedAt, resourceUrl, network, asset } = claims;
  return (
    <>
      <h2 id="receipt-check">{chunks === 'other' ? RECEIPT_CHECK.ofOther : RECEIPT_CHECK.valid}</h2>
      <p>{RECEIPT_CHECK.chunks[chunks]}</p>
      <p>
        {RECEIPT_CHECK.signed(RECEIPT_CHECK.keys[keysOf])}
        <strong>{resourceUrl}</strong>
        {RECEIPT_CHECK.delivered}
        <strong>{tier}</strong>
        {RECEIPT_CHECK.on(issuedAt * 1000)}
        <strong>
          {Number(amount) / UNIT} {asset === USDC ? 'USDC' : RECEIPT_CHECK.otherAsset}
        </strong>
        {RECEIPT_CHECK.paidBy}
        <code>{payer}</code>.
      </p>
      <dl>
        <dt>{RECEIPT_CHECK.facts[0]}</dt>
        <dd>
          <code>{transaction}</code>
        </dd>
        <dt>{RECEIPT_CHECK.facts[1]}</dt>
        <dd>
          <code>{network}</code> <code>{asset}</code>
        </dd>
        <dt>{RECEIPT_CHECK.facts[2]}</dt>
        <dd>
          <code>{claims.resultSha256}</code>
        </dd>
        <dt>{RECEIPT_CHECK.facts[3]}</dt>
        <dd>
          <code>{claims.sourceSha256}</code>
        </dd>
        <dt>{RECEIPT_CHECK.facts[4]}</dt>
        <dd>
          <code>{claims.requestHash}</code>
        </dd>
      </dl>
      <p class="note">{RECEIPT_CHECK.limits}</p>
    </>
  );
}
