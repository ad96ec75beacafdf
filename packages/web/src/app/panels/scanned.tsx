// The offer to read a scan or a picture by OCR. Nothing leaves the page for it.
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { State } from '../../state/state.ts';
import { COMMON, SCAN } from '../../texts.ts';

/** Offers OCR for a file without text. */
export function Scanned({ state }: { readonly state: State }) {
  const { scanned } = state;
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => button.current?.focus(), [scanned.value]);
  if (scanned.value === undefined) return null;
  const { file, kind, pages } = scanned.value;
  const read = (): void => {
    const waiting = scanned.peek();
    if (waiting !== undefined) void state.readScanned(waiting);
  };
  const leave = (): void => {
    scanned.value = undefined;
    state.errorText.value = undefined;
  };
  return (
    <section class="job" aria-label={SCAN.of(file.name)}>
      <p id="scan">{SCAN.about(file.name, kind === 'scan')}</p>
      <button ref={button} type="button" aria-describedby="scan" onClick={read}>
        {kind === 'scan' ? SCAN.readPages(pages) : SCAN.readPicture}
      </button>
      <button type="button" class="quiet" onClick={leave}>
        {COMMON.leave}
      </button>
    </section>
  );
}
