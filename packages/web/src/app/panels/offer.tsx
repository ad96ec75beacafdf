// The offer of the service for the chosen tier: its price and the button that sends the document, or the receipt.
import type { ControlValues } from '../../document/options.ts';
import { createTierRequest, type Excess, excessOf, type TierRequest } from '../../service/chunk-request.ts';
import { requestKey } from '../../service/paid-answers.ts';
import type { State } from '../../state/state.ts';
import { bytesOf, counted, price } from '../../wording.ts';
import { Receipt } from './receipt.tsx';
import { OFFER } from '../../texts.ts';

/** The upload button with the price, for tiers of the service; the receipt of an answer that is here. */
export function Offer({ state }: { readonly state: State }) {
  const { tiers, tier, source, options, overview, busy, job, results } = state;
  const choice = tiers.value.find(({ id }) => id === tier.value);
  const about = overview.value;
  const of = source.value;
  if (choice === undefined || choice.isLocal || about === undefined || of === undefined) return null;
  if (choice.offer?.available !== true) return null;
  const { price_usd: usd, mode } = choice.offer;
  const result = results.value.get(choice.id);
  const isHere = result !== undefined && isEqual(result.options, options.value);
  const request = createTierRequest(of, choice.id, options.value, about);
  const isPaid = isPaidFor(state, request);
  const excess = excessOf(request, of.reading.text);
  return (
    <section class="offer" aria-label={OFFER.of(choice.id)}>
      {result !== undefined && !isHere && (
        <p class="note">{OFFER.otherSize(result.options.size, result.options.unit)}</p>
      )}
      {excess !== undefined && <p class="note">{excessText(choice.id, excess)}</p>}
      {/* The same answer is not offered for money twice. */}
      {!(isHere && usd > 0) && excess === undefined && (
        <button
          type="button"
          class={isHere ? '' : 'main'}
          onClick={() => void state.request(request)}
          disabled={busy.value.length > 0 || job.value !== undefined}
        >
          {isPaid ? OFFER.fetch(choice.id) : OFFER.send(choice.id, price(usd), isHere)}
        </button>
      )}
      {result === undefined && mode === 'async' && <p class="note">{OFFER.time}</p>}
      {result?.paid !== undefined && <Receipt state={state} paid={result.paid} />}
      <details>
        <summary>{OFFER.document}</summary>
        <p class="note">{about.privacy.documents}</p>
      </details>
    </section>
  );
}

/** The limit that a document exceeds, in words. */
function excessText(tier: string, { unit, most, size }: Excess): string {
  const amount = (value: number): string => (unit === 'bytes' ? bytesOf(value) : counted(value, 'character'));
  return OFFER.excess(tier, amount(most), amount(size));
}

/** True when the answer to a request is paid, although it is not here. */
function isPaidFor({ paidAnswers }: State, request: TierRequest): boolean {
  const key = requestKey(request);
  return paidAnswers.value.some(({ id }) => id === key);
}

function isEqual(one: ControlValues, other: ControlValues): boolean {
  return Object.entries(one).every(([key, value]) => other[key as keyof ControlValues] === value);
}
