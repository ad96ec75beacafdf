// The entry of the web app.
import { createClient } from '@grainline/client';
import { render } from 'preact';
import { App } from './app.tsx';
import { createPaidAnswers } from '../service/paid-answers.ts';
import { indexedStore } from '../service/record-store.ts';
import { createState } from '../state/state.ts';
import { startWorker } from '../worker/start-worker.ts';
import { createTheme } from './theme.ts';
import { createWorkerClient } from '../worker/worker-client.ts';

const storage = localStorageOrNone();
const state = createState({
  ask: createWorkerClient(startWorker),
  service: createClient({ url: new URL('.', document.baseURI) }),
  storage,
  answers: createPaidAnswers({
    store: indexedStore({ database: 'grainline-answers', store: 'answers', version: 1 }),
    nowMs: Date.now,
  }),
  address: {
    read: () => location.hash,
    write: (hash) => {
      if (location.hash !== hash) history.replaceState(null, '', location.pathname + location.search + hash);
    },
  },
  nowMs: Date.now,
});

/** In some browsers even the access to the name throws. */
function localStorageOrNone(): Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> {
  try {
    return window.localStorage;
  } catch {
    return { getItem: () => null, setItem: () => undefined, removeItem: () => undefined };
  }
}

const page = document.getElementById('page');
if (page !== null) {
  page.replaceChildren();
  const theme = createTheme({ storage, root: document.documentElement });
  render(<App state={state} theme={theme} base={document.baseURI} />, page);
  addEventListener('hashchange', state.readAddress);
  void state.start();
}
