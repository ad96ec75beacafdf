// The requests of one connection. A client may send the next ones before it has the answer to the first (RFC 9112,
// section 9.3.2), and node:http hands all of them over at once. Here they are served one after the other, as they are
// answered: else a request would overtake the one that it builds upon, and answers lie in memory that nobody can have
// yet.
import type { Duplex } from 'node:stream';
import { breakOff, type Exchange } from './exchange.ts';

/** The requests of one connection that are not over, in the order in which they came. */
export interface Pipeline {
  readonly exchanges: ReadonlySet<Exchange>;
  /** Takes one in; resolves when those before it are over. The next one must not be taken in once it is closed. */
  add(exchange: Exchange): Promise<unknown>;
  /** Whether the last answer of the connection is certain, so that what comes behind it is not served. */
  readonly isClosed: () => boolean;
  /** Ends the pipeline: requests behind the present one are not served. */
  close(): void;
  /** Ends the pipeline with a refusal: what has come behind all requests so far is no request. */
  refuse(): void;
  /** Whether no other request has come behind this one, nor anything that is to be refused. */
  isLast(exchange: Exchange): boolean;
}

/**
 * Most requests that may wait. Only to fill the memory does anybody send so many ahead, or so much; the body that is
 * being read stays below it.
 */
const MOST_WAITING = 256;
const MOST_WAITING_BYTES = 1024 * 1024;

/** The pipeline of each connection. */
export function createPipelines(): (connection: Duplex) => Pipeline {
  const pipelines = new WeakMap<Duplex, Pipeline>();
  return (connection) => {
    const pipeline = pipelines.get(connection) ?? createPipeline();
    pipelines.set(connection, pipeline);
    return pipeline;
  };
}

function createPipeline(): Pipeline {
  const exchanges = new Set<Exchange>();
  let last: Exchange | undefined;
  let isClosed = false;
  let isRefused = false;
  let headBytes = 0;
  return {
    exchanges,
    add(exchange) {
      const before = last;
      last = exchange;
      exchanges.add(exchange);
      const ownBytes = headBytesOf(exchange);
      headBytes += ownBytes;
      exchange.onOver(() => {
        exchanges.delete(exchange);
        headBytes -= ownBytes;
        if (last === exchange) last = undefined;
      });
      if (exchanges.size > MOST_WAITING || headBytes + bodyBytesOf(exchanges) > MOST_WAITING_BYTES) {
        isClosed = true;
        breakOff(exchange, 'flood');
      }
      return Promise.resolve(before?.over);
    },
    isClosed: () => isClosed,
    close: () => {
      isClosed = true;
    },
    refuse: () => {
      isClosed = true;
      isRefused = true;
    },
    isLast: (exchange) => exchange === last && !isRefused,
  };
}

function headBytesOf({ request: { rawHeaders, url = '' } }: Exchange): number {
  return rawHeaders.reduce((sum, { length }) => sum + length, url.length);
}

/** What has come of bodies that nobody reads yet. */
function bodyBytesOf(exchanges: ReadonlySet<Exchange>): number {
  let sum = 0;
  for (const { request } of exchanges) sum += request.readableLength;
  return sum;
}
