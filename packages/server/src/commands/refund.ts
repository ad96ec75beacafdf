// The commands `payments refund` and `payments refunded`. The first describes the transfer, and records it once the
// chain has confirmed it; the second records what the operator says.
import { PaymentProblem } from '@grainline/x402';
import type { RefundTransfer } from '../payments/refunds.ts';
import { readChainSettings } from '../settings/settings.ts';
import type { PaymentEntry, Refund } from '../store/store.ts';
import { type PaymentsCall, quoted } from './arguments.ts';
import { decimal, viewOf } from './payment-view.ts';
import type { Terminal } from './terminal.ts';

const REFUSALS: Readonly<Record<Exclude<Refund, 'refunded' | 'unknown'>, string>> = {
  already_refunded: 'it is marked as refunded already; see payments show.',
  in_use: 'a request or a job works with it at this moment. Try again when that has ended.',
  unverified: 'it is not known that anything was paid with it.',
};

export async function refunded(call: PaymentsCall): Promise<number> {
  return record(call, call.note, 'Marked as refunded');
}

/** Each run looks for the transfer first, so that none is prepared twice. */
export async function refund(call: PaymentsCall): Promise<number> {
  const { store, terminal, key, signature, note, json } = call;
  const entry = await store.paymentEntry(key);
  if (entry === null) return complainUnknown(terminal, key);
  const { payment, createdMs } = entry;
  const refusal = refusalOf(entry);
  if (refusal !== null || payment === undefined)
    return complain(terminal, `${key} is not given back: ${refusal ?? REFUSALS.unverified}`);
  const settings = readChainSettings(terminal.environment);
  const { openRefundChain } = await import('../payments/refunds.ts');
  const chain = await openRefundChain(settings, { key, createdMs, ...payment });
  try {
    const sent = signature ?? (await chain.find());
    if (sent === null) {
      const { transfer } = chain;
      terminal.print(
        json ? prepared(entry, transfer, settings.network) : instructions(entry, transfer, settings.network),
      );
      return 0;
    }
    const issue = await chain.issueOf(sent);
    if (issue !== null) return complain(terminal, `${quoted(sent)} is not the refund of ${key}: ${issue}`);
    return await record(call, `${sent} ${note}`.trim(), `Refunded by ${sent}`);
  } catch (error) {
    if (!(error instanceof PaymentProblem)) throw error;
    return complain(terminal, `nothing was prepared or recorded. ${error.message}`);
  }
}

function refusalOf({ state, refund, finality }: PaymentEntry): string | null {
  if (refund !== undefined) return REFUSALS.already_refunded;
  if (state === 'processing') return REFUSALS.in_use;
  if (finality === 'vanished') return 'it vanished from the chain, so that nothing came in.';
  return null;
}

function prepared({ key, payment }: PaymentEntry, transfer: RefundTransfer, network: string): string {
  const { to, asset, memo, link, command } = transfer;
  const credited = payment?.credited ?? 0n;
  const amounts = { amount: String(credited), amount_usdc: decimal(credited) };
  return JSON.stringify(
    { state: 'prepared', key, to, ...amounts, asset, network, memo, link, command },
    null,
    2,
  );
}

function instructions(
  { key, state, purchase }: PaymentEntry,
  { to, amount, asset, memo, link, command }: RefundTransfer,
  network: string,
): string {
  return [
    `To give ${key} back, transfer from a wallet of your own:`,
    '',
    `  amount   ${amount} USDC (${asset}) on ${network}`,
    `  to       ${to}`,
    `  memo     ${memo}`,
    '',
    `Solana Pay:  ${link}`,
    `spl-token:   ${command}`,
    '',
    ...(state === 'consumed' ? [`It has bought an answer (${purchase?.product}).`] : []),
    'The recipient is the address that gave the money. If it belongs to an exchange, or to a program, the transfer may',
    'not reach the payer: ask the payer for another address, send by hand, and use payments refunded.',
    'Then run this command again: it finds the transfer by its memo and records it. Until then the payment can',
    'still buy an answer.',
  ].join('\n');
}

async function record(
  { store, terminal, key, json }: PaymentsCall,
  note: string,
  done: string,
): Promise<number> {
  const answer = await store.markRefunded(key, note);
  if (answer === 'unknown') return complainUnknown(terminal, key);
  if (answer !== 'refunded') return complain(terminal, `${key} was not marked: ${REFUSALS[answer]}`);
  const entry = await store.paymentEntry(key);
  if (json && entry !== null) terminal.print(JSON.stringify(viewOf(entry), null, 2));
  if (!json) terminal.print(`${done}: ${key}. It buys nothing from now on.`);
  return 0;
}

/** Reports an unknown payment. Returns the exit code. */
export function complainUnknown(terminal: Pick<Terminal, 'complain'>, key: string): number {
  return complain(
    terminal,
    `no payment ${quoted(key)} is known here. Keys are whole transaction signatures; payments list has them.`,
  );
}

function complain(terminal: Pick<Terminal, 'complain'>, text: string): number {
  terminal.complain(`grainline-server payments: ${text}`);
  return 1;
}
