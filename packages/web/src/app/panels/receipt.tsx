// The receipt of a paid answer, and the list of all that this browser has stored.
import { useEffect } from 'preact/hooks';
import type { PaidAnswer } from '../../service/paid-answers.ts';
import type { State } from '../../state/state.ts';
import type { TierResult } from '../../state/signals.ts';
import { bytesOf } from '../../wording.ts';
import { CopyButton } from './copy-button.tsx';
import { focusReceipt } from './focus.ts';
import { RECEIPT } from '../../texts.ts';

/** Millionths of the asset. */
const UNIT = 1e6;

interface ReceiptProps {
  readonly state: State;
  readonly paid: NonNullable<TierResult['paid']>;
}

/** Amount, asset, tier, time and transaction, and the place of the answer. */
export function Receipt({ state, paid: { answer, origin } }: ReceiptProps) {
  const { receipt, tier, paidMs } = answer;
  const { transaction = '', asset, network } = receipt;
  // The button that began the payment is gone, and the focus with it.
  useEffect(() => {
    if (origin !== 'stored') focusReceipt();
  }, [answer.id]);
  return (
    <section class="receipt" aria-label={RECEIPT.name} tabIndex={-1}>
      <h2>{RECEIPT.paid(receipt.amount / UNIT, asset, tier)}</h2>
      <p>
        {RECEIPT.when(paidMs, network)}
        <br />
        {RECEIPT.transaction}
        <code title={transaction}>{abbreviated(transaction)}</code>{' '}
        <CopyButton of={RECEIPT.ofTransaction} text={() => transaction} />
      </p>
      <p class="note">
        {RECEIPT.origins[origin]} {placeOf(state, answer)}
      </p>
    </section>
  );
}

/** Where the answer is after a reload. */
function placeOf({ paidAnswers, overview }: State, { id, paidMs }: PaidAnswer): string {
  const stored = paidAnswers.value.find((answer) => answer.id === id);
  if (stored?.content !== undefined) return RECEIPT.kept;
  const lifetimeS = overview.value?.limits.result_lifetime_seconds ?? 0;
  return RECEIPT.notKept(paidMs + lifetimeS * 1000);
}

/** The stored answers, with one button that removes them all. */
export function PaidAnswersList({ state }: { readonly state: State }) {
  const answers = state.paidAnswers.value;
  if (answers.length === 0) return null;
  const bytes = answers.reduce((sum, { content }) => sum + (content?.size ?? 0), 0);
  return (
    <section class="paid-answers" aria-labelledby="paid-answers">
      <h2 id="paid-answers">{RECEIPT.list}</h2>
      <ul>
        {answers.map((answer) => (
          <li key={answer.id}>
            <div>
              <strong>{answer.filename}</strong>
              <small>
                {RECEIPT.entry(
                  answer.tier,
                  answer.chunkCount,
                  answer.receipt.amount / UNIT,
                  answer.receipt.asset,
                  answer.paidMs,
                )}
              </small>
            </div>
            {answer.content === undefined ? (
              <small>{RECEIPT.gone}</small>
            ) : (
              <button
                type="button"
                aria-label={RECEIPT.openOf(answer.filename, answer.tier)}
                onClick={() => void state.openPaid(answer)}
              >
                {RECEIPT.open}
              </button>
            )}
          </li>
        ))}
      </ul>
      <p class="note">
        {RECEIPT.about(bytesOf(bytes))}
        <button type="button" class="quiet" onClick={() => void state.forgetPaid()}>
          {RECEIPT.forget}
        </button>
      </p>
    </section>
  );
}

/** `5xYk…9fQ2` */
function abbreviated(signature: string): string {
  return signature.length <= 12 ? signature : `${signature.slice(0, 4)}…${signature.slice(-4)}`;
}
