// `--dry-run --remote`: what a run over a service would cost, and what the service would refuse. Documents are read and counted
// here; the service is asked for its prices, and gets nothing else.
import type { Warning } from '@grainline/core';
import { detectKind, type Kind } from '@grainline/extract';
import type { ChunkRequest, Cutting, RemoteCutting } from './arguments.ts';
import { cutHere, type CuttingParts } from './cut-here.ts';
import { CliError } from './errors.ts';
import type { Remote } from './remote.ts';
import { askInfo, isRecord, usdc } from './service.ts';
import { counted, printable } from './terminal.ts';

/** A tier as a service offers it. */
interface Offer {
  /** Of one document, in millionths of a USDC. */
  readonly amount: bigint;
  /** Why it cannot be had at the moment; undefined when it can. */
  readonly silence: string | undefined;
  /** The longest text that it takes. */
  readonly maxCharacters: number;
  /** Kinds of document that may be uploaded; undefined when the service does not say. */
  readonly kinds: readonly unknown[] | undefined;
}

/**
 * Opens a service for a run that sends nothing.
 *
 * Rejects with a CliError, `tier_unknown` among them, or the signal's reason.
 */
export async function rehearse(
  request: ChunkRequest,
  { remote, tier }: RemoteCutting,
  cutting: Cutting,
  parts: CuttingParts,
): Promise<Remote> {
  const offer = offerOf(await askInfo(remote, parts.io.signal), tier);
  const { amount, silence } = offer;
  const cut = cutHere(request, cutting, parts);
  let documents = 0;
  return {
    async cut(bytes, inputHash, input) {
      const result = await cut(bytes, inputHash, input);
      documents++;
      const kind = await detectKind(bytes, { filename: input.filename, contentType: request.contentType });
      const refused = refusals(offer, kind, result.counts.characters);
      return { ...result, warnings: [...result.warnings, ...refused] };
    },
    summary() {
      const number = counted(documents, 'document');
      const cost = amount === 0n ? 'nothing' : `${usdc(amount * BigInt(documents))}, ${usdc(amount)} each`;
      const sum = `${number} by the tier ${tier} would cost ${cost}. Nothing was sent.`;
      const ours = cutting.options.tier;
      const counts = tier === ours ? [] : [`Chunks are counted as the tier ${ours} makes them here.`];
      const silent = silence === undefined ? [] : [`The tier ${tier} cannot be had now: ${silence}`];
      return [sum, ...counts, ...silent];
    },
  };
}

/** What the service would say of a document, by the codes that it has for that. */
function refusals({ kinds, maxCharacters }: Offer, kind: Kind, characters: number): Warning[] {
  const warnings: Warning[] = [];
  if (kinds !== undefined && !kinds.includes(kind))
    warnings.push({
      code: 'unsupported_type',
      message: `The service would refuse it: it takes uploads of ${kinds.join(', ')}, and this is ${kind}.`,
    });
  if (characters > maxCharacters)
    warnings.push({
      code: 'too_many_characters',
      message: `The service would refuse it: the tier takes at most ${maxCharacters} characters.`,
    });
  return warnings;
}

/** Nothing of what a service says is taken for granted. */
function offerOf({ tiers, upload_types: kinds }: Readonly<Record<string, unknown>>, name: string): Offer {
  const entries = Array.isArray(tiers) ? tiers.filter(isRecord) : [];
  const entry = entries.find(({ id, path }) => id === name || path === `/chunk/${name}`);
  if (entry === undefined) {
    const names = entries.flatMap(({ id }) => (typeof id === 'string' ? [id] : []));
    throw new CliError('tier_unknown', { detail: `${name}; it has ${names.join(', ') || 'none'}` });
  }
  const { amount, available, reason, max_characters: most } = entry;
  if (typeof amount !== 'number' || !Number.isSafeInteger(amount) || amount < 0)
    throw new CliError('remote_strange', { detail: `it names no price of the tier ${name}` });
  return {
    amount: BigInt(amount),
    silence:
      available === true ? undefined : typeof reason === 'string' ? printable(reason) : 'no reason is given',
    maxCharacters: typeof most === 'number' ? most : Infinity,
    kinds: Array.isArray(kinds) ? kinds : undefined,
  };
}
