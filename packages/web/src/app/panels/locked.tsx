// The question for the password of a protected PDF. The password stays in the page.
import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { State } from '../../state/state.ts';
import { COMMON, PASSWORD } from '../../texts.ts';

/** Asks for the password of a file that waits for it. */
export function Locked({ state }: { readonly state: State }) {
  const password = useSignal('');
  const { locked } = state;
  const field = useRef<HTMLInputElement>(null);
  // Screen readers hear the question by the label of the field.
  useLayoutEffect(() => field.current?.focus(), [locked.value]);
  if (locked.value === undefined) return null;
  const { file, isWrong } = locked.value;
  const open = (event: Event): void => {
    event.preventDefault();
    const word = password.value;
    password.value = '';
    state.errorText.value = undefined;
    void state.openFile(file, word);
  };
  const leave = (): void => {
    password.value = '';
    locked.value = undefined;
    state.errorText.value = undefined;
  };
  return (
    <form class="job" aria-label={PASSWORD.of(file.name)} onSubmit={open}>
      <label for="password">{isWrong ? PASSWORD.wrong(file.name) : PASSWORD.opens(file.name)}</label>
      <input
        id="password"
        ref={field}
        type="password"
        autocomplete="off"
        value={password.value}
        onInput={(event) => (password.value = event.currentTarget.value)}
      />
      <button type="submit" disabled={password.value === ''}>
        {PASSWORD.open}
      </button>
      <button type="button" class="quiet" onClick={leave}>
        {COMMON.leave}
      </button>
    </form>
  );
}
