// The words after `grainline`, parsed by a table of options into flags, values and operands. This file reports unknown
// names and missing values; arguments.ts reads the values.
import { parseArgs } from 'node:util';
import { nameBehind } from '@grainline/core/options';
import { suggestion } from './spelling.ts';

/** The spelling of one option and its line in the help. */
export interface CliOption {
  readonly short?: string | undefined;
  /** Placeholder of the value; absent for a flag. */
  readonly value?: string | undefined;
  /** Values that a flag may have: `--prune=all`. */
  readonly choices?: readonly string[] | undefined;
  /** Placeholder of a value that a flag may have after `=`: `--ocr=deu+eng`. */
  readonly optional?: string | undefined;
  /** True when the option may be given several times. */
  readonly many?: true;
  readonly meaning: string;
}

/** The arguments as words, without the meaning of the values. */
export interface Words {
  readonly flags: ReadonlySet<string>;
  readonly values: ReadonlyMap<string, string>;
  /** Every value of the repeatable options. */
  readonly lists: ReadonlyMap<string, readonly string[]>;
  readonly operands: readonly string[];
  readonly issues: string[];
}

/** Reads the words. Options may stand anywhere before `--`. */
export function scan(argv: readonly string[], table: Readonly<Record<string, CliOption>>): Words {
  const flags = new Set<string>();
  const values = new Map<string, string>();
  const lists = new Map<string, string[]>();
  const issues: string[] = [];
  const { tokens } = parseArgs({
    args: [...argv],
    options: parserOptions(table),
    strict: false,
    tokens: true,
  });
  const unknown = unknownGroups(argv, tokens, table);
  for (const word of unknown.values())
    issues.push(`There is no option ${word}; a file of that name is ./${word}.`);
  for (const token of tokens) {
    if (token.kind !== 'option' || unknown.has(token.index)) continue;
    const entry = Object.hasOwn(table, token.name) ? table[token.name] : undefined;
    const issue = tokenIssue(token, entry, table);
    const before = values.get(token.name);
    if (issue !== undefined) issues.push(issue);
    else if (token.value === undefined) flags.add(token.name);
    else if (entry?.many === true) lists.set(token.name, [...(lists.get(token.name) ?? []), token.value]);
    else if (before !== undefined && before !== token.value)
      issues.push(`--${token.name} is given as ${show(before)} and as ${show(token.value)}; give it once.`);
    else values.set(token.name, token.value);
  }
  const operands = tokens.flatMap((token) => (token.kind === 'positional' ? [token.value] : []));
  return { flags, values, lists, operands, issues };
}

/** Words such as `-notes.txt`, by their index: the parser reads them as `-n -o -t …`, and so an `h` as `--help`. */
function unknownGroups(
  argv: readonly string[],
  tokens: readonly { readonly kind: string; readonly index: number; readonly name?: string }[],
  table: Readonly<Record<string, CliOption>>,
): ReadonlyMap<number, string> {
  const groups = tokens.flatMap(({ kind, index, name = '' }) => {
    const word = argv[index] ?? '';
    const isUnknown = kind === 'option' && /^-[^-]./.test(word) && !Object.hasOwn(table, name);
    return isUnknown ? [[index, word] as const] : [];
  });
  return new Map(groups);
}

function parserOptions(table: Readonly<Record<string, CliOption>>) {
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

function tokenIssue(
  { name, rawName, value, inlineValue }: OptionToken,
  entry: CliOption | undefined,
  table: Readonly<Record<string, CliOption>>,
): string | undefined {
  if (entry === undefined) {
    const names = Object.keys(table).map((known) => `--${known}`);
    const behind = nameBehind('cli', name);
    const meant = behind !== undefined && Object.hasOwn(table, behind) ? `--${behind}` : `--${name}`;
    return `There is no option ${rawName}.${suggestion(meant, names)}`;
  }
  if (entry.value === undefined) return flagIssue(name, value, entry);
  if (value === undefined || value === '') return `--${name} needs a value: --${name} ${entry.value}.`;
  // `--out --quiet` lacks a value. `--size -5` has a wrong one, and its own check explains that better.
  const isForgotten = inlineValue !== true && /^-\D/.test(value);
  return isForgotten
    ? `--${name} needs a value: --${name} ${entry.value}, or --${name}=${value} if it is that.`
    : undefined;
}

function flagIssue(
  name: string,
  value: string | undefined,
  { choices = [], optional }: CliOption,
): string | undefined {
  if (value === undefined || optional !== undefined || choices.includes(value)) return undefined;
  const others = choices.map((choice) => ` or --${name}=${choice}`).join('');
  return choices.length === 0
    ? `--${name} takes no value.`
    : `Write --${name}${others}, not --${name}=${value}.`;
}

/** A word, quoted for a message. */
export function show(word: string): string {
  return JSON.stringify(word);
}
