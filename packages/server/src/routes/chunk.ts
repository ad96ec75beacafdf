// POST /chunk, POST /chunk/{tier}: the whole path of a request for chunks, to be read downwards.
//
//   chunk:     refuse what cannot be had → meet the tier's terms → wait for a place → read the document
//              → give away, or sell
//   give away: work → charge the free pages → deliver
//   sell:      bind the payment to the document → work → commit the answer with the payment → deliver;
//              what the payment has bought before is given again
//
// Of a tier that runs as a job, what follows is to submit it; jobs/ works on it.
import { refuseIllFormed } from '@grainline/core';
import { type ChunkFields, defaultFields } from '../api/fields.ts';
import { findTier, isSold, tierNames, type TierEntry } from '../catalog.ts';
import { parseLink } from '../download/link.ts';
import { Fault } from '../errors.ts';
import type { Intake, Reply } from '../http/intake.ts';
import {
  announcedBytes,
  bodyKind,
  type BodyKind,
  maxBodyBytes,
  openUploadOrder,
  type Order,
  readJsonOrder,
} from '../http/order.ts';
import {
  answerParts,
  answerText,
  jsonReply,
  LINK_FROM_CHUNKS,
  linkText,
  NO_STORE,
  type Payment,
} from '../http/respond.ts';
import { ticketText } from '../jobs/ticket.ts';
import { createQuota, NO_QUOTA, type Quota } from '../limits/quota.ts';
import { type Fulfilment, hasProof, type Receipt, type Sale, VARY } from '../payments/sale.ts';
import { decompressed, resultPath, storedResult } from '../results.ts';
import type { Settings } from '../settings/settings.ts';
import { work } from '../work.ts';
import { type Finished, refuseLongText } from '../workplace/index.ts';
import { refuseSilent, refuseUnavailable } from './availability.ts';
import type { Service } from './service.ts';

/** A request for chunks, and what it is served with. */
interface ChunkRequest {
  readonly intake: Intake;
  readonly service: Service;
  /** The tier that the path names; without it the body does. */
  readonly pathTier: TierEntry | undefined;
  readonly sale: Sale;
}

export function chunk(intake: Intake, service: Service): Promise<Reply> {
  return serve(intake, service, undefined);
}

export function chunkUpload(intake: Intake, service: Service, tierName: string): Promise<Reply> {
  const tier = findTier(service.deployment, tierName);
  if (tier === undefined) {
    const names = tierNames(service.deployment).join(', ');
    throw new Fault('not_found', { detail: `, as the tiers here are ${names}` });
  }
  return serve(intake, service, tier);
}

/**
 * Serves a request for chunks. When its path names the tier, a payment is asked for and looked at before the body is
 * read.
 */
async function serve(intake: Intake, service: Service, pathTier: TierEntry | undefined): Promise<Reply> {
  if (service.phase() === 'refusing') throw new Fault('shutting_down');
  const sale = service.payments.createSale(intake);
  const request = { intake, service, pathTier, sale };
  try {
    refuseQuery(intake);
    if (pathTier !== undefined) await refuseUnavailable(pathTier, service, sale);
    const kind = bodyKind(intake.headers, pathTier === undefined ? ['json', 'multipart'] : ['multipart']);
    const bytes = announcedBytes(intake.headers, maxBodyBytes(kind, service.settings));
    if (pathTier !== undefined)
      await meetTerms(pathTier, defaultFields(pathTier, service.deployment), request);
    return await service.admission.hold({ client: intake.client, bytes }, intake.signal, async () => {
      const order = await readOrder(kind, request);
      if (isSold(order.tier)) return sell(order, request);
      sale.waive();
      return giveAway(order, request);
    });
  } catch (error) {
    throw await service.payments.work.run(() => sale.refuse(error));
  }
}

/** Options stand in the body: one in the address that is silently ignored costs its sender an afternoon. */
function refuseQuery({ query }: Intake): void {
  if (query !== '')
    throw new Fault('invalid_fields', {
      detail:
        'the address has a query, and nothing is read from it; send options as fields of the form, before the document, or as members of the JSON body',
    });
}

