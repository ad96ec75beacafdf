// The command `grainline-server payments`: the stored payments, for the operator. It opens the server's store, also
// while the server runs. It writes notes of refunds and blocked payers, nothing else.
import type { Terminal } from './terminal.ts';
import { readStoreLocation, SettingsError } from '../settings/settings.ts';
import { openKeptStore } from '../store/open.ts';
import { type BlockedPayer, type Store, StoreError } from '../store/store.ts';
import { ArgumentError, type PaymentsCall, OPTIONS, quoted, readCall, type Subcommand } from './arguments.ts';
import { complainUnknown, refund, refunded } from './refund.ts';
import {
  csvLine,
  paymentTable,
  paymentText,
  sumsOf,
  totalsTable,
  totalView,
  VIEW_NAMES,
  viewOf,
} from './payment-view.ts';

/** Rows of an export in memory at one time. */
const EXPORT_PAGE = 500;

const SUBCOMMANDS: Readonly<Record<string, Subcommand>> = {
  list: {
    options: ['state', 'since', 'limit', 'json'],
    meaning: 'the latest payments, and what all of them add up to',
    run: list,
  },
  show: { takes: 'KEY', options: ['json'], meaning: 'all that is known of one payment', run: show },
  refund: {
    takes: 'KEY',
    options: ['signature', 'note', 'json'],
    meaning: 'says which transfer gives the money back, and records it once it is confirmed',
    run: refund,
  },
  refunded: {
    takes: 'KEY',
    options: ['note', 'json'],
    meaning: 'records that the money was given back by hand; the payment buys nothing from then on',
    run: refunded,
  },
  export: {
    options: ['state', 'since', 'format'],
    meaning: 'every payment, the latest first',
    run: exportAll,
  },
  blocked: {
    options: ['json'],
    meaning: 'payers whose payments are not taken, because one vanished from the chain after it was used',
    run: blocked,
  },
  unblock: {
    takes: 'PAYER',
    options: ['json'],
    meaning: 'takes the payments of a payer again, those that came in meanwhile too',
    run: unblock,
  },
};

/**
 * Runs `grainline-server payments …`. Resolves with the exit code: 0 done, 1 when the store cannot be read, the payment
 * is unknown or cannot be marked, 2 when arguments or settings are wrong.
 *
 * @param argv what stands behind `payments`
 * @param now milliseconds since 1970
 */
export async function runPayments(
  argv: readonly string[],
  terminal: Pick<Terminal, 'environment' | 'print' | 'complain' | 'drained'>,
  now: () => number = Date.now,
): Promise<number> {
  if (argv.some((argument) => argument === '--help' || argument === '-h')) {
    terminal.print(paymentsHelp());
    return 0;
  }
  try {
    const [subcommand, call] = readCall(argv, SUBCOMMANDS, now());
    const store = await openKeptStore(readStoreLocation(terminal.environment), now);
    try {
      const code = await subcommand.run({ ...call, store, terminal });
      await terminal.drained();
      return code;
    } finally {
      await store.close();
    }
  } catch (error) {
    if (!(error instanceof ArgumentError || error instanceof SettingsError || error instanceof StoreError))
      throw error;
    terminal.complain(`grainline-server payments: ${error.message}`);
    return error instanceof StoreError ? 1 : 2;
  }
}

/** Lines of the server's help, one for each subcommand. */
export function paymentsUsage(): string[] {
  return Object.entries(SUBCOMMANDS).map(
    ([name, { takes, meaning }]) =>
      `  payments ${`${name}${takes === undefined ? '' : ` ${takes}`}`.padEnd(13)} ${meaning}`,
  );
}

