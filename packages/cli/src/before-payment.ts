// The look at a document right before it is paid for: the service asks for its price before it has seen the body, and a
// payment that is bound to a document which it then refuses is good for nothing else. What costs nothing, or is paid
// for already, is not looked at.
import type { Warning } from '@grainline/core';
import { detectKind, type ExtractErrorCode } from '@grainline/extract';
import { askInfo } from './asking.ts';
import type { CountCharacters } from './count.ts';
import { codeOf } from './errors.ts';
import { type Limits, limitsOf, optionRefusals, refusals, unknownKind } from './offer.ts';
import type { Order, Upload } from './order.ts';
import { usdc } from './budget.ts';

/** What is found. */
export interface Finding {
  /** Why the service would refuse the document; undefined when nothing speaks against it. */
  readonly refusal?: string;
  /** What to say before it is paid for. */
  readonly warning?: Warning;
}

/**
 * Looks at what is to be paid for. Rejects with the signal's reason, or with a defect.
 *
 * @param amount that is asked for it, in millionths of a USDC
 */
export type Look = (
  order: Pick<Order, 'tier' | 'source' | 'fields'>,
  amount: bigint,
  signal: AbortSignal,
) => Promise<Finding>;

/** A service that has just named a price answers at once, or does not say what it takes. */
const INFO_MS = 10_000;
/** How long a service's word on what it takes holds, in milliseconds: it may change while a server for agents runs. */
const FRESH_MS = 60_000;
/** A service that has not said it is asked again, though not for every document of a folder. */
const SILENT_MS = 5_000;

type Info = Readonly<Record<string, unknown>>;

interface Known {
  readonly info: Promise<Info>;
  untilMs: number;
}

/**
 * Looks at documents that a service would be paid for.
 *
 * @param signal of the run: ends what is asked for all documents of it
 * @param count reads a document as the service would, which takes as long as there
 */
export function createLook(remote: string, count: CountCharacters, signal: AbortSignal): Look {
  let known: Known | undefined;
  /** One question for all documents. */
  const info = (): Promise<Info> => {
    if (known !== undefined && performance.now() < known.untilMs) return known.info;
    const within = AbortSignal.any([signal, AbortSignal.timeout(INFO_MS)]);
    const asked: Known = {
      untilMs: performance.now() + FRESH_MS,
      info: askInfo(remote, within).catch(() => {
        asked.untilMs = performance.now() + SILENT_MS;
        return {};
      }),
    };
    known = asked;
    return asked.info;
  };
  return async ({ tier, source, fields }, amount, taken) => {
    const limits = limitsOf(await info(), tier);
    taken.throwIfAborted();
    const { price } = limits;
    if (price !== undefined && amount > price) return refused(priceDiffers(amount, price));
    // What is behind a link is for the service to fetch, and options beside it came before the price was asked for.
    if (!('bytes' in source)) return {};
    const [ofOptions] = optionRefusals(limits, fields);
    return ofOptions === undefined ? find(source, limits, count, taken) : refused(ofOptions);
  };
}

/** Whoever was told a price, by `--dry-run` or describe_tiers, pays no other. */
function priceDiffers(amount: bigint, price: bigint): Warning {
  const message = `The service asks for ${usdc(amount)}, and lists the tier at ${usdc(price)}. If it has just raised its price, ask again in a minute.`;
  return { code: 'price_differs', message };
}

/** Faults of a document that a service finds as well, because it reads by the same package. */
const FAULTS: ReadonlySet<string> = new Set<ExtractErrorCode | 'too_large_here'>([
  'empty_document',
  'unsupported_type',
  'corrupted',
  'encrypted',
  'no_text',
  'too_large',
  'too_complex',
  'too_large_here',
]);

async function find(
  document: Upload,
  limits: Limits,
  count: CountCharacters,
  signal: AbortSignal,
): Promise<Finding> {
  const { bytes, filename, contentType } = document;
  try {
    const kind = await detectKind(bytes, { filename, contentType });
    const [ofKind] = refusals(limits, kind, 0);
    if (ofKind !== undefined) return refused(ofKind);
    const [ofLength] = refusals(limits, kind, await count({ ...document, kind }, signal));
    return ofLength === undefined ? {} : refused(ofLength);
  } catch (error) {
    signal.throwIfAborted();
    const unknown = unknownKind(limits, error);
    if (unknown !== undefined)
      return unknown.isRefused ? refused(unknown.warning) : { warning: unknown.warning };
    const code = codeOf(error);
    if (!(error instanceof Error) || code === undefined || !FAULTS.has(code)) throw error;
    return refused({ code, message: error.message });
  }
}

function refused({ code, message }: Warning): Finding {
  return { refusal: `${message} (${code})` };
}
