// Warnings about pages that OCR read with low confidence, or not at all.
import type { Warning } from '@grainline/core';
import { ExtractError } from '../../../errors.ts';

/**
 * Text below this confidence is not believed. Handwriting has 0.31 to 0.38 with Tesseract, a page on its side 0.44 to
 * 0.47, noise below 0.5; the poorest printed page of the corpus has 0.87.
 */
export const LEAST_CONFIDENCE = 0.6;
/** Text below this confidence has a warning, and its page is tried in the other directions too. */
export const LOW_CONFIDENCE = 0.8;

/** Confidences by the numbers of their pages. */
export type Confidences = ReadonlyMap<number, number>;

/** Most pages that a message names. */
const MAX_NAMED = 10;

/** The warning for pages that were read with a low confidence. */
export function uncertainPages(read: Confidences): Warning[] {
  const low = [...read].filter(([, confidence]) => confidence < LOW_CONFIDENCE);
  if (low.length === 0) return [];
  const message = `OCR is not certain of its text: ${named(low)}. Compare it with the original, or scan at 300 dpi.`;
  return [{ code: 'ocr_uncertain', message }];
}

/** The warning for pages whose text OCR could not read; it is left out. */
export function unreadablePages(unreadable: Confidences): Warning[] {
  if (unreadable.size === 0) return [];
  const message = `OCR found no text that it can read: ${named([...unreadable])}. Handwriting and pictures without text are not read.`;
  return [{ code: 'ocr_unreadable', message }];
}

/** The error of a document of which OCR can read nothing. */
export function unreadableScan(pages: number, confidence: number): ExtractError {
  const detail = `its confidence is ${percent(confidence)}, and at least ${percent(LEAST_CONFIDENCE)} is needed`;
  return new ExtractError('unreadable_scan', { pages, detail });
}

function named(pages: readonly (readonly [number, number])[]): string {
  const shown = pages
    .slice(0, MAX_NAMED)
    .map(([page, confidence]) => `page ${page} (${percent(confidence)})`);
  return `${shown.join(', ')}${pages.length > MAX_NAMED ? ', …' : ''}`;
}

function percent(share: number): string {
  return `${Math.floor(share * 100)} %`;
}
