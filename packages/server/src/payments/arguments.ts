// The arguments of `grainline-server payments`: what stands behind the command, read and checked.
import { parseArgs } from 'node:util';
import type { PaymentState } from '@grainline/x402';
import type { PaymentFilter, Store } from '../store/store.ts';
import type { Terminal } from '../terminal.ts';

/** What the subcommands are called with. */
export interface Call {
  readonly store: Store;
  readonly terminal: Pick<Terminal, 'print' | 'complain' | 'drained'>;
  /** Key of a payment, or address of a payer. */
  readonly key: string;
  readonly filter: PaymentFilter;
  readonly limit: number;
  readonly json: boolean;
  readonly format: 'jsonl' | 'csv';
  readonly note: string;
}

/** A subcommand. */
export interface Subcommand {
  /** What stands behind its name: the key of a payment, a payer's address, or nothing. */
  readonly takes?: 'KEY' | 'PAYER';
  readonly options: readonly (keyof typeof OPTIONS)[];
  readonly meaning: string;
  /** Resolves with the exit code. */
  readonly run: (call: Call) => Promise<number>;
}

const STATES = ['reserved', 'verified', 'bound', 'processing', 'consumed', 'released'] as const;
const DEFAULT_LIMIT = 50;
const MOST_LISTED = 10_000;
/** Every option, for all subcommands; each takes some of them. */
export const OPTIONS = {
  state: { value: 'STATE', meaning: `only payments in this state: ${STATES.join(', ')}` },
  since: {
    value: 'TIME',
    meaning: 'only those first seen since: 2026-11-21, 2026-11-21T18:00Z, or an age such as 90m, 24h, 7d',
  },
  limit: { value: 'N', meaning: `how many are listed at most [${DEFAULT_LIMIT}]` },
  json: { value: '', meaning: 'JSON in place of text' },
  format: { value: 'FORMAT', meaning: 'jsonl, a JSON text a line, or csv [jsonl]' },
  note: { value: 'TEXT', meaning: 'what to remember of the refund, such as the transaction that sent it' },
} as const;

/** A wrong argument; its message says which, and what is accepted. */
export class ArgumentError extends Error {}

/**
 * The subcommand that is called, and what it is called with.
 *
 * @throws ArgumentError
 */
export function readCall(
  argv: readonly string[],
  subcommands: Readonly<Record<string, Subcommand>>,
  nowMs: number,
): [Subcommand, Omit<Call, 'store' | 'terminal'>] {
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
        ...(values.state === undefined ? {} : { state: readState(values.state) }),
        ...(values.since === undefined ? {} : { sinceMs: readTime(values.since, nowMs) }),
      },
      limit: values.limit === undefined ? DEFAULT_LIMIT : readLimit(values.limit),
      json: values.json ?? false,
      format: values.format === undefined ? 'jsonl' : readFormat(values.format),
      note: values.note ?? '',
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
        },
      });
    } catch (error) {
      // Its messages name the option and say what is wrong with it; only the first sentence is about ours.
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

function readFormat(text: string): Call['format'] {
  if (text !== 'jsonl' && text !== 'csv')
    throw new ArgumentError(`--format must be jsonl or csv, but is ${quoted(text)}.`);
  return text;
}

/** A text as messages quote it: on one line, and not too long. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
}
