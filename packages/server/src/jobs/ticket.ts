// What clients are told of jobs: the ticket, the state, and what a payment has bought once its job is done.
import { linkText, type Payment } from '../http/respond.ts';
import type { JobStatus } from '../store/jobs.ts';
import type { Finished } from '../workplace/index.ts';

/** The answer to a submission: under which id the job is asked about. */
export function ticketText(id: string, origin: string): string {
  return JSON.stringify({ success: true, ...ticketOf(id, origin, 'processing') });
}

/** How far a job is. */
export function statusText({ id, state, progress, message, code }: JobStatus, origin: string): string {
  return JSON.stringify({
    job_id: id,
    status: state,
    progress,
    message,
    ...(code === undefined ? {} : { code }),
    ...(state === 'completed' ? { result_id: id, download_url: `${origin}/results/${id}` } : {}),
  });
}

/** What the payment of a job has bought, for whoever shows it again: the link to the result, with the ticket. */
export function boughtText(
  tier: string,
  id: string,
  finished: Finished,
  payment: Payment,
  origin: string,
): string {
  const link = linkText(tier, finished, payment, `${origin}/results/${id}`);
  return `${link.slice(0, -1)},${JSON.stringify({ ...ticketOf(id, origin, 'completed'), result_id: id }).slice(1)}`;
}

function ticketOf(id: string, origin: string, status: string): object {
  return { async: true, job_id: id, status, status_url: `${origin}/job/${id}/status` };
}
