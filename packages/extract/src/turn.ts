// The next turn of the event loop, in Node and in browsers: long work waits for it between its parts.

/** Resolves in the next turn of the event loop. */
export function nextTurn(): Promise<void> {
  const { setImmediate: queueTurn = postTurn } = globalThis as { setImmediate?: typeof postTurn };
  return new Promise(queueTurn);
}

let port: { postMessage(message: undefined): void } | undefined;
const waiting: (() => void)[] = [];

/** Browsers have no `setImmediate`, and a timer takes 4 ms. */
function postTurn(resolve: () => void): void {
  port ??= openPort();
  waiting.push(resolve);
  port.postMessage(undefined);
}

function openPort(): NonNullable<typeof port> {
  const { port1, port2 } = new MessageChannel();
  port1.addEventListener('message', () => waiting.shift()?.());
  port1.start();
  return port2;
}
