// Objects in a bucket of S3, or of a service with its interface. The name of an object begins with the moment of its
// expiry, so that a listing in the order of names begins with the oldest, whether a row names them or not.
import { randomUUID } from 'node:crypto';
import { BucketError, createBucketClient } from '@grainline/pipeline/bucket';
import type { BucketSettings } from '../settings/bucket.ts';
import type { ObjectStore } from './bodies.ts';
import { StoreError } from './store.ts';

/** Most time of one attempt of a request. A body of 10 MB takes 8 s at 10 Mbit/s. */
const TIMEOUT_MS = 20_000;
const ATTEMPTS = 3;
/** Servers and database may disagree about the time, and an answer may still be sent. */
const GRACE_MS = 5 * 60_000;
/** The most objects of one listing. A sweep a minute deletes 10,000 objects at most. */
const PAGE = 1000;
const PAGES = 10;
const DELETED_AT_ONCE = 8;
/** Most bytes of a listing, whose keys have less than 200. */
const MAX_LISTING = 2 ** 20;

/** Ports of a bucket. */
export interface BucketPorts {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly pauseMs?: number;
}

/**
 * Opens a bucket, and tries to write, read and delete an object.
 *
 * @throws StoreError `bucket_unusable`
 */
export async function openBucket(settings: BucketSettings, ports: BucketPorts): Promise<ObjectStore> {
  const bucket = createBucket(settings, ports);
  const probe = new TextEncoder().encode('grainline');
  try {
    const name = await bucket.put(probe, ports.now());
    const found = await bucket.get(name);
    await bucket.remove(name);
    if (found === null || Buffer.compare(found, probe) !== 0) throw new Error('it does not keep an object');
  } catch (error) {
    const cause = error instanceof StoreError ? error.cause : error;
    const detail = cause instanceof Error ? cause.message : String(cause);
    throw new StoreError('bucket_unusable', { detail, cause });
  }
  return bucket;
}

function createBucket(settings: BucketSettings, { now, pauseMs }: BucketPorts): ObjectStore {
  const { prefix } = settings;
  const send = createRequests(settings, pauseMs);

  /** Deletes the expired objects of one listing; true when there may be more. */
  async function sweepPage(): Promise<boolean> {
    const query = new URLSearchParams({ 'list-type': '2', 'max-keys': String(PAGE), prefix });
    const listing = new TextDecoder().decode((await send('GET', `?${query.toString()}`)) ?? undefined);
    if (listing.length > MAX_LISTING) throw new Error('A listing of the bucket is too long.');
    // Names of ours hold no character that XML escapes; others are not deleted.
    const names = [...listing.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = '']) => key);
    const expired = names.filter((name) => expiryOf(name, prefix) <= now() - GRACE_MS);
    const left = [...expired];
    const worker = async (): Promise<void> => {
      for (let name = left.pop(); name !== undefined; name = left.pop()) await bucket.remove(name);
    };
    await Promise.all(Array.from({ length: DELETED_AT_ONCE }, worker));
    return expired.length === PAGE;
  }

  const bucket: ObjectStore = {
    async put(bytes, expiresMs) {
      const name = `${prefix}${stampOf(expiresMs)}-${randomUUID()}`;
      await send('PUT', name, bytes);
      return name;
    },
    get: (name) => send('GET', name),
    async remove(name) {
      await send('DELETE', name);
    },
    async check() {
      // An object that does not exist: at AWS a listing costs twelve times as much, and balancers check each second.
      await send('GET', `${prefix}ready`);
    },
    async sweep() {
      for (let page = 0; page < PAGES && (await sweepPage()); page++);
    },
  };
  return bucket;
}

type Send = (method: 'GET' | 'PUT' | 'DELETE', path: string, body?: Uint8Array) => Promise<Uint8Array | null>;

/** Creates the function that sends a request; null for a missing object. */
function createRequests(settings: BucketSettings, pauseMs: number | undefined): Send {
  const patience = { attempts: ATTEMPTS, timeoutMs: TIMEOUT_MS, pauseMs };
  const request = createBucketClient(settings.bucket, settings, patience);
  return async (method, path, body) => {
    try {
      return (await request({ method, path, body })).body;
    } catch (cause) {
      // A missing bucket is a fault, a missing object is not.
      const isObject = method !== 'PUT' && !path.startsWith('?');
      const { status, code } = cause instanceof BucketError ? cause : {};
      if (status === 404 && isObject && code !== 'NoSuchBucket') return null;
      throw new StoreError('unavailable', { cause });
    }
  };
}

/** `20261127T230501Z`: in the order of time, and without a character that an address escapes. */
function stampOf(ms: number): string {
  return new Date(ms).toISOString().replaceAll(/[-:]|\.\d+/g, '');
}

/** The moment in a name; never for the object of somebody else. */
function expiryOf(name: string, prefix: string): number {
  const stamp = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z-[0-9a-f-]{36}$/.exec(
    name.startsWith(prefix) ? name.slice(prefix.length) : '',
  );
  if (stamp === null) return Infinity;
  const [, year, month, day, hour, minute, second] = stamp;
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
}
