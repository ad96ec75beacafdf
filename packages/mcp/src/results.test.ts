import { expect, it } from 'vitest';
import type { CutDocument } from './ports.ts';
import { createResults } from './results.ts';

const documentOf = (text: string): CutDocument => ({
  tier: 'free',
  documentId: text,
  records: [{ text }],
  outline: [],
  warnings: [],
});

it('a result is made once for a recipe, and is forgotten when newer ones need its room', async () => {
  const results = createResults({ count: 2, characters: 100 });
  let made = 0;
  const ask = (text: string) =>
    results.of(['text', text], () => {
      made++;
      return Promise.resolve(documentOf(text));
    });
  const a = await ask('a');
  const b = await ask('b');
  expect(await ask('a')).toEqual(a);
  expect(made).toBe(2);
  const c = await ask('c');
  // The one that was asked for longest ago goes.
  expect(results.names()).toEqual([a.result, c.result]);
  expect(() => results.get(b.result)).toThrow(b.result);
  expect(results.get(a.result).document).toBe(a.document);
  // By its length; the latest stays whatever it has.
  const long = await ask('x'.repeat(200));
  expect(results.names()).toEqual([long.result]);
});

it('what could not be made is not kept', async () => {
  const results = createResults({ count: 2, characters: 100 });
  await expect(results.of(['x'], () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(results.names()).toEqual([]);
});
