// The controls in the order of use: the tier, the sizes with their histogram, a second tier for comparison, and the
// offer of the service. In a narrow window they are a sheet over the text, which a bar at the bottom opens.
import { useComputed, useSignal, useSignalEffect } from '@preact/signals';
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { countOf } from '../../document/cut-table.ts';
import { changeOptions, type Control, controlsOf } from '../../document/options.ts';
import type { State } from '../../state/state.ts';
import type { TierChoice } from '../../document/tiers.ts';
import { counted, price, share } from '../../wording.ts';
import { CopyButton } from './copy-button.tsx';
import { useEscape } from './escape.ts';
import { NumberField } from './number-field.tsx';
import { Offer } from './offer.tsx';
import { Sizes } from './sizes.tsx';
import { Reading } from './reading.tsx';
import { isWide } from './window-width.ts';
import { COMMON, CONTROLS } from '../../texts.ts';

/** Every control over the boundaries. */
export function Controls({ state }: { readonly state: State }) {
  const isOpen = useSignal(false);
  const sheet = useRef<HTMLElement>(null);
  const bar = useRef<HTMLButtonElement>(null);
  const close = (): void => {
    if (isOpen.peek() && sheet.current?.contains(document.activeElement) === true) bar.current?.focus();
    isOpen.value = false;
  };
  useEscape(isOpen.value, close);
  useFocusInSheet(isOpen.value, sheet, close);
  const hasJob = useComputed(() => state.job.value !== undefined);
  // The details of a chunk are a sheet too, and the progress of a job stands under this one.
  useSignalEffect(() => {
    if (state.current.value.isPinned === true || hasJob.value) close();
  });
  // An error stands under the sheet too.
  useSignalEffect(() => {
    if (state.errorText.value !== undefined) close();
  });
  const { tiers, first } = state;
  return (
    <>
      <aside
        id="controls"
        class={`controls${isOpen.value ? ' open' : ''}`}
        aria-label={CONTROLS.name}
        ref={sheet}
        tabIndex={isOpen.value ? -1 : undefined}
      >
        <button type="button" class="quiet narrow" onClick={close}>
          {COMMON.close}
        </button>
        <fieldset class="tiers">
          <legend>{COMMON.tier}</legend>
          {tiers.value.map((choice) => (
            <TierOption key={choice.id} choice={choice} state={state} />
          ))}
        </fieldset>
        <SizeFields state={state} />
        <Reading key={state.source.value?.reading.documentId} state={state} />
        {first.value !== undefined && !isWide.value && <Sizes result={first.value} />}
        <Compare state={state} />
        <p class="share">
          <CopyButton of={CONTROLS.ofLink} label={CONTROLS.copyLink} text={() => location.href} />
        </p>
        <Offer state={state} />
      </aside>
      <Dock state={state} bar={bar} isOpen={isOpen.value} onToggle={() => (isOpen.value = !isOpen.value)} />
    </>
  );
}

/** Moves the focus into the sheet, and closes the sheet when the focus goes on to the document under it. */
function useFocusInSheet(isOpen: boolean, sheet: RefObject<HTMLElement | null>, close: () => void): void {
  // At once: the next key may be the Tab key.
  useLayoutEffect(() => {
    if (!isOpen) return undefined;
    sheet.current?.focus({ preventScroll: true });
    const leave = ({ target }: FocusEvent): void => {
      if (target instanceof Element && target.closest('.panel') !== null) close();
    };
    addEventListener('focusin', leave);
    return () => removeEventListener('focusin', leave);
  }, [isOpen]);
}

interface DockProps {
  readonly state: State;
  readonly bar: RefObject<HTMLButtonElement | null>;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

/** The bar of a narrow window: the current settings, and the button of their sheet. */
function Dock({ state, bar, isOpen, onToggle }: DockProps) {
  const { tier, options, first } = state;
  const { size, unit } = options.value;
  return (
    <div class="dock narrow">
      <button type="button" ref={bar} aria-expanded={isOpen} aria-controls="controls" onClick={onToggle}>
        <strong>{tier.value}</strong>{' '}
        <span>
          {first.value !== undefined && `${counted(countOf(first.value.cuts), 'chunk')}, `}
          {CONTROLS.atMost(size, unit)}
        </span>
      </button>
    </div>
  );
}

function TierOption({ choice, state }: { readonly choice: TierChoice; readonly state: State }) {
  const { id, description, isLocal, offer } = choice;
  const result = state.results.value.get(id);
  const isAway = !isLocal && offer?.available !== true;
  const where = isLocal ? CONTROLS.local : isAway ? CONTROLS.away : price(offer?.price_usd ?? 0);
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
      <span class="where">
        {result === undefined ? where : counted(countOf(result.cuts), 'chunk')}
        {isLocal && state.isCutting.value && state.tier.value === id && (
          <span class="soon">{CONTROLS.cutting}</span>
        )}
      </span>
      <span class="about">{isAway ? (offer?.reason ?? description) : description}</span>
    </label>
  );
}

function SizeFields({ state }: { readonly state: State }) {
  const { options } = state;
  const set = (key: string, value: string | number): void => {
    options.value = changeOptions(options.value, key, value);
  };
  return (
    <fieldset class="sizes">
      <legend>{CONTROLS.size}</legend>
      {controlsOf(options.value).map((control) => (
        <SizeField key={control.key} control={control} unit={options.value.unit} onValue={set} />
      ))}
    </fieldset>
  );
}

interface SizeFieldProps {
  readonly control: Control;
  readonly unit: string;
  readonly onValue: (key: string, value: string | number) => void;
}

function SizeField({ control: { key, label, value, words, ...bounds }, unit, onValue }: SizeFieldProps) {
  if (words.length === 0) {
    const [before = '', behind = ''] = label.replace('{unit}', unit).split('{value}');
    return (
      <NumberField
        {...bounds}
        value={Number(value)}
        words={[before.trim(), behind.trim()]}
        onValue={(next) => onValue(key, next)}
      />
    );
  }
  return (
    <label class="field row">
      <span>{label}</span>
      <select value={value} onChange={(event) => onValue(key, event.currentTarget.value)}>
        {words.map(([word, text]) => (
          <option key={word} value={word}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

/** The second tier, and how far the two agree. */
function Compare({ state }: { readonly state: State }) {
  const { tiers, tier, other, comparison, results } = state;
  const found = comparison.value;
  const choices = tiers.value.filter(
    ({ id, isLocal }) => id !== tier.value && (isLocal || results.value.has(id)),
  );
  return (
    <div class="compare">
      <label class="field row">
        <span>{CONTROLS.compare}</span>
        <select
          value={other.value ?? ''}
          onChange={({ currentTarget: { value } }) => (other.value = value === '' ? undefined : value)}
        >
          <option value="">{CONTROLS.nothing}</option>
          {choices.map(({ id }) => (
            <option key={id} value={id}>
              {id}
            </option>
          ))}
        </select>
      </label>
      {found !== undefined && (
        <p class="agreement">
          <strong>{share(found.agreement)}</strong>
          {CONTROLS.agree}
          {CONTROLS.shared(found.shared.length)} <i class="sample-mark both" aria-hidden="true" />,{' '}
          {CONTROLS.only(found.onlyFirst.length, tier.value)}{' '}
          <i class="sample-mark first" aria-hidden="true" />,{' '}
          {CONTROLS.only(found.onlySecond.length, other.value ?? '')}{' '}
          <i class="sample-mark second" aria-hidden="true" />.
        </p>
      )}
    </div>
  );
}
