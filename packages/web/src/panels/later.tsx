// A part of the page that is fetched when it is first looked at.
import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';

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
  useEffect(() => {
    load().then(
      (part) => setPart(() => part),
      () => setFailed(true),
    );
  }, []);
  if (hasFailed) return <p class="note">This part could not be loaded. Look again when you are online.</p>;
  return Part === undefined ? <p class="note">Loading …</p> : <Part {...props} />;
}
