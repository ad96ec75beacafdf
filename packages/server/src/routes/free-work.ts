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

/** A document that neither pages nor a payment pays for: each second of its work counts as a request. */
export function chargeWork(
  startedMs: number,
  { client }: Pick<HttpRequest, 'client'>,
  { now, rate }: Pick<ServiceDeps, 'now' | 'rate'>,
): void {
  const nowMs = now();
  rate.charge(client, nowMs, Math.max(0, nowMs - startedMs) / 1000);
}
