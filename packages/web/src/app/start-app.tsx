// The start of the web app, with a service or without one.
import { render } from 'preact';
import { App, type ServicePanels } from './app.tsx';
import { createPaidAnswers } from '../service/paid-answers.ts';
import { indexedStore } from '../service/record-store.ts';
import type { StateDeps } from '../state/service-chunks.ts';
import { createState } from '../state/state.ts';
import type { WorkerPort } from '../worker/worker-client.ts';
import { createTheme } from './theme.ts';
import { createWorkerClient } from '../worker/worker-client.ts';

/** Dependencies of the web app; without a service it has the local tiers alone. */
export interface AppDeps {
  readonly startWorker: () => WorkerPort;
  readonly service?: { readonly client: NonNullable<StateDeps['service']>; readonly panels: ServicePanels };
}

/** Draws the web app in place of the document's own content. */
export function startApp({ startWorker, service }: AppDeps): void {
  const page = document.getElementById('page');
  if (page === null) return;
  const storage = localStorageOrNone();
  const state = createState({
    ask: createWorkerClient(startWorker),
    service: service?.client,
    storage,
    answers: createPaidAnswers({
      store: indexedStore({ database: 'grainline-answers', store: 'answers', version: 1 }),
      nowMs: Date.now,
    }),
    address: {
      read: () => location.hash,
      write: (hash) => {
        if (location.hash !== hash)
          history.replaceState(null, '', location.pathname + location.search + hash);
      },
    },
    nowMs: Date.now,
  });
  const theme = createTheme({ storage, root: document.documentElement });
  page.replaceChildren();
  render(<App state={state} theme={theme} base={document.baseURI} service={service?.panels} />, page);
  addEventListener('hashchange', state.readAddress);
  void state.start();
}

/** In some browsers even the access to the name throws. */
function localStorageOrNone(): Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> {
  try {
    return window.localStorage;
  } catch {
    return { getItem: () => null, setItem: () => undefined, removeItem: () => undefined };
  }
}
