// The receipt of a paid answer, and the list of all that this browser has stored.
import type { AnswerOrigin } from '../../service/chunk-request.ts';
import type { PaidAnswer } from '../../service/paid-answers.ts';
import type { State } from '../../state/state.ts';
import type { TierResult } from '../../state/signals.ts';
import { bytesOf, counted, dayAndTime } from '../../wording.ts';
import { CopyButton } from './copy-button.tsx';

/** Millionths of the asset. */
const UNIT = 1e6;

const ORIGINS: Readonly<Record<AnswerOrigin, string>> = {
  bought: '',
  repeated: 'The service has sent it again for the same payment; nothing was paid this time.',
  stored: 'Shown from this browser; nothing was sent or paid this time.',
};

interface ReceiptProps {
  readonly state: State;
  readonly paid: NonNullable<TierResult['paid']>;
}

/** Amount, asset, tier, time and transaction, and the place of the answer. */
export function Receipt({ state, paid: { answer, origin } }: ReceiptProps) {
  const { receipt, tier, paidMs } = answer;
  const { transaction = '', asset, network } = receipt;
  return (
    <section class="receipt" aria-label="Receipt">
      <h2>
        Paid {receipt.amount / UNIT} {asset} for {tier}
      </h2>
      <p>
        {dayAndTime(paidMs)} on {network}
        <br />
        Transaction <code title={transaction}>{abbreviated(transaction)}</code>{' '}
        <CopyButton of="the transaction" text={() => transaction} />
      </p>
      <p class="note">
        {ORIGINS[origin]} {placeOf(state, answer)}
      </p>
    </section>
  );
}

/** Where the answer is after a reload. */
function placeOf({ paidAnswers, overview }: State, { id, paidMs }: PaidAnswer): string {
  const stored = paidAnswers.value.find((answer) => answer.id === id);
  if (stored?.content !== undefined) return 'Kept in this browser.';
  const lifetimeS = overview.value?.limits.result_lifetime_seconds ?? 0;
  const until = dayAndTime(paidMs + lifetimeS * 1000);
  return `Not kept in this browser. Until ${until} the service sends it again for the same payment.`;
}

/** The stored answers, with one button that removes them all. */
export function PaidAnswersList({ state }: { readonly state: State }) {
  const answers = state.paidAnswers.value;
  if (answers.length === 0) return null;
  const bytes = answers.reduce((sum, { content }) => sum + (content?.size ?? 0), 0);
  return (
    <section class="paid-answers" aria-labelledby="paid-answers">
      <h2 id="paid-answers">Your paid answers</h2>
      <ul>
        {answers.map((answer) => (
          <li key={answer.id}>
            <div>
              <strong>{answer.filename}</strong>
              <small>
                {answer.tier}, {counted(answer.chunkCount, 'chunk')}, paid {answer.receipt.amount / UNIT}{' '}
                {answer.receipt.asset} on {dayAndTime(answer.paidMs)}
              </small>
            </div>
            {answer.content === undefined ? (
              <small>Choose the document again: the service repeats the answer for its payment.</small>
            ) : (
              <button
                type="button"
                aria-label={`Open ${answer.filename}, ${answer.tier}`}
                onClick={() => void state.openPaid(answer)}
              >
                Open
              </button>
            )}
          </li>
        ))}
      </ul>
      <p class="note">
        Kept in this browser only ({bytesOf(bytes)}), with the text of their documents.{' '}
        <button type="button" class="quiet" onClick={() => void state.forgetPaid()}>
          Forget them
        </button>
      </p>
    </section>
  );
}

/** `5xYk…9fQ2` */
function abbreviated(signature: string): string {
  return signature.length <= 12 ? signature : `${signature.slice(0, 4)}…${signature.slice(-4)}`;
}
