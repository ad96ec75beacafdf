// Payments for the operator: members of JSON, columns of CSV, and tables. Amounts appear twice, as USDC with all six
// decimals and as whole micro-USDC, both exact.
import type { PaymentState } from '@grainline/x402';
import type { PaymentEntry, PaymentTotal } from '../store/store.ts';
import type { PaidResponse } from '../store/responses.ts';

/** A payment in flat form: members of its JSON, columns of its CSV. An unknown value is null. */
export type PaymentView = Readonly<Record<(typeof VIEW_NAMES)[number], string | number | null>>;

/** Names of the columns in order. Answers of the service use similar names. */
export const VIEW_NAMES = [
  'key',
  'state',
  'product',
  'price',
  'price_usdc',
  'credited',
  'credited_usdc',
  'surplus',
  'surplus_usdc',
  'payer',
  'slot',
  'memo',
  'fingerprint',
  'tries',
  'reason',
  'finality',
  'created',
  'changed',
  'refunded',
  'note',
] as const;

/** States of a payment that has bought an answer or a job. */
const SOLD: readonly PaymentState[] = ['processing', 'consumed'];

export function viewOf(entry: PaymentEntry): PaymentView {
  const { payment, purchase, refund } = entry;
  const surplus =
    payment !== undefined && purchase !== undefined && SOLD.includes(entry.state)
      ? payment.credited - purchase.price
      : undefined;
  return {
    key: entry.key,
    state: entry.state,
    product: purchase?.product ?? null,
    price: micro(purchase?.price),
    price_usdc: usdc(purchase?.price),
    credited: micro(payment?.credited),
    credited_usdc: usdc(payment?.credited),
    surplus: micro(surplus),
    surplus_usdc: usdc(surplus),
    payer: payment?.payer ?? null,
    slot: micro(payment?.slot),
    memo: payment?.memo ?? null,
    fingerprint: purchase?.fingerprint ?? null,
    tries: entry.tries,
    reason: entry.reason ?? null,
    finality: entry.finality ?? null,
    created: isoTime(entry.createdMs),
    changed: isoTime(entry.changedMs),
    refunded: refund === undefined ? null : isoTime(refund.atMs),
    note: refund?.note ?? null,
  };
}

/** The sums over all totals: received, sold, and the difference. */
export function sumsOf(totals: readonly PaymentTotal[]): Readonly<Record<string, string | number>> {
  const sum = (amountOf: (total: PaymentTotal) => bigint): bigint =>
    totals.reduce((all, total) => all + amountOf(total), 0n);
  const amounts = {
    credited: sum(({ credited }) => credited),
    price: sum(({ price }) => price),
    surplus: sum(({ surplus }) => surplus),
    unspent: sum((total) => (SOLD.includes(total.state) || total.refunded ? 0n : total.credited)),
    refunded: sum((total) => (total.refunded ? total.credited : 0n)),
  };
  return {
    count: totals.reduce((all, { count }) => all + count, 0),
    ...Object.fromEntries(
      Object.entries(amounts).flatMap(([name, amount]) => [
        [name, String(amount)],
        [`${name}_usdc`, decimal(amount)],
      ]),
    ),
  };
}

/** A total as a member of JSON. */
export function totalView({ state, refunded, product, count, credited, price, surplus }: PaymentTotal) {
  return {
    state,
    refunded,
    product,
    count,
    credited: String(credited),
    credited_usdc: decimal(credited),
    price: String(price),
    price_usdc: decimal(price),
    surplus: String(surplus),
    surplus_usdc: decimal(surplus),
  };
}

/** A line of CSV (RFC 4180): empty for null, quoted where the text needs it. */
export function csvLine(values: readonly (string | number | null)[]): string {
  return values
    .map((value) => {
      const text = value === null ? '' : String(value);
      return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
    })
    .join(',');
}

