// The free pages of a client: what is left, what a document costs, and the headers that say so.
import { Fault } from '../errors.ts';
import type { Store } from '../store/store.ts';

/** A client's pages on the day of a request. */
export interface Quota {
  /**
   * Refuses before any work when nothing is left. Takes nothing.
   *
   * @throws Fault `quota_exceeded`
   */
  refuseWhenSpent(): Promise<void>;
  /**
   * Refuses what {@link charge} would refuse now. Takes nothing.
   *
   * @throws Fault `quota_exceeded`, or `over_daily_limit` when no day would suffice
   */
  refuseWhenShort(pages: number): Promise<void>;
  /**
   * Takes exactly these pages, all or none; returns the headers that say what is left.
   *
   * @throws Fault `quota_exceeded`, or `over_daily_limit` when no day would suffice
   */
  charge(pages: number): Promise<Readonly<Record<string, string>>>;
}

/** The quota of tiers on which no pages are counted. */
export const NO_QUOTA: Quota = {
  refuseWhenSpent: () => Promise.resolve(),
  refuseWhenShort: () => Promise.resolve(),
  charge: () => Promise.resolve({}),
};

const DAY_MS = 24 * 60 * 60 * 1000;
const DAY_S = DAY_MS / 1000;
/** Name of the policy in RateLimit headers. */
const POLICY = '"free-pages"';

/** @param now milliseconds since 1970; decides the day, in UTC, once for the whole request */
export function createQuota(
  store: Pick<Store, 'takeQuota' | 'quotaLeft'>,
  client: string,
  limit: number,
  now: number,
): Quota {
  const day = new Date(now).toISOString().slice(0, 10);
  const claim = { client, day, limit };
  const resetS = Math.ceil((DAY_MS - (now % DAY_MS)) / 1000);
  const headersFor = (left: number): Readonly<Record<string, string>> => ({
    'RateLimit-Policy': `${POLICY};q=${limit};w=${DAY_S}`,
    RateLimit: `${POLICY};r=${left};t=${resetS}`,
  });
  const exceeded = (left: number, needed?: number): Fault =>
    new Fault('quota_exceeded', {
      detail: needed === undefined ? 'none is left' : `${left} left, and the document counts ${needed}`,
      limit: {
        pages_per_day: limit,
        pages_left: left,
        ...(needed === undefined ? undefined : { pages_needed: needed }),
      },
      headers: headersFor(left),
      retryAfterS: resetS,
    });

  const refuseOverLimit = (pages: number): void => {
    if (pages <= limit) return;
    const detail = `${pages} pages, more than the ${limit} that are free of charge a day`;
    throw new Fault('over_daily_limit', { detail, limit: { pages_per_day: limit, pages_needed: pages } });
  };

  return {
    async refuseWhenSpent() {
      const left = await store.quotaLeft(claim);
      if (left <= 0) throw exceeded(0);
    },
    async refuseWhenShort(pages) {
      refuseOverLimit(pages);
      const left = await store.quotaLeft(claim);
      if (left < pages) throw exceeded(left, pages);
    },
    async charge(pages) {
      refuseOverLimit(pages);
      const { granted, left } = await store.takeQuota({ ...claim, pages });
      if (!granted) throw exceeded(left, pages);
      return headersFor(left);
    },
  };
}
