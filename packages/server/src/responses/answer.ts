// Answers in the form of the wire. The chunks are finished JSON text and are inserted unparsed.
import type { ChainPayment } from '../payments/paid-response.ts';
import { RESULT_LIFETIME } from '../store/result-id.ts';
import type { Settings } from '../settings/settings.ts';
import type { PipelineResult } from '../sandbox/index.ts';

/** Answers with this many chunks or more carry a link in place of the chunks. */
export const LINK_FROM_CHUNKS = 100;

/** The `payment` of an answer. */
export interface AnswerPayment {
  /** Amount in the asset's smallest unit; 0 for what is free. */
  readonly amount: bigint;
  readonly network: Settings['network'];
  /** The payment, when one was made. */
  readonly settlement?: ChainPayment | undefined;
}

/** The full answer as one text. */
export function writeAnswer(tier: string, pipelineResult: PipelineResult, payment: AnswerPayment): string {
  return answerPieces(tier, pipelineResult, payment).join('');
}

/** The full answer in pieces, for the store: one text would be a second copy of nearly all of it. */
export function answerPieces(
  tier: string,
  pipelineResult: PipelineResult,
  payment: AnswerPayment,
): readonly string[] {
  const head = {
    success: true,
    tier,
    total_chunks: pipelineResult.totalChunks,
    metadata: pipelineResult.metadata,
  };
  return [open(head), ',', pipelineResult.members, ',', close(tailOf(pipelineResult, payment))];
}

/** The answer that carries a link in place of the chunks. */
export function writeLinkAnswer(
  tier: string,
  pipelineResult: PipelineResult,
  payment: AnswerPayment,
  downloadUrl: string,
): string {
  const head = {
    success: true,
    tier,
    total_chunks: pipelineResult.totalChunks,
    metadata: pipelineResult.metadata,
  };
  return JSON.stringify({
    ...head,
    download_url: downloadUrl,
    expires_in: RESULT_LIFETIME,
    ...tailOf(pipelineResult, payment),
  });
}

function tailOf({ warnings }: PipelineResult, { amount, network, settlement }: AnswerPayment): object {
  const payment = { amount: Number(amount), asset: 'USDC', network, ...settlement };
  return { payment, ...(warnings.length === 0 ? undefined : { warnings }) };
}

/** An object's JSON without its last or its first brace. Neither object is ever empty. */
const open = (head: object): string => JSON.stringify(head).slice(0, -1);
const close = (tail: object): string => JSON.stringify(tail).slice(1);
