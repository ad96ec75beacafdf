// A tier in `GET /`, and the documents that the service would reject after the payment, with its own codes.
import { createClient, type Overview, type ServiceTier } from '@grainline/client';
import type { Warning } from '@grainline/core';
import { ExtractError, type Kind, READERS } from '@grainline/extract';
import { explained } from './service-errors.ts';

/** The limits of a tier on uploads. */
export interface UploadLimits {
  /** The longest text. */
  readonly maxCharacters: number;
  /** Kinds of documents; undefined when the service lists none. */
  readonly kinds: readonly string[] | undefined;
  /** Most scanned pages that OCR of the service reads; 0 without OCR. */
  readonly maxScannedPages: number;
}

/** The overview of a service. Rejects with a CliError, or the signal's reason. */
export async function readOverview(remote: string, signal: AbortSignal, tries?: number): Promise<Overview> {
  try {
    return await createClient({ url: remote }).overview({ signal, tries });
  } catch (error) {
    throw explained(error, { remote, wallet: undefined });
  }
}

/** The expected rejections of a document. */
export function refusals({ kinds, maxCharacters }: UploadLimits, kind: Kind, characters: number): Warning[] {
  const warnings: Warning[] = [];
  if (kinds !== undefined && !kinds.includes(kind))
    warnings.push({
      code: 'unsupported_type',
      message: `The service would refuse it: it takes uploads of ${listed(kinds)}, and this is ${kind}. Convert it, or have it cut on this machine.`,
    });
  if (characters > maxCharacters)
    warnings.push({
      code: 'too_many_characters',
      message: `The service would refuse it: the tier takes at most ${maxCharacters} characters, and this has ${characters}. Send it in parts, take another tier, or have it cut on this machine.`,
    });
  return warnings;
}

/**
 * The warning for a document of an unknown kind. A service with further kinds, or without a list of them, may know it.
 *
 * @param error of `detectKind`; for other errors the result is undefined
 */
export function unknownKind(
  { kinds }: UploadLimits,
  error: unknown,
): { readonly isRefused: boolean; readonly warning: Warning } | undefined {
  if (!(error instanceof ExtractError) || error.code !== 'unsupported_type') return undefined;
  const { code, found = 'it is of none' } = error;
  const known: readonly string[] = READERS.map(({ kind }) => kind);
  if (kinds?.every((kind) => known.includes(kind)) === true) {
    const message = `The service would refuse it: it takes uploads of ${listed(kinds)}, and this is none of them: ${found}. Convert it.`;
    return { isRefused: true, warning: { code, message } };
  }
  const takes = kinds === undefined ? '' : `, which takes ${listed(kinds)}`;
  const message = `What kind of document this is cannot be told here (${found}), so that is left to the service${takes}. One that it refuses is paid for all the same.`;
  return { isRefused: false, warning: { code: 'kind_unknown', message } };
}

/**
 * The warning for a scan that a service with OCR reads, or that has too many pages for it; undefined for other errors
 * of `extract`, and for a service without OCR.
 */
export function unreadScan(
  { maxScannedPages }: UploadLimits,
  error: unknown,
): ReturnType<typeof unknownKind> {
  const { code, pages = 0 } = Object(error) as { readonly code?: unknown; readonly pages?: number };
  if (code !== 'no_text' || maxScannedPages === 0) return undefined;
  if (pages > maxScannedPages) {
    const message = `The service would refuse it: the tier reads at most ${maxScannedPages} scanned pages, and this has ${pages}. Send it in parts, or have it cut on this machine with --ocr.`;
    return { isRefused: true, warning: { code: 'too_many_scanned_pages', message } };
  }
  const message =
    'It is a scan, which the service reads by OCR. One that has no text that can be read is paid for all the same.';
  return { isRefused: false, warning: { code: 'scan_unread', message } };
}

/** The tier of this name or path; undefined without one. */
export function findTier({ tiers = [] }: Partial<Overview>, name: string): ServiceTier | undefined {
  return tiers.find(({ id, path }) => id === name || path === `/chunk/${name}`);
}

/** The listed limits on the uploads of a tier. */
export function limitsOf(
  { upload_types: kinds }: Partial<Overview>,
  tier: ServiceTier | undefined,
): UploadLimits {
  const isList = Array.isArray(kinds) && kinds.every((kind) => typeof kind === 'string');
  return {
    maxCharacters: tier?.max_characters ?? Infinity,
    kinds: isList ? kinds : undefined,
    maxScannedPages: tier?.max_scanned_pages ?? 0,
  };
}

const MOST_LISTED = 20;

/** The list of a service may have any length. */
function listed(kinds: readonly string[]): string {
  const [first, more] = [kinds.slice(0, MOST_LISTED), kinds.length - MOST_LISTED];
  return `${first.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
