import { describe, expect, it } from 'vitest';
import { createLookupLimit } from './lookup-limit.ts';

const MOST = 256;

/** Takes all that a client has. */
function exhaust(lookups: ReturnType<typeof createLookupLimit>, now: number): void {
  while (lookups.take('client', now));
}

describe('the lookups of a client', () => {
  it('come back over time, two a second', () => {
    const lookups = createLookupLimit();
    exhaust(lookups, 0);
    let taken = 0;
    while (lookups.take('client', 10_000)) taken++;
    expect(taken).toBe(20);
    expect(lookups.take('other', 10_000)).toBe(true);
  });

  it('come back when the clock was set back, too', () => {
    const lookups = createLookupLimit();
    exhaust(lookups, 3_600_000);
    expect(lookups.take('client', 0)).toBe(false);
    let taken = 0;
    while (lookups.take('client', 600_000)) taken++;
    expect(taken).toBe(MOST);
  });
});

describe('payers', () => {
  it('are the ten thousand who have bought something last', () => {
    const lookups = createLookupLimit();
    for (let client = 0; client <= 10_000; client++) lookups.bought(`client ${client}`, client);
    lookups.bought('client 1', 10_001);
    lookups.bought('one more', 10_002);
    const known = ['client 0', 'client 1', 'client 2', 'client 3', 'one more'];
    expect(known.filter((client) => lookups.isPayer(client, 10_003))).toEqual([
      'client 1',
      'client 3',
      'one more',
    ]);
    expect(lookups.isPayer('client 3', 3_600_003)).toBe(false);
    expect(lookups.isPayer('one more', 3_600_003)).toBe(true);
  });
});
