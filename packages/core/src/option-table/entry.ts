// The shape of an option in the table: the values that it accepts, its names, and its control of the page.
import type { TierId } from '../tiers/registry.ts';

/**
 * Interfaces at which options have names of their own. `library` is `chunk` of `@grainline/core`, `extract` is the
 * reading of documents by `@grainline/extract`.
 */
export type OptionSurface = 'library' | 'extract' | 'wire' | 'cli' | 'mcp';

/** The unit of sizes. */
export type Unit = 'characters' | 'tokens';

/** One option. Members that are absent make no restriction. */
export interface OptionEntry {
  /** A noun phrase without a full stop; for options of the library alone in Markdown. */
  readonly meaning: string;
  /** A clause that help texts leave out. */
  readonly note?: string;
  /** Absent for a function or an object, which only programs can give. */
  readonly type?: 'integer' | 'number' | 'flag' | 'choice' | 'text';
  /** Of an integer or a number: the least value. */
  readonly min?: number;
  /** Of an integer or a number: the greatest value, or the option whose value it must not exceed. */
  readonly max?: number | string;
  /** Of an integer: the option whose value it must stay below. */
  readonly below?: string;
  /** Of an integer: true when it counts UTF-16 units or tokens, as the option `unit` says. */
  readonly inUnit?: true;
  /** Of a text: the greatest length in UTF-16 units. */
  readonly maxLength?: number;
  /** Of a text: the pattern of all of it, and the same in words that continue "must be". */
  readonly pattern?: readonly [source: string, expected: string];
  /** Of a text: true when it has ranges, as `3-7`, of which none may end before it begins. */
  readonly ascends?: true;
  /** True for a text that no log, error, store, payment or address may hold. */
  readonly secret?: true;
  /** Of a choice: the words. */
  readonly choices?: readonly string[];
  /** Of a choice: meanings of words that do not say it. */
  readonly about?: Readonly<Record<string, string>>;
  /** Further words that the wire takes, each with the choice that it stands for. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** The value when none is given, which may depend on the unit; where it is no fixed value, how it is found. */
  readonly default?: string | number | false | Readonly<Record<Unit, number>>;
  /** The option without which this one is refused, and the value that it must have. */
  readonly needs?: readonly [key: string, value: string];
  /** Tiers that take the option, when not all do. */
  readonly tiers?: readonly TierId[];
  /** The option's name on each surface that has it. */
  readonly names: Readonly<Partial<Record<OptionSurface, string>>>;
  /** Placeholder of the value in the help of the command line; a flag has none. */
  readonly placeholder?: string;
  /** Letter of the command line. */
  readonly short?: string;
  /**
   * The control of the page: a slider for an integer, a list for a choice, a field for a text. Only for an option with
   * a fixed default, or of reading.
   */
  readonly control?: OptionControl;
}

/** A control of the page. */
export interface OptionControl {
  /** Label, in which `{value}` and `{unit}` stand for what is chosen. */
  readonly label: string;
  /** Of a slider: the step, and the useful range where it is less than the option's own, by unit. */
  readonly range?: Readonly<Record<Unit, Partial<Record<'min' | 'max' | 'step', number>>>>;
  /** Of a slider: the greatest value as a share of the option that bounds it. Default 1. */
  readonly share?: number;
  /** Of a list: texts of words that differ from them. */
  readonly texts?: Readonly<Record<string, string>>;
  /**
   * Of an option of reading: the kinds of documents that it changes, by their names at the service. Mail passes it on
   * to its attachments.
   */
  readonly kinds?: readonly string[];
}

/** Options by their key in the library. */
export type OptionTable = Readonly<Record<string, OptionEntry>>;
