// Stored results and jobs. Their ids are keys, so they must not be guessable.
import { HttpError } from '../errors/http-error.ts';
import type { HttpRequest, HttpReply } from '../http/message.ts';
import { jsonReply, NO_STORE } from '../http/reply.ts';
import { writeStatus } from '../responses/job-answer.ts';
import { resultReply } from '../responses/stored-result.ts';
import type { StoredResult } from '../store/responses.ts';
import type { JobSnapshot } from '../store/jobs.ts';
import type { ServiceDeps } from './deps.ts';

/** The form of ids of results and of their jobs. */
const RESULT_ID = /^[a-z][a-z-]{0,31}_[0-9a-f]{12}$/;

export async function result(httpRequest: HttpRequest, deps: ServiceDeps, id: string): Promise<HttpReply> {
  assertNotGuessing(httpRequest, deps);
  const stored = RESULT_ID.test(id) ? await deps.store.getResult(id) : null;
  return stored === null ? miss('result_not_found', httpRequest, deps) : resultReply(stored, httpRequest);
}

/** The stored result of an id. @throws HttpError `result_gone`, `result_not_found`, `too_many_misses` */
export async function findStored(
  httpRequest: HttpRequest,
  deps: ServiceDeps,
  id: string,
): Promise<StoredResult> {
  assertNotGuessing(httpRequest, deps);
  const isId = RESULT_ID.test(id);
  const stored = isId ? await deps.store.getResult(id) : null;
  if (stored !== null) return stored;
  if (isId && (await deps.store.hasExpired(id))) throw new HttpError('result_gone');
  return miss('result_not_found', httpRequest, deps);
}

/** The receipt of a paid result, as it was signed. */
export async function resultReceipt(
  httpRequest: HttpRequest,
  deps: ServiceDeps,
  id: string,
): Promise<HttpReply> {
  const { receipt } = await findStored(httpRequest, deps, id);
  if (receipt === undefined)
    throw new HttpError('not_found', {
      detail: ', as this result has no receipt: only paid ones have, with RECEIPT_KEY_FILE',
    });
  return { status: 200, headers: { ...NO_STORE, 'Content-Type': 'application/jose' }, body: receipt };
}

export async function deleteResult(
  httpRequest: HttpRequest,
  deps: ServiceDeps,
  id: string,
): Promise<HttpReply> {
  assertNotGuessing(httpRequest, deps);
  const deleted = RESULT_ID.test(id) && (await deps.store.deleteResult(id));
  return deleted ? { status: 204, headers: NO_STORE } : miss('result_not_found', httpRequest, deps);
}

// GET /job/{id}/status; GET, DELETE /job/{id}/result

export async function jobStatus(httpRequest: HttpRequest, deps: ServiceDeps, id: string): Promise<HttpReply> {
  const job = await findJob(httpRequest, deps, id);
  return jsonReply(200, writeStatus(job, httpRequest.origin), NO_STORE);
}

export async function jobResult(httpRequest: HttpRequest, deps: ServiceDeps, id: string): Promise<HttpReply> {
  assertHasResult(await findJob(httpRequest, deps, id));
  return result(httpRequest, deps, id);
}

export async function deleteJobResult(
  httpRequest: HttpRequest,
  deps: ServiceDeps,
  id: string,
): Promise<HttpReply> {
  assertHasResult(await findJob(httpRequest, deps, id));
  return deleteResult(httpRequest, deps, id);
}

async function findJob(httpRequest: HttpRequest, deps: ServiceDeps, id: string): Promise<JobSnapshot> {
  assertNotGuessing(httpRequest, deps);
  const job = RESULT_ID.test(id) ? await deps.store.jobStatus(id) : null;
  return job ?? miss('job_not_found', httpRequest, deps);
}

/** @throws HttpError `job_not_completed`, `job_failed` */
function assertHasResult({ state, code, message, progress }: JobSnapshot): void {
  if (state === 'processing') throw new HttpError('job_not_completed', { limit: { progress } });
  if (state === 'failed') throw new HttpError('job_failed', { detail: message, limit: { code: code ?? '' } });
}

function assertNotGuessing({ client }: HttpRequest, { notFoundLimit, now }: ServiceDeps): void {
  notFoundLimit.assertWithin(client, now());
}

function miss(
  code: 'result_not_found' | 'job_not_found',
  { client }: HttpRequest,
  { notFoundLimit, now }: ServiceDeps,
): never {
  notFoundLimit.record(client, now());
  throw new HttpError(code);
}
