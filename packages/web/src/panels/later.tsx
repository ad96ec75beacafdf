// A part of the page that is fetched when it is first looked at.
import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { NOT_REACHED } from '../faults.ts';

/** Loads a component and shows it; a word until it is there, or of why it is not. */
export function Later<Props extends object>({
  load,
  props,
}: {
  readonly load: () => Promise<ComponentType<Props>>;
  readonly props: Props;
}) {
  const [Part, setPart] = useState<ComponentType<Props>>();
  const [hasFailed, setFailed] = useState(false);
  const fetchPart = (): void => {
    setFailed(false);
    load().then(
      (part) => setPart(() => part),
      () => setFailed(true),
    );
  };
  useEffect(fetchPart, []);
  if (Part !== undefined) return <Part {...props} />;
  return (
    <p class="note" role="status">
      {hasFailed ? `${NOT_REACHED} ` : 'Loading …'}
      {hasFailed && (
        <button type="button" class="quiet" onClick={fetchPart}>
          Try again
        </button>
      )}
    </p>
  );
}
