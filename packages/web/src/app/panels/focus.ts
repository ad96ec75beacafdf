// The focus when its element disappears: keyboard users continue in the text, or in the start view.

/** Moves a lost focus to the view; a focus elsewhere stays. */
export function keepFocus(): void {
  if (document.activeElement !== document.body) return;
  const next =
    document.querySelector<HTMLElement>('.panel:not([hidden]) .text') ??
    document.querySelector<HTMLElement>('[role=tab][aria-selected=true], .drop input');
  next?.focus({ preventScroll: true });
}
