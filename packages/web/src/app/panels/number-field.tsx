// A number as a field and as a slider: any value can be typed, and the usual ones dragged.
import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import type { Control } from '../../document/options.ts';

interface NumberFieldProps extends Pick<Control, 'range' | 'bounds'> {
  readonly value: number;
  /** Words before and behind the field. */
  readonly words: readonly [before: string, behind: string];
  readonly onValue: (value: number) => void;
}

/** A labelled number. An impossible value changes nothing, and becomes the nearest possible one when it is left. */
export function NumberField({ value, range, bounds, words: [before, behind], onValue }: NumberFieldProps) {
  const draft = useSignal<string | undefined>(undefined);
  const id = useId();
  const type = (text: string): void => {
    draft.value = text;
    const typed = Number(text);
    if (text !== '' && Number.isInteger(typed) && typed >= bounds.min && typed <= bounds.max) onValue(typed);
  };
  const leave = (): void => {
    const typed = Number(draft.value ?? '');
    if (draft.value !== undefined && draft.value !== '' && Number.isFinite(typed)) onValue(typed);
    draft.value = undefined;
  };
  return (
    <div class="number-field">
      <p>
        <label for={id}>{before}</label>{' '}
        <input
          id={id}
          type="number"
          inputMode="numeric"
          min={bounds.min}
          max={bounds.max}
          value={draft.value ?? value}
          onInput={(event) => type(event.currentTarget.value)}
          onBlur={leave}
        />{' '}
        <span>{behind}</span>
      </p>
      <input
        type="range"
        {...range}
        value={value}
        aria-label={`${before}, ${behind}`}
        onInput={(event) => onValue(event.currentTarget.valueAsNumber)}
      />
    </div>
  );
}
