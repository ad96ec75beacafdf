// The words after `grainline`, told apart by a table of options: flags, values, operands. Nothing is known here of what
// an option means; what is wrong with the words alone, a name that is no option's or a value that is missing, is found
// here.
import { parseArgs } from 'node:util';
import { suggestion } from './spelling.ts';

/** One option as it is written, and what the help says of it. */
export interface OptionEntry {
  readonly short?: string;
  /** Placeholder of its value; a flag has none. */
  readonly value?: string;
  /** Whether it may be given several times, each with a value of its own. */
  readonly many?: true;
  readonly meaning: string;
}

/** The arguments as words: nothing is known yet of what the values mean. */
export interface Words {
  readonly flags: ReadonlySet<string>;
  readonly values: ReadonlyMap<string, string>;
  /** Every value of the options that may be given several times. */
  readonly lists: ReadonlyMap<string, readonly string[]>;
  readonly operands: readonly string[];
  readonly faults: string[];
}

/** Reads the words. Options may stand anywhere before `--`. */
export function scan(argv: readonly string[], table: Readonly<Record<string, OptionEntry>>): Words {
  const flags = new Set<string>();
  const values = new Map<string, string>();
  const lists = new Map<string, string[]>();
  const faults: string[] = [];
  const { tokens } = parseArgs({
    args: [...argv],
    options: parserOptions(table),
    strict: false,
    tokens: true,
  });
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const entry = Object.hasOwn(table, token.name) ? table[token.name] : undefined;
    const fault = tokenFault(token, entry, table);
    const before = values.get(token.name);
    if (fault !== undefined) faults.push(fault);
    else if (token.value === undefined) flags.add(token.name);
    else if (entry?.many === true) lists.set(token.name, [...(lists.get(token.name) ?? []), token.value]);
    else if (before !== undefined && before !== token.value)
      faults.push(`--${token.name} is given as ${show(before)} and as ${show(token.value)}; give it once.`);
    else values.set(token.name, token.value);
  }
  const operands = tokens.flatMap((token) => (token.kind === 'positional' ? [token.value] : []));
  return { flags, values, lists, operands, faults };
}

function parserOptions(table: Readonly<Record<string, OptionEntry>>) {
  const options = Object.entries(table).map(([name, { short, value }]) => {
    const type = value === undefined ? ('boolean' as const) : ('string' as const);
    return [name, { type, ...(short === undefined ? undefined : { short }) }] as const;
  });
  return Object.fromEntries(options);
}

interface OptionToken {
  readonly name: string;
  readonly rawName: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

function tokenFault(
  { name, rawName, value, inlineValue }: OptionToken,
  entry: OptionEntry | undefined,
  table: Readonly<Record<string, OptionEntry>>,
): string | undefined {
  if (entry === undefined) {
    const names = Object.keys(table).map((known) => `--${known}`);
    return `There is no option ${rawName}.${suggestion(`--${name}`, names)}`;
  }
  if (entry.value === undefined) return value === undefined ? undefined : `--${name} takes no value.`;
  if (value === undefined || value === '') return `--${name} needs a value: --${name} ${entry.value}.`;
  // `--out --quiet` is a forgotten value, `--size -5` a wrong one, which its own check explains better.
  const isForgotten = inlineValue !== true && /^-\D/.test(value);
  return isForgotten
    ? `--${name} needs a value: --${name} ${entry.value}, or --${name}=${value} if it is that.`
    : undefined;
}

/** A word as it stands in a fault. */
export function show(word: string): string {
  return JSON.stringify(word);
}
