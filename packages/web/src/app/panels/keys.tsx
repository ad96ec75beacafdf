// The list of keys; `?` and a button open it.
import { type Signal, useSignalEffect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { COMMON, KEYS } from '../../texts.ts';

/** Fields in which `?` is a letter. */
const WRITING =
  'textarea, select, [contenteditable], input:not([type="radio"], [type="range"], [type="file"])';

/** The list over the page. The browser returns the focus when it closes. */
export function Keys({ isOpen }: { readonly isOpen: Signal<boolean> }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useSignalEffect(() => {
    if (isOpen.value) dialog.current?.showModal();
    else dialog.current?.close();
  });
  useEffect(() => {
    const open = (event: KeyboardEvent): void => {
      if (event.key !== '?' || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.target instanceof Element && event.target.closest(WRITING) !== null) return;
      event.preventDefault();
      isOpen.value = true;
    };
    addEventListener('keydown', open);
    return () => removeEventListener('keydown', open);
  }, []);
  return (
    <dialog ref={dialog} class="keys" aria-labelledby="keys" onClose={() => (isOpen.value = false)}>
      {/* Else the focus goes to the button, and in a low window the list begins at its end. */}
      <h2 id="keys" tabIndex={-1} autofocus>
        {KEYS.title}
      </h2>
      {KEYS.groups.map(({ where, keys }) => (
        <section key={where}>
          <h3>{where}</h3>
          <dl>
            {keys.map(([names, what]) => (
              <div key={names}>
                <dt>
                  {names.split('  ').map((name) => (
                    <kbd key={name}>{name}</kbd>
                  ))}
                </dt>
                <dd>{what}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
      <button type="button" onClick={() => (isOpen.value = false)}>
        {COMMON.close}
      </button>
    </dialog>
  );
}