/** Asks for what a tier wants before the document is read: a payment, or free pages that are left. */
async function meetTerms(tier: TierEntry, fields: ChunkFields, request: ChunkRequest): Promise<void> {
  const { intake, service, sale } = request;
  await refuseWithoutPlace(tier, intake, service);
  if (isSold(tier)) return sale.claim(tier, fields);
  sale.waive();
  return quotaOf(tier, intake, service).refuseWhenSpent();
}

/** A job for which there is no room is not paid for; a request with a payment may have a ticket already. */
async function refuseWithoutPlace(tier: TierEntry, { headers }: Intake, { jobs }: Service): Promise<void> {
  if (tier.mode === 'async' && !hasProof(headers)) await jobs.refuseWhenFull();
}

function quotaOf({ hasQuota }: TierEntry, { client }: Intake, { store, settings, now }: Service): Quota {
  const { freePagesPerDay: pages } = settings;
  return hasQuota && pages !== 'off' ? createQuota(store, client, pages, now()) : NO_QUOTA;
}

/** The document and what is wanted of it. In JSON both come at once; of a form, the document last. */
function readOrder(kind: BodyKind, request: ChunkRequest): Promise<Order> {
  return kind === 'json' ? readBody(request) : readForm(request);
}

async function readBody({ intake, service, sale }: ChunkRequest): Promise<Order> {
  const { deployment, settings } = service;
  const order = await readJsonOrder(intake, deployment, maxBodyBytes('json', settings));
  await refuseUnavailable(order.tier, service, sale);
  return order;
}

async function readForm(request: ChunkRequest): Promise<Order> {
  const { intake, service, pathTier, sale } = request;
  const { maxUploadBytes, maxJsonBytes: maxTextBytes } = service.settings;
  const limits = { maxUploadBytes, maxTextBytes, maxBodyBytes: maxBodyBytes('multipart', service.settings) };
  const opened = await openUploadOrder(intake, service.deployment, limits, pathTier);
  try {
    const { tier, fields } = opened;
    await refuseUnavailable(tier, service, sale);
    if (pathTier === undefined) await meetTerms(tier, fields, request);
    return await opened.readDocument(isSold(tier));
  } finally {
    opened.leave();
  }
}

/** The free way: what is charged are pages, and a client that goes away takes its work along. */
async function giveAway(order: Order, request: ChunkRequest): Promise<Reply> {
  const { intake, service, pathTier } = request;
  if (order.tier.mode === 'async') {
    refuseImpossible(order, service.settings);
    const job = await service.jobs.submit(jobOf(order, intake));
    if (job === 'lost') throw new Error('A job without a payment has none to lose.');
    return jsonReply(200, ticketText(job.id, intake.origin), NO_STORE);
  }
  const quota = quotaOf(order.tier, intake, service);
  if (pathTier === undefined) await quota.refuseWhenSpent();
  await service.nextTurn();
  const finished = await work(order, intake, service);
  intake.signal.throwIfAborted();
  return deliver(order.tier, finished, quota, request);
}

/** Charges and answers. What is not delivered costs nothing: a large result is stored before it is charged. */
async function deliver(
  tier: TierEntry,
  finished: Finished,
  quota: Quota,
  { intake, service }: ChunkRequest,
): Promise<Reply> {
  const payment = paymentFor(tier, service);
  const pages = finished.metadata.estimated_pages;
  if (!isLarge(finished)) {
    const headers = await quota.charge(pages);
    return jsonReply(200, answerText(tier.id, finished, payment), { ...NO_STORE, ...headers });
  }
  await quota.refuseWhenShort(pages);
  const id = service.createResultId(tier.id);
  const parts = answerParts(tier.id, finished, payment);
  await service.store.putResult(await storedResult(id, parts, service.now()));
  const quotaHeaders = await quota.charge(pages).catch(async (fault: unknown) => {
    // Nobody knows its id: left behind it would be swept with the others.
    await service.store.deleteResult(id).catch(() => false);
    throw fault;
  });
  const link = linkText(tier.id, finished, payment, `${intake.origin}${resultPath(id)}`);
  return jsonReply(200, link, { ...NO_STORE, ...quotaHeaders });
}

