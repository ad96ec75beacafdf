import { expect, it } from 'vitest';
import { readText } from './text-of.ts';

it('a body is read whatever the places at which its bytes are divided', async () => {
  const text = 'naïve ☃ 𝄞';
  const bytes = new TextEncoder().encode(text);
  const pieces = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
      controller.close();
    },
  });
  expect(await readText(new Response(pieces), bytes.length)).toBe(text);
  expect(await readText(new Response(null))).toBe('');
});

it('a body without end is read no further than may be', async () => {
  let pulled = 0;
  let isCancelled = false;
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      pulled++;
      controller.enqueue(new Uint8Array(100));
    },
    cancel: () => void (isCancelled = true),
  });
  await expect(readText(new Response(endless), 1000)).rejects.toMatchObject({ code: 'remote_strange' });
  expect(pulled).toBeLessThan(20);
  expect(isCancelled).toBe(true);
});
