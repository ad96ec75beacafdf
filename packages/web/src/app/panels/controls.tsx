// The controls: the tier, a second tier for comparison, and the sizes.
import { useSignal } from '@preact/signals';
import { countOf } from '../../document/cut-table.ts';
import { changeOptions, controlsOf, type ControlValues } from '../../document/options.ts';
import { createTierRequest, type TierRequest } from '../../service/chunk-request.ts';
import { requestKey } from '../../service/paid-answers.ts';
import type { State } from '../../state/state.ts';
import type { TierChoice } from '../../document/tiers.ts';
import { counted, price, share, whole } from '../../wording.ts';
import { Receipt } from './receipt.tsx';

/** Every control over the boundaries. */
export function Controls({ state }: { readonly state: State }) {
  const { tiers, tier, other, options } = state;
  const { size, unit } = options.value;
  // In a narrow window the sliders would push the text out of it; in a wide one they are always open.
  const areSizesOpen = useSignal(false);
  return (
    <aside class="controls" aria-label="How to cut">
      <fieldset class="tiers">
        <legend>Tier</legend>
        {tiers.value.map((choice) => (
          <TierOption key={choice.id} choice={choice} state={state} />
        ))}
      </fieldset>
      <SendIt state={state} />
      <label class="field row compare">
        <span>Compare with</span>
        <select
          value={other.value ?? ''}
          onChange={(event) =>
            (other.value = event.currentTarget.value === '' ? undefined : event.currentTarget.value)
          }
        >
          <option value="">nothing</option>
          {tiers.value
            .filter(({ id, isLocal }) => id !== tier.value && (isLocal || state.results.value.has(id)))
            .map(({ id }) => (
              <option key={id} value={id}>
                {id}
              </option>
            ))}
        </select>
      </label>
      <button
        type="button"
        class="folds"
        aria-expanded={areSizesOpen.value}
        aria-controls="sizes"
        onClick={() => (areSizesOpen.value = !areSizesOpen.value)}
      >
        Size: {whole(size)}
        {unit === 'tokens' && ' tokens'}
      </button>
      <Agreement state={state} />
      <SizeSliders state={state} isOpen={areSizesOpen.value} />
    </aside>
  );
}

function TierOption({ choice, state }: { readonly choice: TierChoice; readonly state: State }) {
  const { id, description, isLocal, offer } = choice;
  const result = state.results.value.get(id);
  const isAway = !isLocal && offer?.available !== true;
  const where = isLocal ? 'in this page' : isAway ? 'not available' : price(offer?.price_usd ?? 0);
  return (
    <label class={`tier${isAway ? ' away' : ''}`}>
      <input
        type="radio"
        name="tier"
        value={id}
        checked={state.tier.value === id}
        onChange={() => {
          state.tier.value = id;
          if (state.other.value === id) state.other.value = undefined;
        }}
      />
      <span class="name">{id}</span>
      <span class={`where${result === undefined && (isLocal || isAway) ? ' aside' : ''}`}>
        {result === undefined ? where : counted(countOf(result.cuts), 'chunk')}
        {isLocal && state.isCutting.value && state.tier.value === id && <span class="soon">, cutting …</span>}
      </span>
      <span class="about">{isAway ? (offer?.reason ?? description) : description}</span>
    </label>
  );
}

/** The upload button with the price, for tiers of the service; the receipt of an answer that is here. */
function SendIt({ state }: { readonly state: State }) {
  const { tiers, tier, source, options, overview, busy, job } = state;
  const choice = tiers.value.find(({ id }) => id === tier.value);
  const about = overview.value;
  const of = source.value;
  if (choice === undefined || choice.isLocal || about === undefined || of === undefined) return null;
  if (choice.offer?.available !== true) return null;
  const { price_usd: usd, mode } = choice.offer;
  const result = state.results.value.get(choice.id);
  const isHere = result !== undefined && isEqual(result.options, options.value);
  const request = createTierRequest(of, choice.id, options.value, about);
  const isPaid = isPaidFor(state, request);
  return (
    <div class="send">
      {/* The same answer is not offered for money twice. */}
      {!(isHere && usd > 0) && (
        <button
          type="button"
          class={isHere ? '' : 'main'}
          onClick={() => void state.request(request)}
          disabled={busy.value.length > 0 || job.value !== undefined}
        >
          {isPaid
            ? `Fetch the paid answer of ${choice.id}`
            : `${isHere ? 'Send again' : 'Send'} to ${choice.id}: ${price(usd)}`}
        </button>
      )}
      {result !== undefined && !isHere && (
        <small>
          The chunks on the screen were cut at {whole(result.options.size)} {result.options.unit}.
        </small>
      )}
      {result === undefined && mode === 'async' && <small>It takes a minute or two.</small>}
      {result?.paid !== undefined && <Receipt state={state} paid={result.paid} />}
      <details>
        <summary>What becomes of the document</summary>
        <small>{about.privacy.documents}</small>
      </details>
    </div>
  );
}

/** True when the answer to a request is paid, although it is not here. */
function isPaidFor({ paidAnswers }: State, request: TierRequest): boolean {
  const key = requestKey(request);
  return paidAnswers.value.some(({ id }) => id === key);
}

function isEqual(one: ControlValues, other: ControlValues): boolean {
  return Object.entries(one).every(([key, value]) => other[key as keyof ControlValues] === value);
}

function Agreement({ state }: { readonly state: State }) {
  const { comparison, tier, other } = state;
  const found = comparison.value;
  if (found === undefined) return null;
  return (
    <p class="agreement">
      <strong>{share(found.agreement)}</strong> of the boundaries agree: {whole(found.shared.length)} shared{' '}
      <i class="sample-mark both" aria-hidden="true" />, {whole(found.onlyFirst.length)} only {tier.value}{' '}
      <i class="sample-mark first" aria-hidden="true" />, {whole(found.onlySecond.length)} only {other.value}{' '}
      <i class="sample-mark second" aria-hidden="true" />.
    </p>
  );
}

function SizeSliders({ state, isOpen }: { readonly state: State; readonly isOpen: boolean }) {
  const { options } = state;
  const set = (key: string, value: string | number): void => {
    options.value = changeOptions(options.value, key, value);
  };
  return (
    <fieldset id="sizes" class={`sizes${isOpen ? ' open' : ''}`}>
      <legend>Size</legend>
      {controlsOf(options.value).map(({ key, label, value, range, words }) => (
        <label key={key} class={words.length > 0 ? 'field row' : 'field'}>
          <span>{labelled(label, value, options.value.unit)}</span>
          {words.length > 0 ? (
            <select value={value} onChange={(event) => set(key, event.currentTarget.value)}>
              {words.map(([word, text]) => (
                <option key={word} value={word}>
                  {text}
                </option>
              ))}
            </select>
          ) : (
            <input
              type="range"
              {...range}
              value={value}
              onInput={(event) => set(key, event.currentTarget.valueAsNumber)}
            />
          )}
        </label>
      ))}
    </fieldset>
  );
}

function labelled(label: string, value: string | number, unit: string) {
  return label
    .split(/(\{\w+\})/)
    .map((part) => (part === '{unit}' ? unit : part === '{value}' ? <b>{whole(Number(value))}</b> : part));
}
