// Transfers for wallets: POST /payment/transaction, POST /payment/send, POST /payment/find.
import { pricesOf } from '../catalog.ts';
import type { HttpRequest, HttpReply } from '../http/message.ts';
import { readJson } from '../requests/chunk-request.ts';
import { jsonReply, NO_STORE } from '../http/reply.ts';
import { readSignedTransaction, readTransferRequest, readTransferSearch } from '../payments/transfers.ts';
import { assertAvailable } from './availability.ts';
import type { ServiceDeps } from './deps.ts';

/** A transaction has at most 1232 bytes, which are 1644 in base64. */
const MAX_TRANSFER_BYTES = 8 * 1024;

export async function paymentTransaction(httpRequest: HttpRequest, deps: ServiceDeps): Promise<HttpReply> {
  const { deployment, payments } = deps;
  const transfers = payments.transfers();
  const { tier, ...order } = readTransferRequest(await readJson(httpRequest, MAX_TRANSFER_BYTES), deployment);
  await assertAvailable(tier, deps);
  await payments.assertRoom();
  const amount = tier.priceMicroUsd;
  const { transaction, lastValidBlockHeight } = await transfers.prepare(
    { ...order, amount },
    httpRequest.signal,
  );
  const prepared = { transaction, last_valid_block_height: Number(lastValidBlockHeight) };
  return jsonReply(200, JSON.stringify(prepared), NO_STORE);
}

export async function paymentSend(
  httpRequest: HttpRequest,
  { deployment, payments }: ServiceDeps,
): Promise<HttpReply> {
  const transfers = payments.transfers();
  const transaction = readSignedTransaction(await readJson(httpRequest, MAX_TRANSFER_BYTES));
  const signature = await transfers.send(transaction, pricesOf(deployment), httpRequest.signal);
  return jsonReply(200, JSON.stringify({ signature }), NO_STORE);
}

export async function paymentFind(
  httpRequest: HttpRequest,
  { deployment, payments }: ServiceDeps,
): Promise<HttpReply> {
  const transfers = payments.transfers();
  const { tier, ...wanted } = readTransferSearch(await readJson(httpRequest, MAX_TRANSFER_BYTES), deployment);
  const found = await transfers.find({ ...wanted, amount: tier.priceMicroUsd }, httpRequest.signal);
  const answer = found.kind === 'paid' ? { state: 'paid', signature: found.key } : { state: found.kind };
  return jsonReply(200, JSON.stringify(answer), NO_STORE);
}
