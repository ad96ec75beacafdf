// The end of a service's page: where its tiers run, its API, and the service's own words about stored data.
import type { State } from '../../state/state.ts';
import { ABOUT } from '../../texts.ts';

/** See the head of this file. */
export function AboutService({ state }: { readonly state: State }) {
  const about = state.overview.value;
  return (
    <footer class="end">
      <p>
        {ABOUT.local}
        {about !== undefined && (
          <>
            {' '}
            {ABOUT.programs}{' '}
            <a href="./llms-full.txt" target="_blank" rel="noopener">
              {ABOUT.api}
            </a>{' '}
            (
            <a href="./openapi.json" target="_blank" rel="noopener">
              {ABOUT.openApi}
            </a>
            ).
          </>
        )}
      </p>
      {about !== undefined && (
        <details>
          <summary>{ABOUT.keeps}</summary>
          <p>{about.privacy.documents}</p>
          <p>{about.privacy.results}</p>
          <p>{about.privacy.clients}</p>
          <p>{about.privacy.payments}</p>
        </details>
      )}
    </footer>
  );
}