/** The paid way: bound to its payment, the work is done whether its client waits or not, once. */
async function sell(order: Order, request: ChunkRequest): Promise<Reply> {
  const { intake, service, sale } = request;
  refuseImpossible(order, service.settings);
  await refuseWithoutPlace(order.tier, intake, service);
  const fulfilment = await sale.bind(order);
  switch (fulfilment.kind) {
    case 'replay':
      return soldReply({ ...decompressed(fulfilment.gzip), location: fulfilment.location }, fulfilment, sale);
    case 'job':
      return soldReply({ body: ticketText(fulfilment.id, intake.origin) }, fulfilment, sale);
    case 'run':
      // What it has bought before has failed meanwhile.
      refuseSilent(order.tier, service);
      return soldReply(await workOff(order, fulfilment.receipt, request), fulfilment, sale);
  }
}

/** The answer that is given for a payment. */
interface PaidAnswer extends Pick<Reply, 'body' | 'source'> {
  /** Path of the result that the body is itself, if it is one. */
  readonly location?: string | undefined;
}

/** Does what was paid for, and keeps it; or hands both over to a job. */
async function workOff(order: Order, receipt: Receipt, request: ChunkRequest): Promise<PaidAnswer> {
  const { intake, service, sale } = request;
  if (order.tier.mode === 'async') {
    const job = { ...jobOf(order, intake), receipt };
    const { id } = await sale.submit((lease) => service.jobs.submit(job, lease));
    return { body: ticketText(id, intake.origin) };
  }
  return service.payments.work.run(async (signal) => {
    await service.nextTurn();
    const finished = await work(order, { client: intake.client, signal }, service);
    signal.throwIfAborted();
    return commit(order.tier, finished, receipt, request);
  });
}

/** Writes what the payment has bought: the full answer as a result, and the link to it when it is large. */
async function commit(
  tier: TierEntry,
  finished: Finished,
  receipt: Receipt,
  { intake, service, sale }: ChunkRequest,
): Promise<PaidAnswer> {
  const payment = { ...paymentFor(tier, service), receipt };
  const id = service.createResultId(tier.id);
  const location = resultPath(id);
  const result = await storedResult(id, answerParts(tier.id, finished, payment), service.now());
  if (!isLarge(finished)) {
    await sale.commit({ result });
    return { body: answerText(tier.id, finished, payment), location };
  }
  const link = linkText(tier.id, finished, payment, `${intake.origin}${location}`);
  await sale.commit({ result, link });
  return { body: link };
}

function soldReply({ location, ...body }: PaidAnswer, { receipt }: Fulfilment, sale: Sale): Reply {
  // Whoever paid can fetch the answer there again without the payment, and delete it.
  const place = location === undefined ? {} : { 'Content-Location': location };
  return {
    ...jsonReply(200, '', { ...NO_STORE, ...VARY, ...place, ...sale.receiptHeaders(receipt) }),
    ...body,
  };
}

/** What can be seen to be impossible before the work is refused before it has a price. */
function refuseImpossible({ tier, source }: Order, { fetchAllow }: Settings): void {
  if (source.kind === 'link') parseLink(source.url, new Set(fetchAllow));
  if (source.kind !== 'text') return;
  refuseIllFormed(source.text);
  refuseLongText(source.text.length, tier.maxCharacters ?? Infinity);
}

function jobOf(order: Order, { origin }: Intake) {
  return { order, origin, amount: order.tier.priceMicroUsd };
}

function paymentFor({ priceMicroUsd: amount }: TierEntry, { settings }: Service): Payment {
  return { amount, network: settings.network };
}

/** Whether the answer carries a link in place of the chunks. */
function isLarge({ totalChunks }: Finished): boolean {
  return totalChunks >= LINK_FROM_CHUNKS;
}
