import { expect, it } from 'vitest';
import { closeAll } from './io.ts';

it('closes everything in order, whatever fails, and reports the first failure', async () => {
  const closed: string[] = [];
  const closing = closeAll([
    () => void closed.push('a'),
    () => Promise.reject(new Error('b stays open')),
    () => {
      throw new Error('c stays open');
    },
    () => Promise.resolve(closed.push('d')),
  ]);
  await expect(closing).rejects.toThrow('b stays open');
  expect(closed).toEqual(['a', 'd']);
});
