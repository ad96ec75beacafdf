// The offer to read a scan or a picture by OCR. Nothing leaves the page for it.
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { State } from '../../state/state.ts';
import { counted } from '../../wording.ts';

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
    <section class="job" aria-label={`Scan ${file.name}`}>
      <p id="scan">
        {kind === 'scan' ? `${file.name} is a scan: its pages are pictures` : `${file.name} is a picture`}, so
        there is no text to cut yet. This page can read it: English print, some seconds a page. It loads 4 MB
        from this service, and the file stays here.
      </p>
      <button ref={button} type="button" aria-describedby="scan" onClick={read}>
        {kind === 'scan' ? `Read ${counted(pages, 'scanned page')}` : 'Read the picture'}
      </button>
      <button type="button" class="quiet" onClick={leave}>
        Leave it
      </button>
    </section>
  );
}
