// Starts a worker of the page. The page's policy (Trusted Types) requires a trusted address for a script.
import type { WorkerAnswer } from './protocol.ts';
import type { WorkerPort } from './worker-client.ts';
import workerAddress from './worker.ts?worker&url';
import { ERRORS } from '../texts.ts';

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

/** A worker before its first call. Its policy is that of its file's response. */
export function startWorker(): WorkerPort {
  return startAt(workerAddress);
}

/**
 * The same under the page's own policy, for static hosts, which send none with a file: a worker of a blob inherits that
 * of its page.
 */
export function startWorkerOfPage(): WorkerPort {
  const code = `import ${JSON.stringify(new URL(workerAddress, document.baseURI).href)};`;
  const address = URL.createObjectURL(new Blob([code], { type: 'text/javascript' }));
  return startAt(address);
}

function startAt(workerAddress: string): WorkerPort {
  // TypeScript's type of the address is a string, and the policy returns a trusted value.
  const address = policy?.createScriptURL(workerAddress) ?? workerAddress;
  const worker = new Worker(address, { type: 'module', name: 'cutter' });
  return {
    send: (ask) => worker.postMessage(ask),
    onAnswer: (listener) =>
      worker.addEventListener('message', ({ data }: MessageEvent<WorkerAnswer>) => listener(data)),
    onDeath: (listener) =>
      // An error in its code has a message; a failure to load has none.
      worker.addEventListener('error', ({ message = '' }) =>
        listener(message === '' ? ERRORS.notReached : ERRORS.stopped),
      ),
    end: () => worker.terminate(),
  };
}
