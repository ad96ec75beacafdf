// Starts a worker of the page. Its address is a script's, which the page's policy (Trusted Types) wants vouched for.
import type { Answer } from './protocol.ts';
import type { WorkerPort } from './worker-client.ts';
import { NOT_REACHED } from './faults.ts';
import workerAddress from './worker/worker.ts?worker&url';

interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL: (address: string) => string },
  ): { createScriptURL: (address: string) => string };
}

const policy = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes?.createPolicy('grainline', {
  createScriptURL(address) {
    if (new URL(address, document.baseURI).origin === location.origin) return address;
    throw new TypeError('The page runs no script from elsewhere.');
  },
});

const STOPPED = 'The part of the page that reads and cuts has stopped. Bring the document once more.';

/** A worker that waits for its first question. */
export function startWorker(): WorkerPort {
  // Beside the policy's own values, TypeScript knows only strings here.
  const address = policy?.createScriptURL(workerAddress) ?? workerAddress;
  const worker = new Worker(address, { type: 'module', name: 'cutter' });
  return {
    send: (ask) => worker.postMessage(ask),
    onAnswer: (listener) =>
      worker.addEventListener('message', ({ data }: MessageEvent<Answer>) => listener(data)),
    onDeath: (listener) =>
      // An error of its code has words; that it could not be loaded has none.
      worker.addEventListener('error', ({ message = '' }) =>
        listener(message === '' ? NOT_REACHED : STOPPED),
      ),
    end: () => worker.terminate(),
  };
}
