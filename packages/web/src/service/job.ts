// The running job of the service. Its id and its request, without the document's text, are stored in the browser and
// survive a reload.
import type { ControlValues } from '../document/options.ts';
import type { RequestSummary } from './chunk-request.ts';

/** A job of this browser with its request. */
export interface StoredJob extends RequestSummary {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly begunMs: number;
}

/** Storage between visits: `localStorage`, or a stand-in without memory. */
export type BrowserStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

const KEY = 'grainline.job';
/** The service deletes results after an hour, so an older job has none. */
const LIFETIME_MS = 2 * 60 * 60 * 1000;

/** The stored job; undefined without one, and for an old one. */
export function storedJob(storage: BrowserStorage, nowMs: number): StoredJob | undefined {
  try {
    const kept = JSON.parse(storage.getItem(KEY) ?? 'null') as Partial<
      Record<keyof StoredJob, unknown>
    > | null;
    const { id, tier, filename, documentId = '', options, begunMs } = kept ?? {};
    const isJob =
      [id, tier, filename, documentId].every((text) => typeof text === 'string') && isControlValues(options);
    if (!isJob || typeof begunMs !== 'number' || nowMs - begunMs > LIFETIME_MS) return undefined;
    return { ...(kept as StoredJob), documentId: documentId as string };
  } catch {
    return undefined;
  }
}

function isControlValues(value: unknown): boolean {
  const { size, overlap, unit } = Object(value) as Partial<Record<keyof ControlValues, unknown>>;
  return typeof size === 'number' && typeof overlap === 'number' && typeof unit === 'string';
}

/** Stores or removes the job. In a browser without storage it lives as long as the page. */
export function storeJob(storage: BrowserStorage, job: StoredJob | undefined): void {
  try {
    if (job === undefined) storage.removeItem(KEY);
    else storage.setItem(KEY, JSON.stringify(job));
  } catch {
    // Without storage the page works on.
  }
}
