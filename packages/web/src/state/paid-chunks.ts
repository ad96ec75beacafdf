// Paid answers that earlier visits have stored, shown on their document again.
import { effect } from '@preact/signals';
import { cutsFromChunks, fits } from '../service/answer.ts';
import { documentIdOf, readingOf, type RawAnswer, type RequestSummary } from '../service/chunk-request.ts';
import { type PaidAnswer, type PaidAnswers, readContent, requestKey } from '../service/paid-answers.ts';
import type { Signals, TierResult } from './signals.ts';

/** The service repeats an answer for its payment for an hour, unless its overview says otherwise. */
const LIFETIME_S = 3600;

/** Starts showing stored answers; `close` ends it. */
export function createPaidChunks(signals: Signals, answers: PaidAnswers) {
  const { source, tier, options, results, paidAnswers, overview } = signals;

  const refresh = async (): Promise<void> => {
    const lifetimeS = overview.peek()?.limits.result_lifetime_seconds ?? LIFETIME_S;
    paidAnswers.value = await answers.list(lifetimeS * 1000);
  };

  /** The stored answer to a request; undefined without one. */
  const find = (
    of: Pick<RequestSummary, 'documentId' | 'tier' | 'options' | 'reading'>,
  ): PaidAnswer | undefined => {
    const key = requestKey(of);
    return paidAnswers.peek().find(({ id }) => id === key);
  };

  const isShown = ({ tier: by, id }: PaidAnswer): boolean => results.peek().get(by)?.paid?.answer.id === id;

  /** Shows a stored answer on the current text, if it was cut from that text. */
  async function show(answer: PaidAnswer): Promise<void> {
    const of = source.peek();
    const raw = await readContent(answer);
    // The document may have changed meanwhile, and a bought answer may have come.
    if (raw === undefined || of === undefined || source.peek() !== of || isShown(answer)) return;
    if (!fits(raw.chunks, of.reading.text)) return;
    const { tier: by, options: made } = answer;
    const result: TierResult = {
      cuts: cutsFromChunks(raw.chunks),
      options: made,
      paid: { answer, origin: 'stored' },
    };
    signals.addResults([[by, result]]);
  }

  // Every tier shows its latest stored answer, and the chosen one that of exactly the current options.
  const close = effect(() => {
    const [of, by, chosen, stored] = [source.value, tier.value, options.value, paidAnswers.value];
    if (of === undefined || stored.length === 0) return;
    const documentId = documentIdOf(of);
    const own = stored.filter((answer) => answer.documentId === documentId && answer.content !== undefined);
    const exact = find({ documentId, tier: by, options: chosen, reading: readingOf(of) });
    const latest = [...new Map(own.toReversed().map((answer) => [answer.tier, answer])).values()];
    const missing = latest.filter((answer) => !results.peek().has(answer.tier));
    const wanted = exact === undefined ? missing : [...missing.filter((one) => one.tier !== by), exact];
    for (const answer of wanted) if (!isShown(answer)) void show(answer);
  });

  return {
    close,
    refresh,
    find,
    /** Stores a paid answer; one that cost nothing is not stored. */
    async keep(answer: RawAnswer, summary: RequestSummary): Promise<void> {
      if (!(answer.payment.amount > 0)) return;
      const kept = await answers.keep(answer, summary);
      await refresh();
      // A browser that stores nothing still has the receipt until the page is closed.
      if (find(summary) === undefined) paidAnswers.value = [kept, ...paidAnswers.peek()];
    },
    /** Removes all stored answers; what is on the screen stays. */
    forget: async (): Promise<void> => {
      await answers.forget();
      await refresh();
    },
  };
}