/** The list as text: a row for each payment. Keys stand last, because they are long. */
export function paymentTable(entries: readonly PaymentEntry[]): string {
  const rows = entries.map((entry) => {
    const view = viewOf(entry);
    return [
      isoTime(entry.createdMs).slice(0, 19).replace('T', ' '),
      stateText(entry),
      view.product,
      view.price_usdc,
      view.credited_usdc,
      view.surplus_usdc,
      view.tries,
      entry.key,
    ];
  });
  return table(
    ['first seen (UTC)', 'state', 'product', 'price', 'credited', 'surplus', 'tries', 'key'],
    rows,
  );
}

/** The state as text, with the warnings that an operator needs. */
function stateText({ state, finality, refund }: PaymentEntry): string {
  const notes = [finality === 'vanished' ? 'vanished' : '', refund === undefined ? '' : 'refunded'];
  return [state, ...notes.filter((note) => note !== '')].join(', ');
}

/** The sums as text: a row for each kind of payment, and a total. */
export function totalsTable(totals: readonly PaymentTotal[]): string {
  const sums = sumsOf(totals);
  const rows = totals.map((total) => {
    const view = totalView(total);
    const state = total.refunded ? `${total.state}, refunded` : total.state;
    return [state, total.product, total.count, view.credited_usdc, view.price_usdc, view.surplus_usdc];
  });
  const all = ['all', '', sums['count'], sums['credited_usdc'], sums['price_usdc'], sums['surplus_usdc']];
  return [
    table(
      ['state', 'product', 'payments', 'credited', 'sold for', 'surplus'],
      [...rows, all.map((cell) => cell ?? null)],
    ),
    '',
    `Unspent: ${sums['unspent_usdc']} USDC. Refunded: ${sums['refunded_usdc']} USDC. Amounts are in USDC.`,
  ].join('\n');
}

/** One payment as text: a line for each known fact. */
export function paymentText(entry: PaymentEntry, response: PaidResponse | null): string {
  const view = viewOf(entry);
  const amount = (name: 'price' | 'credited' | 'surplus'): string | null =>
    view[name] === null ? null : `${view[`${name}_usdc`]} USDC (${view[name]} micro-USDC)`;
  const lines: Readonly<Record<string, string | number | null>> = {
    ...Object.fromEntries(
      VIEW_NAMES.filter((name) => !name.endsWith('_usdc')).map((name) => [name, view[name]]),
    ),
    price: amount('price'),
    credited: amount('credited'),
    surplus: amount('surplus'),
    note: view.note === null ? null : JSON.stringify(view.note),
    answer: writeAnswer(entry, response),
  };
  return Object.entries(lines)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name.padEnd(12)} ${value}`)
    .join('\n');
}

function writeAnswer({ state }: PaymentEntry, response: PaidResponse | null): string | null {
  if (state !== 'consumed') return null;
  return response === null ? 'no longer kept' : `kept until ${isoTime(response.expiresMs)}`;
}

/** Columns of equal width. Numbers are aligned right, with their decimals below each other. */
function table(
  names: readonly string[],
  rows: readonly (readonly (string | number | boolean | null)[])[],
): string {
  const cells = rows.map((row) => row.map((cell) => (cell === null ? '-' : String(cell))));
  const widths = names.map((name, column) =>
    Math.max(name.length, ...cells.map((row) => row[column]?.length ?? 0)),
  );
  const isNumber = names.map((_, column) => cells.every((row) => /^[-\d.]+$/.test(row[column] ?? '')));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) =>
        isNumber[column] === true ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd();
  return [names, ...cells].map(line).join('\n');
}

function micro(amount: bigint | undefined): string | null {
  return amount === undefined ? null : String(amount);
}

function usdc(amount: bigint | undefined): string | null {
  return amount === undefined ? null : decimal(amount);
}

/** `2500n` → `0.002500`: micro-USDC in USDC, exact. */
export function decimal(amount: bigint): string {
  const digits = String(amount < 0n ? -amount : amount).padStart(7, '0');
  return `${amount < 0n ? '-' : ''}${digits.slice(0, -6)}.${digits.slice(-6)}`;
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
