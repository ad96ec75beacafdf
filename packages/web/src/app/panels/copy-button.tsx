// A button that copies a text, and shows the outcome for a moment.
import { useSignal } from '@preact/signals';
import { COMMON } from '../../texts.ts';

/** Time of the button's notice after a copy, in ms. */
const LABEL_MS = 2500;

interface CopyButtonProps {
  /** Name of the text, for screen readers. */
  readonly of: string;
  readonly text: () => string;
  /** Default `Copy`. */
  readonly label?: string;
}

/** Copies a text to the clipboard. */
export function CopyButton({ of, text, label: usual = COMMON.copy }: CopyButtonProps) {
  const label = useSignal(usual);
  const copy = (): void => {
    navigator.clipboard.writeText(text()).then(
      () => (label.value = COMMON.copied),
      // Browsers give pages a clipboard only over https.
      () => (label.value = COMMON.copyFailed),
    );
    setTimeout(() => (label.value = usual), LABEL_MS);
  };
  return (
    <button type="button" class="quiet" onClick={copy} aria-label={COMMON.copyOf(of)}>
      {label.value}
    </button>
  );
}
