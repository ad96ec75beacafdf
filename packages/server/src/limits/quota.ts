// The free pages of a client and the headers that report them.
import { HttpError } from '../errors/http-error.ts';
import type { Store } from '../store/store.ts';

/** A client's pages on the day of a request. */
export interface Quota {
  /**
   * The pages that are left; Infinity when they are not counted. Takes none.
   *
   * @throws HttpError `quota_exceeded` when none is left
   */
  left(): Promise<number>;
  /**
   * Checks that {@link charge} would succeed now. Takes no pages.
   *
   * @throws HttpError `quota_exceeded`, or `over_daily_limit` when a whole day would not suffice
   */
  assertCovers(pages: number): Promise<void>;
  /**
   * Takes exactly these pages, all or none. Returns the headers with the remaining pages.
   *
   * @throws HttpError `quota_exceeded`, or `over_daily_limit` when a whole day would not suffice
   */
  charge(pages: number): Promise<Readonly<Record<string, string>>>;
}

/** The quota of tiers without counted pages. */
export const NO_QUOTA: Quota = {
  left: () => Promise.resolve(Infinity),
  assertCovers: () => Promise.resolve(),
  charge: () => Promise.resolve({}),
};

const DAY_MS = 24 * 60 * 60 * 1000;
const DAY_S = DAY_MS / 1000;
/** Name of the policy in RateLimit headers. */
const POLICY = '"free-pages"';

/** @param now milliseconds since 1970; fixes the UTC day for the whole request */
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
  const exceeded = (left: number, needed?: number): HttpError =>
    new HttpError('quota_exceeded', {
      detail: needed === undefined ? 'none is left' : `${left} left, and the document counts ${needed}`,
      limit: {
        pages_per_day: limit,
        pages_left: left,
        ...(needed === undefined ? undefined : { pages_needed: needed }),
      },
      headers: headersFor(left),
      retryAfterS: resetS,
    });

  const assertWithinDay = (pages: number): void => {
    if (pages <= limit) return;
    const detail = `${pages} pages, more than the ${limit} that are free of charge a day`;
    throw new HttpError('over_daily_limit', { detail, limit: { pages_per_day: limit, pages_needed: pages } });
  };

  return {
    async left() {
      const left = await store.quotaLeft(claim);
      if (left <= 0) throw exceeded(0);
      return left;
    },
    async assertCovers(pages) {
      assertWithinDay(pages);
      const left = await store.quotaLeft(claim);
      if (left < pages) throw exceeded(left, pages);
    },
    async charge(pages) {
      assertWithinDay(pages);
      const { granted, left } = await store.takeQuota({ ...claim, pages });
      if (!granted) throw exceeded(left, pages);
      return headersFor(left);
    },
  };
}
