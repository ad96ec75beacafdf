// `setImmediate` of `node:timers/promises` for browsers; extraction waits for it between the pages of a PDF. It posts a
// message to itself, because a timer would take 4 ms a page.

const channel = new MessageChannel();
const waiting: (() => void)[] = [];
channel.port1.onmessage = () => waiting.shift()?.();

/** Resolves in the next turn of the event loop. */
export function setImmediate(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    channel.port2.postMessage(undefined);
  });
}
