// The service's descriptions of itself: its offer, its API, its health; and the web app.
import { manifestText, quoteOf } from '../payments/discovery.ts';
import { guideText, paidResourcesText } from '../api/guide.ts';
import { descriptionText } from '../api/openapi.ts';
import { referenceText } from '../api/reference.ts';
import { sellsTiers } from '../catalog.ts';
import { HttpError } from '../errors/http-error.ts';
import type { HttpRequest, HttpReply } from '../http/message.ts';
import { prefersHtml } from '../http/negotiate.ts';
import { jsonReply, NO_STORE } from '../http/reply.ts';
import { didDocument, type ReceiptSigner } from '../payments/receipts.ts';
import { overviewText } from '../api/overview.ts';
import { isRateLimited } from '../limits/client.ts';
import type { ServiceDeps } from './deps.ts';

// GET /

/** The web app for browsers, JSON for programs. */
export function overview(httpRequest: HttpRequest, deps: ServiceDeps): HttpReply {
  if (deps.webApp !== undefined && prefersHtml(httpRequest.headers.accept))
    return deps.webApp.document(httpRequest.headers);
  const text = overviewText(deps, httpRequest.origin, isRateLimited(httpRequest, deps.settings));
  return jsonReply(200, text, { Vary: 'Accept', 'Cache-Control': 'no-cache' });
}

// GET /openapi.json

export function description({ origin }: HttpRequest, { deployment, version }: ServiceDeps): HttpReply {
  return jsonReply(200, descriptionText(deployment, version, origin), { 'Cache-Control': 'no-cache' });
}

// GET /llms.txt

export function guide({ origin }: HttpRequest, { deployment }: ServiceDeps): HttpReply {
  return { status: 200, headers: PLAIN_TEXT, body: guideText(deployment, origin) };
}

// GET /llms-full.txt

export function reference({ origin }: HttpRequest, { deployment }: ServiceDeps): HttpReply {
  return { status: 200, headers: PLAIN_TEXT, body: referenceText(deployment, origin) };
}

const PLAIN_TEXT = { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-cache' } as const;

// GET /assets/{name}

export function pageFile(httpRequest: HttpRequest, { webApp }: ServiceDeps, name: string): HttpReply {
  const reply = webApp?.file(name, httpRequest.headers);
  if (reply === undefined) throw new HttpError('not_found');
  return reply;
}

// GET /health, GET /ready

/** Depends on nothing, so it answers while everything else is at its limit. */
export function health(_: HttpRequest, { settings }: ServiceDeps): HttpReply {
  return jsonReply(200, JSON.stringify({ status: 'healthy', network: settings.network }), NO_STORE);
}

export async function ready(_: HttpRequest, { store, phase, awaited }: ServiceDeps): Promise<HttpReply> {
  if (phase() !== 'serving') throw new HttpError('shutting_down');
  const names = awaited();
  if (names.length > 0)
    throw new HttpError('not_ready', {
      detail: `the service has just started and waits for the first answer of ${names.join(' and ')}`,
      retryAfterS: 1,
    });
  try {
    await store.ping();
  } catch (cause) {
    throw new HttpError('not_ready', { detail: 'the store does not answer, or its disk is full', cause });
  }
  return jsonReply(200, JSON.stringify({ status: 'ready' }), NO_STORE);
}

// GET /.well-known/jwks.json, GET /.well-known/did.json

/** The keys of receipts. */
export function receiptKeys(_: HttpRequest, { receipts }: ServiceDeps): HttpReply {
  return jsonReply(200, JSON.stringify(required(receipts).keys), { 'Cache-Control': 'no-cache' });
}

/** The same keys under the decentralised identifier by which receipts name them. */
export function receiptIdentity({ origin }: HttpRequest, { receipts }: ServiceDeps): HttpReply {
  return jsonReply(200, JSON.stringify(didDocument(required(receipts), origin)), {
    'Cache-Control': 'no-cache',
  });
}

function required(receipts: ServiceDeps['receipts']): ReceiptSigner {
  if (receipts === undefined)
    throw new HttpError('not_found', { detail: ', as this service signs no receipts' });
  return receipts;
}

// GET /.well-known/x402, GET /.well-known/x402.json

export function paidResources({ origin }: HttpRequest, { deployment }: ServiceDeps): HttpReply {
  const text = paidResourcesText(deployment, origin);
  if (text === undefined) throw new HttpError('not_found', { detail: ', as nothing is sold here' });
  return jsonReply(200, text, { 'Cache-Control': 'no-cache' });
}

export function paymentManifest(
  { origin }: HttpRequest,
  { deployment, payments, now }: ServiceDeps,
): HttpReply {
  if (!sellsTiers(deployment)) throw new HttpError('not_found', { detail: ', as nothing is sold here' });
  const text = manifestText(deployment, origin, now(), (tier, resource) => {
    const request = { resource, mimeType: 'application/json', binding: { template: {} } };
    const accepts = payments.offer(quoteOf(tier), request).required?.['accepts'];
    return Array.isArray(accepts) ? accepts : [];
  });
  return jsonReply(200, text, { 'Cache-Control': 'no-cache' });
}
