// A part of the page that is fetched when it is first looked at.
import type { ComponentType } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { NOT_REACHED } from '../faults.ts';

/** What can have the focus in a part that has come. */
const FOCUSABLE = 'input, select, textarea, button, [tabindex]';

/** Loads a component and shows it; a word until it is there, or of why it is not. */
export function Later<Props extends object>({
  load,
  props,
}: {
  readonly load: () => Promise<ComponentType<Props>>;
  readonly props: Props;
}) {
  const [Part, setPart] = useState<ComponentType<Props>>();
  const [isLoading, setLoading] = useState(true);
  /** Whether it has failed before: then what tries again stays, and with it the focus of the keyboard. */
  const [hasFailed, setFailed] = useState(false);
  const retry = useRef<HTMLButtonElement>(null);
  /** Where the part will stand, when the focus is to be handed on to it. */
  const place = useRef<Element>(undefined);
  const fetchPart = (): void => {
    setLoading(true);
    load().then(
      (part) => {
        if (retry.current !== null && retry.current === document.activeElement)
          place.current = retry.current.parentElement?.parentElement ?? undefined;
        setPart(() => part);
      },
      () => {
        setFailed(true);
        setLoading(false);
      },
    );
  };
  useEffect(fetchPart, []);
  useLayoutEffect(() => place.current?.querySelector<HTMLElement>(FOCUSABLE)?.focus(), [Part]);
  if (Part !== undefined) return <Part {...props} />;
  return (
    <p class="note" role="status">
      {isLoading ? 'Loading …' : NOT_REACHED}{' '}
      {hasFailed && (
        <button
          type="button"
          class="quiet"
          ref={retry}
          aria-disabled={isLoading}
          onClick={() => isLoading || fetchPart()}
        >
          Try again
        </button>
      )}
    </p>
  );
}
