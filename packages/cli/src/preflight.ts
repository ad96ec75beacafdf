// A look at a document before it is paid for: the service asks for its price before it has seen the body, and a payment that is
// bound to a document which it then refuses is good for nothing else.
import { detectKind, extract, ExtractError } from '@grainline/extract';
import type { ServicePlace } from './arguments.ts';
import { CliError } from './errors.ts';
import { type Offer, offerOf, refusals } from './offer.ts';
import { askInfo, type Upload } from './service.ts';

/** Rejects with `not_paid` where the service would refuse the document for what it is; nothing was sent then. */
export type Preflight = (tier: string, document: Upload, signal: AbortSignal) => Promise<void>;

/**
 * Looks at documents that are to be sent to a service.
 *
 * @param readsAll whether each is read as the service would, which takes as long as there; else its kind alone is looked at
 */
export function createPreflight({ remote, wallet }: ServicePlace, readsAll: boolean): Preflight {
  let asked: { readonly answer: Promise<Record<string, unknown>>; readonly by: AbortSignal } | undefined;
  /** One question for all documents; undefined when the service does not answer. */
  async function info(signal: AbortSignal): Promise<Record<string, unknown> | undefined> {
    for (;;) {
      const question = (asked ??= { answer: askInfo(remote, signal), by: signal });
      const known = await question.answer.catch(() => {
        if (asked === question) asked = undefined;
        return undefined;
      });
      signal.throwIfAborted();
      // Whoever asked for all may have gone.
      if (known !== undefined || !question.by.aborted) return known;
    }
  }
  return async (tier, document, signal) => {
    if (wallet === undefined) return;
    const offer = knownOffer(await info(signal), tier);
    if (offer !== undefined && offer.amount > 0n) await look(document, offer, readsAll, signal);
  };
}

/** What a service does not tell of itself, it says when it is asked. */
function knownOffer(info: Record<string, unknown> | undefined, tier: string): Offer | undefined {
  try {
    return info && offerOf(info, tier);
  } catch {
    return undefined;
  }
}

async function look(
  { bytes, filename, contentType }: Upload,
  offer: Offer,
  readsAll: boolean,
  signal: AbortSignal,
): Promise<void> {
  const hints = { filename, contentType };
  try {
    const kind = await detectKind(bytes, hints);
    const [ofKind] = refusals(offer, kind, 0);
    if (ofKind !== undefined)
      throw new CliError('not_paid', { detail: `${ofKind.message} (${ofKind.code})` });
    if (!readsAll) return;
    const { text } = await extract(bytes, { ...hints, kind, signal });
    const [ofLength] = refusals(offer, kind, text.length);
    if (ofLength !== undefined)
      throw new CliError('not_paid', { detail: `${ofLength.message} (${ofLength.code})` });
  } catch (error) {
    if (!(error instanceof ExtractError)) throw error;
    throw new CliError('not_paid', { detail: `${error.message} (${error.code})`, cause: error });
  }
}
