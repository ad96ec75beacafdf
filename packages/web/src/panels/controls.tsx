// The choice of a tier, of one to compare it with, and of sizes.
import { useSignal } from '@preact/signals';
import { DEFAULT_SIZE } from '@grainline/core';
import { countOf, type CutOptions } from '../cuts.ts';
import { orderFor } from '../order.ts';
import type { State } from '../state.ts';
import type { TierChoice } from '../tiers.ts';
import { counted, price, share, whole } from '../wording.ts';

/** What the sliders reach: sizes that are of use, which are fewer than those that the service takes. */
const RANGES = {
  characters: { least: 100, most: 4000, step: 50, overlapStep: 10 },
  tokens: { least: 32, most: 1024, step: 8, overlapStep: 4 },
} as const;
/** The most that is repeated, as a part of the size. */
const MOST_OVERLAP = 1 / 2;

/** Everything that decides where the text is cut. */
export function Controls({ state }: { readonly state: State }) {
  const { tiers, tier, other, options } = state;
  const { size, unit } = options.value;
  // Only in a narrow window: there sliders would push the text out of it. In a wide one they are always open.
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

/** The button that uploads, with what it costs; only for tiers that are not cut here. */
function SendIt({ state }: { readonly state: State }) {
  const { tiers, tier, source, options, overview, busy, job } = state;
  const choice = tiers.value.find(({ id }) => id === tier.value);
  const about = overview.value;
  const of = source.value;
  if (choice === undefined || choice.isLocal || about === undefined || of === undefined) return null;
  if (choice.offer?.available !== true) return null;
  const { price_usd: usd, mode } = choice.offer;
  const made = state.results.value.get(choice.id)?.options;
  const send = (): void => void state.request(orderFor(of, choice.id, options.value, about));
  return (
    <div class="send">
      <button
        type="button"
        class="main"
        onClick={send}
        disabled={busy.value.length > 0 || job.value !== undefined}
      >
        {made === undefined ? 'Send' : 'Send again'} to {choice.id}: {price(usd)}
      </button>
      <small>
        {mode === 'async' && 'It takes a minute or two. '}
        {made !== undefined &&
          !isEqual(made, options.value) &&
          `What you see was cut at ${whole(made.size)} ${made.unit}.`}
      </small>
      <details>
        <summary>What becomes of the document</summary>
        <small>{about.privacy.documents}</small>
      </details>
    </div>
  );
}

function isEqual(one: CutOptions, other: CutOptions): boolean {
  return one.size === other.size && one.overlap === other.overlap && one.unit === other.unit;
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
  const { size, overlap, unit } = options.value;
  const { least, most, step, overlapStep } = RANGES[unit];
  const mostOverlap = (of: number): number => Math.floor(of * MOST_OVERLAP);
  const set = (change: Partial<CutOptions>): void => {
    const next = { ...options.value, ...change };
    options.value = { ...next, overlap: Math.min(next.overlap, mostOverlap(next.size)) };
  };
  return (
    <fieldset id="sizes" class={`sizes${isOpen ? ' open' : ''}`}>
      <legend>Size</legend>
      <label class="field">
        <span>
          At most <b>{whole(size)}</b> {unit}
        </span>
        <input
          type="range"
          min={least}
          max={most}
          step={step}
          value={size}
          onInput={(event) => set({ size: event.currentTarget.valueAsNumber })}
        />
      </label>
      <label class="field">
        <span>
          Repeat up to <b>{whole(overlap)}</b> {unit} of the chunk before
        </span>
        <input
          type="range"
          min={0}
          max={mostOverlap(size)}
          step={overlapStep}
          value={overlap}
          onInput={(event) => set({ overlap: event.currentTarget.valueAsNumber })}
        />
      </label>
      <label class="field row">
        <span>Count in</span>
        <select
          value={unit}
          onChange={({ currentTarget: { value } }) => {
            const next = value === 'tokens' ? 'tokens' : 'characters';
            set({ unit: next, size: DEFAULT_SIZE[next], overlap: 0 });
          }}
        >
          <option value="characters">characters</option>
          <option value="tokens">tokens (o200k)</option>
        </select>
      </label>
    </fieldset>
  );
}