function paymentsHelp(): string {
  const options = Object.entries(OPTIONS).map(([name, { value, meaning }]) => {
    const users = Object.entries(SUBCOMMANDS)
      .filter(([, subcommand]) => (subcommand.options as readonly string[]).includes(name))
      .map(([user]) => user);
    return `  ${`--${name} ${value}`.padEnd(17)} ${meaning} (${users.join(', ')})`;
  });
  return [
    'Usage: grainline-server payments <command> [options]',
    '',
    'What the store of DATA_DIR or DATABASE_URL remembers of payments; also while the server runs. refund also reads',
    'NETWORK, USDC_MINT, SOLANA_RPC_URLS and RPC_QUORUM.',
    '',
    ...paymentsUsage(),
    '',
    'Options:',
    ...options,
    '',
    'Amounts are in USDC with all decimals; JSON and CSV have whole micro-USDC as well.',
    'Exit codes: 0 done, 1 the store or the network cannot be read or the payment is not as needed, 2 wrong arguments or settings.',
  ].join('\n');
}

async function list({ store, terminal, filter, limit, json }: PaymentsCall): Promise<number> {
  const { payments } = await store.listPayments({ ...filter, limit });
  const totals = await store.paymentTotals(filter);
  if (json) {
    const view = { payments: payments.map(viewOf), totals: totals.map(totalView), sums: sumsOf(totals) };
    terminal.print(JSON.stringify(view, null, 2));
    return 0;
  }
  if (payments.length === 0) {
    terminal.print('No payments.');
    return 0;
  }
  const count = totals.reduce((sum, total) => sum + total.count, 0);
  terminal.print(`${paymentTable(payments)}\n\n${totalsTable(totals)}`);
  if (payments.length < count)
    terminal.print(`Shown are the latest ${payments.length} of ${count}; --limit shows more, export all.`);
  return 0;
}

async function show({ store, terminal, key, json }: PaymentsCall): Promise<number> {
  const entry = await store.paymentEntry(key);
  if (entry === null) return complainUnknown(terminal, key);
  terminal.print(
    json ? JSON.stringify(viewOf(entry), null, 2) : paymentText(entry, await store.paidResponse(key)),
  );
  return 0;
}

async function exportAll({ store, terminal, filter, format }: PaymentsCall): Promise<number> {
  if (format === 'csv') terminal.print(csvLine(VIEW_NAMES));
  let cursor: string | undefined;
  do {
    const page: Awaited<ReturnType<Store['listPayments']>> = await store.listPayments({
      ...filter,
      limit: EXPORT_PAGE,
      cursor,
    });
    for (const view of page.payments.map(viewOf)) {
      terminal.print(format === 'csv' ? csvLine(VIEW_NAMES.map((name) => view[name])) : JSON.stringify(view));
    }
    // A slow reader must not fill the memory of this process.
    await terminal.drained();
    cursor = page.next ?? undefined;
  } while (cursor !== undefined);
  return 0;
}

async function blocked({ store, terminal, json }: PaymentsCall): Promise<number> {
  const payers = (await store.blockedPayers()).map(blockedView);
  if (json) terminal.print(JSON.stringify({ blocked: payers }, null, 2));
  else if (payers.length === 0) terminal.print('No payer is blocked.');
  else terminal.print(payers.map(({ payer, since }) => `${since}  ${payer}`).join('\n'));
  return 0;
}

async function unblock({ store, terminal, key: payer, json }: PaymentsCall): Promise<number> {
  const was = (await store.blockedPayers()).find((known) => known.payer === payer);
  if (was === undefined || !(await store.unblockPayer(payer))) {
    terminal.complain(
      `grainline-server payments: ${quoted(payer)} is not blocked here; payments blocked lists who is.`,
    );
    return 1;
  }
  if (json) terminal.print(JSON.stringify({ unblocked: blockedView(was) }, null, 2));
  else terminal.print(`Unblocked: ${payer}. What was paid meanwhile can be used.`);
  return 0;
}

function blockedView({ payer, blockedMs }: BlockedPayer): { payer: string; since: string } {
  return { payer, since: new Date(blockedMs).toISOString() };
}
