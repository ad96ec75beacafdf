// Work that no payment pays for: the free pages of a client, and the charge of its time against RATE_LIMIT.
import type { TierEntry } from '../catalog.ts';
import type { HttpRequest } from '../http/message.ts';
import { createQuota, NO_QUOTA, type Quota } from '../limits/quota.ts';
import type { RequestSource } from '../requests/chunk-request.ts';
import type { ServiceDeps } from './deps.ts';

/** The free pages of the client, for a tier that counts them. */
export function quotaOf(
  { hasQuota }: TierEntry,
  { client }: Pick<HttpRequest, 'client'>,
  deps: Pick<ServiceDeps, 'settings' | 'store' | 'now'>,
): Quota {
  const { freePagesPerDay: pages } = deps.settings;
  return hasQuota && pages !== 'off' ? createQuota(deps.store, client, pages, deps.now()) : NO_QUOTA;
}

/** Bytes of a document, or UTF-16 units of a text; 0 for a link, which the network slows down. */
export function lengthOf(source: RequestSource): number {
  if (source.kind === 'link') return 0;
  return source.kind === 'upload' ? source.upload.bytes.byteLength : source.text.length;
}

/** The time of the work for one request. */
export interface WorkTime {
  /** Begins it, once. */
  readonly onStart: () => void;
  /** Milliseconds since then; 0 before. */
  readonly elapsedMs: () => number;
  /** Charges work that neither pages nor a payment pays for: each second counts as a request. */
  readonly charge: () => void;
}

export function createWorkTime(
  { client }: Pick<HttpRequest, 'client'>,
  { now, rate }: Pick<ServiceDeps, 'now' | 'rate'>,
): WorkTime {
  let startedMs: number | undefined;
  const elapsedMs = (): number => (startedMs === undefined ? 0 : Math.max(0, now() - startedMs));
  return {
    onStart: () => void (startedMs ??= now()),
    elapsedMs,
    charge() {
      if (startedMs !== undefined) rate.charge(client, now(), elapsedMs() / 1000);
    },
  };
}
