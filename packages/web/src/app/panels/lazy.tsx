// A part of the page that loads when it is first shown.
import type { ComponentType } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { COMMON, ERRORS } from '../../texts.ts';

/** Selector of focusable elements in a loaded part. */
const FOCUSABLE = 'input, select, textarea, button, [tabindex]';

/** Loads a component and shows it; meanwhile a notice, and after a failure a button. */
export function Lazy<Props extends object>({
  load,
  props,
}: {
  readonly load: () => Promise<ComponentType<Props>>;
  readonly props: Props;
}) {
  const [Part, setPart] = useState<ComponentType<Props>>();
  const [isLoading, setLoading] = useState(true);
  /** True after a failure: the button stays mounted, and keeps the focus. */
  const [hasFailed, setFailed] = useState(false);
  const retry = useRef<HTMLButtonElement>(null);
  /** Parent of the loaded part, set when the part takes over the focus. */
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
      {isLoading ? COMMON.loading : ERRORS.notReached}{' '}
      {hasFailed && (
        <button
          type="button"
          class="quiet"
          ref={retry}
          aria-disabled={isLoading}
          onClick={() => isLoading || fetchPart()}
        >
          {COMMON.again}
        </button>
      )}
    </p>
  );
}
