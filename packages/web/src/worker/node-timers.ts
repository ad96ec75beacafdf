// `setImmediate` of `node:timers/promises`, which extraction waits for between the pages of a PDF, by a message to
// itself: a timer would cost 4 ms a page.

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
