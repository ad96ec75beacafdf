// A tier as a service offers it in `GET /`, and what the service would refuse before it looks at a document, by the same words.
import type { Warning } from '@grainline/core';
import type { Kind } from '@grainline/extract';
import { CliError } from './errors.ts';
import { isRecord } from './service.ts';
import { printable } from './terminal.ts';

/** A tier as a service offers it. */
export interface Offer {
  /** Of one document, in millionths of a USDC. */
  readonly amount: bigint;
  /** Why it cannot be had at the moment; undefined when it can. */
  readonly silence: string | undefined;
  /** The longest text that it takes. */
  readonly maxCharacters: number;
  /** Kinds of document that may be uploaded; undefined when the service does not say. */
  readonly kinds: readonly string[] | undefined;
}

/** What the service would say of a document, by the codes that it has for that. */
export function refusals({ kinds, maxCharacters }: Offer, kind: Kind, characters: number): Warning[] {
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

/**
 * Nothing of what a service says is taken for granted.
 *
 * @throws CliError `tier_unknown`, `remote_strange`
 */
export function offerOf(
  { tiers, upload_types: kinds }: Readonly<Record<string, unknown>>,
  name: string,
): Offer {
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
    kinds: Array.isArray(kinds) && kinds.every((kind) => typeof kind === 'string') ? kinds : undefined,
  };
}
