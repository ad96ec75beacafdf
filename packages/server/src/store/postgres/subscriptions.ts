// Subscriptions to NOTIFY, each on a connection of its own that is renewed whenever it breaks.
import type * as Pg from 'pg';

/** Pause before a broken connection is renewed. */
const RENEW_MS = 1_000;

/** Subscriptions to channels. */
export interface Subscriptions {
  /**
   * Calls back at every notification with its payload, and without one after each new connection. The returned function
   * ends the subscription.
   */
  readonly listen: (channel: string, listener: (payload?: string) => void) => () => void;
  /** Ends all subscriptions. */
  readonly end: () => void;
}

/** Creates subscriptions without a connection; each makes its own. */
export function createSubscriptions(createClient: () => Pg.Client): Subscriptions {
  const ends = new Set<() => void>();

  function listen(channel: string, listener: (payload?: string) => void): () => void {
    let client: Pg.Client | undefined;
    let timer: NodeJS.Timeout | undefined;
    let isOver = false;
    const connect = (): void => {
      const created = createClient();
      client = created;
      const renew = (): void => {
        if (client !== created || isOver) return;
        client = undefined;
        // A failed client may still have a half-open connection.
        void created.end().catch(() => undefined);
        timer = setTimeout(connect, RENEW_MS);
        timer.unref();
      };
      created
        .on('error', renew)
        .on('end', renew)
        .on('notification', ({ payload }) => listener(payload));
      created
        .connect()
        .then(() => created.query(`LISTEN ${channel}`))
        .then(() => listener(), renew);
    };
    const end = (): void => {
      isOver = true;
      ends.delete(end);
      clearTimeout(timer);
      void client?.end().catch(() => undefined);
    };
    ends.add(end);
    connect();
    return end;
  }

  return { listen, end: () => ends.forEach((end) => end()) };
}
