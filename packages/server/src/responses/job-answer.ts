// Answers about jobs: the ticket, the state, and the answer of a finished job.
import type { JobPayload } from '../jobs/payload.ts';
import { createPaidResponse } from '../payments/paid-response.ts';
import type { ReceiptSigner } from '../payments/receipts.ts';
import type { PipelineResult } from '../sandbox/index.ts';
import type { Settings } from '../settings/settings.ts';
import type { JobSnapshot } from '../store/jobs.ts';
import type { Delivery } from '../store/responses.ts';
import { answerPieces, type AnswerPayment, writeLinkAnswer } from './answer.ts';
import { createStoredResult } from './stored-result.ts';

/**
 * The answer to a submission: the job's id and the link to its state.
 *
 * @param webhookSecret of a new job with a webhook; a repeated ticket has none
 */
export function writeTicket(id: string, origin: string, webhookSecret?: string): string {
  const ticket = { success: true, ...ticketOf(id, origin, 'processing') };
  return JSON.stringify({ ...ticket, webhook_secret: webhookSecret });
}

/** The state of a job. */
export function writeStatus({ id, state, progress, message, code }: JobSnapshot, origin: string): string {
  return JSON.stringify({
    job_id: id,
    status: state,
    progress,
    message,
    code,
    ...(state === 'completed' ? { result_id: id, download_url: `${origin}/results/${id}` } : {}),
  });
}

/** Dependencies of {@link createJobAnswer}. */
export interface JobAnswerDeps {
  readonly network: Settings['network'];
  readonly receipts?: ReceiptSigner | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** The answer of a finished job. A request that repeats the payment gets the link to the result, with the ticket. */
export async function createJobAnswer(
  id: string,
  { request, origin, amount, settlement, claims }: JobPayload,
  pipelineResult: PipelineResult,
  { network, receipts, now }: JobAnswerDeps,
): Promise<Required<Delivery>> {
  const receipt = claims && receipts?.sign(claims, pipelineResult, now());
  const payment = { amount, network, settlement: settlement && { ...settlement, receipt } };
  const pieces = answerPieces(request.tier.id, pipelineResult, payment);
  const result = await createStoredResult(id, pieces, now(), receipt);
  const link = linkWithTicket(request.tier.id, id, pipelineResult, payment, origin);
  return { result, response: await createPaidResponse({ result, link }, now()) };
}

function linkWithTicket(
  tier: string,
  id: string,
  pipelineResult: PipelineResult,
  payment: AnswerPayment,
  origin: string,
): string {
  const link = writeLinkAnswer(tier, pipelineResult, payment, `${origin}/results/${id}`);
  return `${link.slice(0, -1)},${JSON.stringify({ ...ticketOf(id, origin, 'completed'), result_id: id }).slice(1)}`;
}

function ticketOf(id: string, origin: string, status: string): object {
  return { async: true, job_id: id, status, status_url: `${origin}/job/${id}/status` };
}
