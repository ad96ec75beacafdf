// The pages that clients have taken, by the day.
import type { QuotaAnswer, QuotaClaim, Store } from '../store.ts';
import { type Connections, numberIn, settled, transaction } from './database.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** The calls of the store, and the end of old counts. */
export interface Quotas extends Pick<Store, 'takeQuota' | 'quotaLeft'> {
  readonly dropOldQuota: () => Promise<void>;
}

export function createQuotas(
  { quick }: Connections,
  { now }: { /** Milliseconds since 1970. */ readonly now: () => number },
): Quotas {
  const used = quick.prepare(
    'SELECT coalesce(max(pages), 0) AS pages FROM quota WHERE day = ? AND client = ?',
  );
  const add = quick.prepare(
    'INSERT INTO quota (day, client, pages) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET pages = pages + excluded.pages',
  );
  const dropOld = quick.prepare('DELETE FROM quota WHERE day < ?');
  const pagesUsed = (client: string, day: string): number => numberIn(used.get(day, client), 'pages');

  function take({ client, day, pages, limit }: QuotaClaim): QuotaAnswer {
    const before = pagesUsed(client, day);
    const granted = before + pages <= limit;
    if (granted && pages > 0) add.run(day, client, pages);
    return { granted, left: Math.max(0, limit - before - (granted ? pages : 0)) };
  }

  return {
    takeQuota: (claim) => settled(() => transaction(quick, () => take(claim))),
    quotaLeft: ({ client, day, limit }) => settled(() => Math.max(0, limit - pagesUsed(client, day))),
    async dropOldQuota() {
      // Yesterday's counts stay: a request may still hold yesterday's date when midnight has passed.
      const yesterday = new Date(now() - DAY_MS).toISOString().slice(0, 10);
      await settled(() => transaction(quick, () => dropOld.run(yesterday)));
    },
  };
}
