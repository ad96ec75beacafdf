// How the open file is read: one disclosure with the options of its kind.
import { useSignal } from '@preact/signals';
import { kindOf } from '../../document/kinds.ts';
import { type ReadingControl, readingControlsOf, readingFor } from '../../document/reading-options.ts';
import type { State } from '../../state/state.ts';
import { CONTROLS } from '../../texts.ts';

/** The options of reading; nothing for a document that none of them changes. */
export function Reading({ state }: { readonly state: State }) {
  const of = state.source.value;
  if (of?.readAgain === undefined) return null;
  const kind = kindOf(of.reading.mediaType);
  const controls = readingControlsOf(kind, state.reading.value);
  if (controls.length === 0) return null;
  const changed = Object.keys(readingFor(kind, state.reading.value)).length;
  return (
    <details class="reading">
      <summary>{CONTROLS.reading(changed)}</summary>
      {controls.map((control) => (
        <ReadingField
          key={control.key}
          control={control}
          onValue={(value) => void state.changeReading(control.key, value)}
        />
      ))}
    </details>
  );
}

interface ReadingFieldProps {
  readonly control: ReadingControl;
  readonly onValue: (value: string) => void;
}

function ReadingField({ control: { label, value, usual, words, ...text }, onValue }: ReadingFieldProps) {
  // A text that could not be used stays to be mended.
  const draft = useSignal<string | undefined>(undefined);
  return (
    <label class="field row">
      <span>{label}</span>
      {words.length === 0 ? (
        <input
          type="text"
          value={draft.value ?? (value === usual ? '' : value)}
          placeholder={usual}
          pattern={text.pattern?.[0]}
          title={text.pattern?.[1]}
          maxLength={text.maxLength}
          onInput={({ currentTarget }) => (draft.value = currentTarget.value)}
          onChange={({ currentTarget }) => {
            if (currentTarget.reportValidity()) onValue(currentTarget.value);
          }}
        />
      ) : (
        <select value={value} onChange={({ currentTarget }) => onValue(currentTarget.value)}>
          {words.map(([word, name]) => (
            <option key={word} value={word}>
              {name}
            </option>
          ))}
        </select>
      )}
    </label>
  );
}
