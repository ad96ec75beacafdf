// The end of a service's page: where its tiers run, its API, and the service's own words about stored data.
import type { State } from '../../state/state.ts';

/** See the head of this file. */
export function AboutService({ state }: { readonly state: State }) {
  const about = state.overview.value;
  return (
    <footer class="end">
      <p>
        Free, standard, structure and professional run in this page: nothing is uploaded until you send it to
        a tier of the service.
        {about !== undefined && (
          <>
            {' '}
            Programs use its{' '}
            <a href="./llms-full.txt" target="_blank" rel="noopener">
              API
            </a>{' '}
            (
            <a href="./openapi.json" target="_blank" rel="noopener">
              OpenAPI
            </a>
            ).
          </>
        )}
      </p>
      {about !== undefined && (
        <details>
          <summary>What the service keeps</summary>
          <p>{about.privacy.documents}</p>
          <p>{about.privacy.results}</p>
          <p>{about.privacy.clients}</p>
          <p>{about.privacy.payments}</p>
        </details>
      )}
    </footer>
  );
}
