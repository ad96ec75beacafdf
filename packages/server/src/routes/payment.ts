// Help for wallets: POST /payment/transaction, POST /payment/send, POST /payment/find.
import { pricesOf } from '../catalog.ts';
import type { Intake, Reply } from '../http/intake.ts';
import { readJson } from '../http/order.ts';
import { jsonReply, NO_STORE } from '../http/respond.ts';
import { readSignedTransaction, readTransferOrder, readWantedTransfer } from '../payments/transfers.ts';
import { refuseUnavailable } from './availability.ts';
import type { Service } from './service.ts';

/** A transaction has 1232 bytes at most, in base64 1644. */
const MAX_TRANSFER_BYTES = 8 * 1024;

export async function paymentTransaction(intake: Intake, service: Service): Promise<Reply> {
  const { deployment, payments } = service;
  const transfers = payments.transfers();
  const { tier, ...order } = readTransferOrder(await readJson(intake, MAX_TRANSFER_BYTES), deployment);
  await refuseUnavailable(tier, service);
  await payments.requireRoom();
  payments.countQuestion(intake.client);
  const amount = tier.priceMicroUsd;
  const { transaction, lastValidBlockHeight } = await transfers.prepare({ ...order, amount }, intake.signal);
  const prepared = { transaction, last_valid_block_height: Number(lastValidBlockHeight) };
  return jsonReply(200, JSON.stringify(prepared), NO_STORE);
}

export async function paymentSend(intake: Intake, { deployment, payments }: Service): Promise<Reply> {
  const transfers = payments.transfers();
  const transaction = readSignedTransaction(await readJson(intake, MAX_TRANSFER_BYTES));
  payments.countQuestion(intake.client);
  const signature = await transfers.send(transaction, pricesOf(deployment), intake.signal);
  return jsonReply(200, JSON.stringify({ signature }), NO_STORE);
}

export async function paymentFind(intake: Intake, { deployment, payments }: Service): Promise<Reply> {
  const transfers = payments.transfers();
  const { tier, ...wanted } = readWantedTransfer(await readJson(intake, MAX_TRANSFER_BYTES), deployment);
  payments.countQuestion(intake.client);
  const found = await transfers.find({ ...wanted, amount: tier.priceMicroUsd }, intake.signal);
  const answer = found.kind === 'paid' ? { state: 'paid', signature: found.key } : { state: found.kind };
  return jsonReply(200, JSON.stringify(answer), NO_STORE);
}
