// The focus when its element disappears: keyboard users continue in the text, or in the start view.

const VIEW = '.panel:not([hidden]) :is(.text, .pages)';

/** Moves the focus into a view that has loaded after its document; until then it is on the tab. */
export function focusView(): void {
  if (document.activeElement === document.body || document.activeElement?.id === 'tab-text')
    document.querySelector<HTMLElement>(VIEW)?.focus({ preventScroll: true });
}

/** Moves a lost focus to the receipt, if there is one. */
export function focusReceipt(): void {
  if (document.activeElement === document.body) document.querySelector<HTMLElement>('.receipt')?.focus();
}

/** Moves a lost focus to the view; a focus elsewhere stays. */
export function keepFocus(): void {
  if (document.activeElement !== document.body) return;
  const next =
    document.querySelector<HTMLElement>(VIEW) ??
    document.querySelector<HTMLElement>('[role=tab][aria-selected=true], .drop input');
  next?.focus({ preventScroll: true });
}
