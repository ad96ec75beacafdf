// The Escape key closes what was opened last: one panel at a time.
import { useLayoutEffect } from 'preact/hooks';

/** The open panels, the latest last. */
const open: (() => void)[] = [];

/** Closes a panel by the Escape key for as long as it is open. Wherever the focus is, the key counts. */
export function useEscape(isOpen: boolean, close: () => void): void {
  useLayoutEffect(() => {
    if (!isOpen) return undefined;
    open.push(close);
    if (open.length === 1) addEventListener('keydown', closeLast);
    return () => {
      open.splice(open.lastIndexOf(close), 1);
      if (open.length === 0) removeEventListener('keydown', closeLast);
    };
  }, [isOpen]);
}

function closeLast(event: KeyboardEvent): void {
  // The browser closes modal dialogs itself.
  if (event.key !== 'Escape' || document.querySelector('dialog:modal') !== null) return;
  open.at(-1)?.();
}
