// What the service says of itself: what it offers, how it is asked, whether it is well; and the page.
import { guideText, paidResourcesText } from '../api/guide.ts';
import { descriptionText } from '../api/openapi.ts';
import { referenceText } from '../api/reference.ts';
import { Fault } from '../errors.ts';
import type { Intake, Reply } from '../http/intake.ts';
import { prefersPage } from '../http/negotiate.ts';
import { jsonReply, NO_STORE } from '../http/respond.ts';
import { overviewText } from '../overview.ts';
import type { Service } from './service.ts';

// GET /

/** The page for browsers, JSON for programs. */
export function overview(intake: Intake, service: Service): Reply {
  if (service.page !== undefined && prefersPage(intake.headers.accept))
    return service.page.document(intake.headers);
  const text = overviewText(service, intake.origin);
  return jsonReply(200, text, { Vary: 'Accept', 'Cache-Control': 'no-cache' });
}

// GET /openapi.json

export function description({ origin }: Intake, { deployment, version }: Service): Reply {
  return jsonReply(200, descriptionText(deployment, version, origin), { 'Cache-Control': 'no-cache' });
}

// GET /llms.txt

export function guide({ origin }: Intake, { deployment }: Service): Reply {
  return { status: 200, headers: PLAIN_TEXT, body: guideText(deployment, origin) };
}

// GET /llms-full.txt

export function reference({ origin }: Intake, { deployment }: Service): Reply {
  return { status: 200, headers: PLAIN_TEXT, body: referenceText(deployment, origin) };
}

const PLAIN_TEXT = { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-cache' } as const;

// GET /assets/{name}

export function pageFile(intake: Intake, { page }: Service, name: string): Reply {
  const reply = page?.file(name, intake.headers);
  if (reply === undefined) throw new Fault('not_found');
  return reply;
}

// GET /health, GET /ready

/** Touches nothing, so that it answers while everything else is at its limit. */
export function health(_: Intake, { settings }: Service): Reply {
  return jsonReply(200, JSON.stringify({ status: 'healthy', network: settings.network }), NO_STORE);
}

export async function ready(_: Intake, { store, phase, awaited }: Service): Promise<Reply> {
  if (phase() !== 'serving') throw new Fault('shutting_down');
  const names = awaited();
  if (names.length > 0)
    throw new Fault('not_ready', {
      detail: `the service has just started and waits for the first answer of ${names.join(' and ')}`,
      retryAfterS: 1,
    });
  try {
    await store.ping();
  } catch (cause) {
    throw new Fault('not_ready', { detail: 'the store does not answer, or its disk is full', cause });
  }
  return jsonReply(200, JSON.stringify({ status: 'ready' }), NO_STORE);
}

// GET /.well-known/x402

export function paidResources({ origin }: Intake, { deployment }: Service): Reply {
  const text = paidResourcesText(deployment, origin);
  if (text === undefined) throw new Fault('not_found', { detail: ', as nothing is sold here' });
  return jsonReply(200, text, { 'Cache-Control': 'no-cache' });
}
