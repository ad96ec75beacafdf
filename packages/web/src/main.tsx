// Where the page begins.
import { wait } from '@grainline/x402/client';
import { render } from 'preact';
import { App } from './app.tsx';
import { createService } from './service.ts';
import { createState } from './state.ts';
import { startWorker } from './start-worker.ts';
import { createTheme } from './theme.ts';
import { createAskWorker } from './worker-client.ts';

const storage = localStorageOrNone();
const state = createState({
  ask: createAskWorker(startWorker),
  service: createService(document.baseURI),
  storage,
  nowMs: Date.now,
  wait,
});

/** Some browsers forbid it, and then the very name throws. */
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
  void state.start();
}
