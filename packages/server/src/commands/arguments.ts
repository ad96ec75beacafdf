// Reads and checks the arguments of `grainline-server payments`.
import { parseArgs } from 'node:util';
import type { PaymentState } from '@grainline/x402';
import type { PaymentFilter, Store } from '../store/store.ts';
import type { Terminal } from './terminal.ts';

/** The arguments of a subcommand. */
export interface PaymentsCall {
  readonly store: Store;
  readonly terminal: Pick<Terminal, 'environment' | 'print' | 'complain' | 'drained'>;
  /** The key of a payment, or the address of a payer. */
  readonly key: string;
  readonly filter: PaymentFilter;
  readonly limit: number;
  readonly json: boolean;
  readonly format: 'jsonl' | 'csv';
  readonly note: string;
  readonly signature: string | undefined;
}

/** A subcommand. */
export interface Subcommand {
  /** The argument after the name: the key of a payment, a payer's address, or nothing. */
  readonly takes?: 'KEY' | 'PAYER';
  readonly options: readonly (keyof typeof OPTIONS)[];
  readonly meaning: string;
  /** Resolves with the exit code. */
  readonly run: (call: PaymentsCall) => Promise<number>;
}

const STATES = ['reserved', 'verified', 'bound', 'processing', 'consumed', 'released'] as const;
const DEFAULT_LIMIT = 50;
const MOST_LISTED = 10_000;
/** The options of all subcommands. */
export const OPTIONS = {
  state: { value: 'STATE', meaning: `only payments in this state: ${STATES.join(', ')}` },
  since: {
    value: 'TIME',
    meaning: 'only those first seen since: 2026-11-21, 2026-11-21T18:00Z, or an age such as 90m, 24h, 7d',
  },
  limit: { value: 'N', meaning: `how many are listed at most [${DEFAULT_LIMIT}]` },
  json: { value: '', meaning: 'JSON in place of text' },
  format: { value: 'FORMAT', meaning: 'jsonl, a JSON text a line, or csv [jsonl]' },
  signature: { value: 'SIG', meaning: 'the transaction of the refund, when its memo does not find it' },
  note: { value: 'TEXT', meaning: 'what to remember of the refund, such as the transaction that sent it' },
} as const;

/** A wrong argument. The message names it and the accepted ones. */
export class ArgumentError extends Error {}

/**
 * The subcommand and its arguments.
 *
 * @throws ArgumentError
 */
export function readCall(
  argv: readonly string[],
  subcommands: Readonly<Record<string, Subcommand>>,
  nowMs: number,
): [Subcommand, Omit<PaymentsCall, 'store' | 'terminal'>] {
  const [name = '', ...rest] = argv;
  const subcommand = Object.hasOwn(subcommands, name) ? subcommands[name] : undefined;
  if (subcommand === undefined) {
    const names = Object.keys(subcommands).join(', ');
    throw new ArgumentError(
      name === ''
        ? `say what to do: ${names}; see --help.`
        : `unknown command ${quoted(name)}; there are ${names}.`,
    );
  }
  const { values, positionals } = parse(name, subcommand, rest);
  const [key = '', ...others] = positionals;
  const { takes } = subcommand;
  if (takes !== undefined && key.trim() === '')
    throw new ArgumentError(
      `${name} needs ${takes === 'KEY' ? 'the key of a payment' : 'the address of a payer'}.`,
    );
  const surplus = takes === undefined ? positionals : others;
  if (surplus.length > 0) throw new ArgumentError(`unknown argument ${quoted(surplus[0] ?? '')}.`);
  return [
    subcommand,
    {
      key: key.trim(),
      filter: {
        state: values.state === undefined ? undefined : readState(values.state),
        sinceMs: values.since === undefined ? undefined : readTime(values.since, nowMs),
      },
      limit: values.limit === undefined ? DEFAULT_LIMIT : readLimit(values.limit),
      json: values.json ?? false,
      format: values.format === undefined ? 'jsonl' : readFormat(values.format),
      note: values.note ?? '',
      signature: values.signature,
    },
  ];
}

function parse(name: string, subcommand: Subcommand, args: string[]) {
  const parsed = (() => {
    try {
      return parseArgs({
        args,
        allowPositionals: true,
        options: {
          state: { type: 'string' },
          since: { type: 'string' },
          limit: { type: 'string' },
          json: { type: 'boolean' },
          format: { type: 'string' },
          note: { type: 'string' },
          signature: { type: 'string' },
        },
      });
    } catch (error) {
      // The parser's messages name the option in their first sentence; the rest concerns other programs.
      const [sentence = ''] = (error instanceof Error ? error.message : String(error)).split('. ');
      throw new ArgumentError(`${sentence}; see --help.`);
    }
  })();
  for (const option of Object.keys(parsed.values)) {
    if (!(subcommand.options as readonly string[]).includes(option))
      throw new ArgumentError(`--${option} means nothing to ${name}; it takes ${optionsOf(subcommand)}.`);
  }
  return parsed;
}

function optionsOf({ options }: Subcommand): string {
  return options.map((option) => `--${option}`).join(', ');
}

function readState(text: string): PaymentState {
  const state = STATES.find((known) => known === text);
  if (state === undefined)
    throw new ArgumentError(`--state must be one of ${STATES.join(', ')}, but is ${quoted(text)}.`);
  return state;
}

const AGES_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A moment in UTC or an age, as milliseconds since 1970. */
function readTime(text: string, nowMs: number): number {
  const [, count = '', unit = ''] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  if (count !== '') return nowMs - Number(count) * (AGES_MS[unit] ?? 0);
  const [, day = '', time, zone] =
    /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)(Z|[+-]\d\d:\d\d)?)?$/.exec(text) ?? [];
  const ms = Date.parse(time === undefined ? day : `${day}T${time}${zone ?? 'Z'}`);
  // JavaScript takes 30 February for 2 March.
  const isDay = new Date(Date.parse(day) || 0).toISOString().startsWith(day);
  if (Number.isNaN(ms) || !isDay) {
    throw new ArgumentError(
      `--since must be a day such as 2026-11-21, a time in UTC such as 2026-11-21T18:00Z, or an age such as 90m, 24h or 7d, but is ${quoted(text)}.`,
    );
  }
  return ms;
}

function readLimit(text: string): number {
  const limit = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > MOST_LISTED)
    throw new ArgumentError(`--limit must be a number from 1 to ${MOST_LISTED}, but is ${quoted(text)}.`);
  return limit;
}

function readFormat(text: string): PaymentsCall['format'] {
  if (text !== 'jsonl' && text !== 'csv')
    throw new ArgumentError(`--format must be jsonl or csv, but is ${quoted(text)}.`);
  return text;
}

/** A text for messages: on one line, and shortened. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
}
