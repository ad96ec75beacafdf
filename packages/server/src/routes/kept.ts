// What is kept for its owner: results behind links, and jobs. Whoever has the id may have it, so that ids must not be
// guessed.
import { Fault } from '../errors.ts';
import type { Intake, Reply } from '../http/intake.ts';
import { jsonReply, NO_STORE } from '../http/respond.ts';
import { statusText } from '../jobs/ticket.ts';
import { resultReply } from '../results.ts';
import type { JobStatus } from '../store/jobs.ts';
import type { Service } from './service.ts';

/** Of results, and of the jobs that they come of. */
const RESULT_ID = /^[a-z][a-z-]{0,31}_[0-9a-f]{12}$/;

export async function result(intake: Intake, service: Service, id: string): Promise<Reply> {
  refuseGuesser(intake, service);
  const stored = RESULT_ID.test(id) ? await service.store.getResult(id) : null;
  return stored === null ? miss('result_not_found', intake, service) : resultReply(stored, intake);
}

export async function deleteResult(intake: Intake, service: Service, id: string): Promise<Reply> {
  refuseGuesser(intake, service);
  const deleted = RESULT_ID.test(id) && (await service.store.deleteResult(id));
  return deleted ? { status: 204, headers: NO_STORE } : miss('result_not_found', intake, service);
}

// GET /job/{id}/status; GET, DELETE /job/{id}/result

export async function jobStatus(intake: Intake, service: Service, id: string): Promise<Reply> {
  const job = await findJob(intake, service, id);
  return jsonReply(200, statusText(job, intake.origin), NO_STORE);
}

export async function jobResult(intake: Intake, service: Service, id: string): Promise<Reply> {
  refuseWithoutResult(await findJob(intake, service, id));
  return result(intake, service, id);
}

export async function deleteJobResult(intake: Intake, service: Service, id: string): Promise<Reply> {
  refuseWithoutResult(await findJob(intake, service, id));
  return deleteResult(intake, service, id);
}

async function findJob(intake: Intake, service: Service, id: string): Promise<JobStatus> {
  refuseGuesser(intake, service);
  const job = RESULT_ID.test(id) ? await service.store.jobStatus(id) : null;
  return job ?? miss('job_not_found', intake, service);
}

/** @throws Fault `job_not_completed`, `job_failed` */
function refuseWithoutResult({ state, code, message, progress }: JobStatus): void {
  if (state === 'processing') throw new Fault('job_not_completed', { limit: { progress } });
  if (state === 'failed') throw new Fault('job_failed', { detail: message, limit: { code: code ?? '' } });
}

function refuseGuesser({ client }: Intake, { misses, now }: Service): void {
  misses.refuseGuesser(client, now());
}

function miss(
  code: 'result_not_found' | 'job_not_found',
  { client }: Intake,
  { misses, now }: Service,
): never {
  misses.record(client, now());
  throw new Fault(code);
}
