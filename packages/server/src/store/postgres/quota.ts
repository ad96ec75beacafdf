// The pages that clients have taken, by the day.
import type { QuotaAnswer, QuotaClaim, Store } from '../store.ts';
import { type Clock, nowIn, QUICK } from './clock.ts';
import type { Database } from './database.ts';
import { keyText } from './text.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** The calls of the store, and the end of old counts. */
export interface Quotas extends Pick<Store, 'takeQuota' | 'quotaLeft'> {
  readonly dropOldQuota: () => Promise<void>;
}

export function createQuotas({ query }: Database, { clock }: { readonly clock: Clock }): Quotas {
  async function takeQuota({ client, day, pages, limit }: QuotaClaim): Promise<QuotaAnswer> {
    if (pages > 0) {
      const [row] = await query<{ pages: bigint }>(SQL.takePages, [day, keyText(client), pages, limit]);
      if (row !== undefined) return { granted: true, left: limit - Number(row.pages) };
    }
    const used = await pagesUsed(client, day);
    return { granted: pages === 0 && used <= limit, left: Math.max(0, limit - used) };
  }

  async function pagesUsed(client: string, day: string): Promise<number> {
    const [row] = await query<{ pages: bigint }>(SQL.pagesUsed, [day, keyText(client)]);
    return Number(row?.pages ?? 0);
  }

  return {
    takeQuota,
    quotaLeft: async ({ client, day, limit }) => Math.max(0, limit - (await pagesUsed(client, day))),
    async dropOldQuota() {
      await query(SQL.dropOld, [clock.parameter(), DAY_MS]);
    },
  };
}

const SQL = {
  takePages: `INSERT INTO grainline.quota AS q (day, client, pages)
    SELECT $1, $2, $3::bigint WHERE $3::bigint <= $4::bigint
    ON CONFLICT (day, client) DO UPDATE SET pages = q.pages + excluded.pages
      WHERE q.pages + excluded.pages <= $4::bigint
    RETURNING pages`,
  pagesUsed: 'SELECT pages FROM grainline.quota WHERE day = $1 AND client = $2',
  // Yesterday's counts stay: a request may still hold yesterday's date when midnight has passed.
  dropOld: `DELETE FROM grainline.quota
    WHERE day < to_char(to_timestamp((${nowIn(1)} - $2::bigint) / 1000) AT TIME ZONE 'UTC', 'YYYY-MM-DD')
    RETURNING ${QUICK}`,
} as const;
