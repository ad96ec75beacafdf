// Errors that no other worker and no later run would avoid.
import { ChunkError } from '@grainline/core';
import { ExtractError } from '@grainline/extract';
import { StepError, type StepErrorCode } from './step.ts';

/** Errors that another worker, or another step of the document, ends. */
const PASSING: readonly StepErrorCode[] = ['other_settings', 'missing_results'];

/**
 * True for an error of the document itself: it cannot be read or cut, whatever runs the step again. Engines fail its
 * job at once. Every other error is tried again.
 */
export function isPermanent(error: unknown): boolean {
  if (error instanceof StepError) return !PASSING.includes(error.code);
  return error instanceof ExtractError || error instanceof ChunkError || error instanceof RangeError;
}
