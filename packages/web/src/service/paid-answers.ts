// Paid answers of this browser, so that a reload loses none. The content of the latest ones is stored; of the others
// the receipt stays as long as the service repeats an answer for its payment.
import type { PaymentReceipt } from '@grainline/client';
import type { RawAnswer, RequestSummary } from './chunk-request.ts';
import type { RecordStore } from './record-store.ts';

/** The most bytes of stored content. */
export const MOST_BYTES = 50_000_000;

/** A paid answer without its content. */
export interface PaidAnswer extends RequestSummary {
  /** Key of its request: the document, the tier and the options. */
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly paidMs: number;
  readonly receipt: PaymentReceipt;
  readonly chunkCount: number;
  /** The answer as JSON; absent when there was no room for it. */
  readonly content?: Blob | undefined;
}

/** The paid answers of one browser. */
export interface PaidAnswers {
  /** Latest first, without those that are neither stored nor repeated by the service. */
  list(lifetimeMs: number): Promise<readonly PaidAnswer[]>;
  /** Stores an answer, and removes the content of older ones that have no room any more. */
  keep(answer: RawAnswer, summary: RequestSummary): Promise<PaidAnswer>;
  forget(): Promise<void>;
}

/** Dependencies of the answers. */
export interface PaidAnswersDeps {
  readonly store: RecordStore<PaidAnswer>;
  readonly nowMs: () => number;
  readonly mostBytes?: number;
}

/** The answers in a store. Without a working store nothing is kept, and no call rejects. */
export function createPaidAnswers({ store, nowMs, mostBytes = MOST_BYTES }: PaidAnswersDeps): PaidAnswers {
  const all = async (): Promise<readonly PaidAnswer[]> => {
    const entries = await store.all().catch(() => []);
    return entries.toSorted((one, other) => other.paidMs - one.paidMs);
  };

  /** Removes the content of the oldest answers until the rest has room. */
  async function makeRoom(bytes: number, id: string): Promise<void> {
    let left = mostBytes - bytes;
    for (const entry of await all()) {
      if (entry.id === id || entry.content === undefined) continue;
      left -= entry.content.size;
      if (left < 0) await store.put({ ...entry, content: undefined });
    }
  }

  return {
    async list(lifetimeMs) {
      const isOver = ({ content, paidMs }: PaidAnswer): boolean =>
        content === undefined && nowMs() - paidMs > lifetimeMs;
      const entries = await all();
      for (const { id } of entries.filter(isOver)) await store.remove(id).catch(() => undefined);
      return entries.filter((entry) => !isOver(entry));
    },
    async keep(answer, summary) {
      const content = new Blob([JSON.stringify(answer)], { type: 'application/json' });
      const id = requestKey(summary);
      const before = (await all()).find((entry) => entry.id === id);
      const entry: PaidAnswer = {
        ...summary,
        id,
        paidMs: before?.paidMs ?? nowMs(),
        receipt: answer.payment,
        chunkCount: answer.chunks.length,
      };
      const put = async (next: PaidAnswer): Promise<PaidAnswer> => {
        await store.put(next);
        return next;
      };
      if (content.size > mostBytes) return put(entry).catch(() => entry);
      try {
        await makeRoom(content.size, id);
        return await put({ ...entry, content });
      } catch {
        // The browser has less room than the limit, or none at all.
        return put(entry).catch(() => entry);
      }
    },
    forget: () => store.clear().catch(() => undefined),
  };
}

/** The content of an answer; undefined for one without, and where the browser has lost it. */
export async function readContent({ content }: PaidAnswer): Promise<RawAnswer | undefined> {
  try {
    return content === undefined ? undefined : (JSON.parse(await content.text()) as RawAnswer);
  } catch {
    return undefined;
  }
}

/** Equal for equal documents, tiers and options, and for no others. */
export function requestKey({
  documentId,
  tier,
  options,
  reading = {},
}: Pick<RequestSummary, 'documentId' | 'tier' | 'options' | 'reading'>): string {
  const values = Object.entries(options).sort(([one], [other]) => (one < other ? -1 : 1));
  const read = Object.entries(reading);
  return JSON.stringify([documentId, tier, values, ...(read.length === 0 ? [] : [read])]);
}
