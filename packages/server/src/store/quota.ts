// The daily pages of the clients.
import { type Engine, queryRow, type Steps } from './engine.ts';
import type { QuotaAnswer, QuotaClaim, Store } from './store.ts';

/** Creates the quota of an engine. */
export function createQuotas(engine: Engine): Pick<Store, 'takeQuota' | 'quotaLeft'> {
  const { keyText } = engine;

  function* take({ client, day, pages, limit }: QuotaClaim): Steps<QuotaAnswer> {
    if (pages > 0) {
      const row = yield* queryRow<PagesColumns>(TAKE_PAGES, [day, keyText(client), pages, limit]);
      if (row !== undefined) return { granted: true, left: limit - Number(row.pages) };
    }
    const used = yield* pagesUsed(client, day);
    return { granted: pages === 0 && used <= limit, left: Math.max(0, limit - used) };
  }

  function* pagesUsed(client: string, day: string): Steps<number> {
    const row = yield* queryRow<PagesColumns>(PAGES_USED, [day, keyText(client)]);
    return Number(row?.pages ?? 0);
  }

  return {
    takeQuota: (claim) => engine.change('quick', () => take(claim)),
    quotaLeft: ({ client, day, limit }) =>
      engine.read(function* () {
        return Math.max(0, limit - (yield* pagesUsed(client, day)));
      }),
  };
}

interface PagesColumns {
  readonly pages: bigint;
}

/** One statement, so that PostgreSQL is exact between machines. */
const TAKE_PAGES = `INSERT INTO grainline.quota AS q (day, client, pages)
  SELECT $1, $2, CAST($3 AS bigint) WHERE CAST($3 AS bigint) <= CAST($4 AS bigint)
  ON CONFLICT (day, client) DO UPDATE SET pages = q.pages + excluded.pages
    WHERE q.pages + excluded.pages <= CAST($4 AS bigint)
  RETURNING pages`;
const PAGES_USED = 'SELECT pages FROM grainline.quota WHERE day = $1 AND client = $2';
