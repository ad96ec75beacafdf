// The types of the options' values, which follow from the table.
import type { OptionSurface } from './entry.ts';
import type { OPTIONS } from './table.ts';

type Entries = typeof OPTIONS;

/** Key of an option in {@link OPTIONS}. */
export type OptionName = keyof Entries;

interface ValueTypes {
  readonly integer: number;
  readonly number: number;
  readonly flag: boolean;
  readonly text: string;
}

type ValueOf<Entry> = Entry extends { readonly choices: readonly (infer Word)[] }
  ? Word
  : Entry extends { readonly type: infer Type extends keyof ValueTypes }
    ? ValueTypes[Type]
    : never;

/** Values of the options that can be written down, by the option's key. */
export type OptionValues = {
  readonly [Name in OptionName as Entries[Name] extends { readonly type: string } ? Name : never]?:
    ValueOf<Entries[Name]> | undefined;
};

/** Values of the options of one surface, by the option's name there. */
export type SurfaceValues<Surface extends OptionSurface> = {
  readonly [
    Name in OptionName as Entries[Name]['names'] extends Readonly<Record<Surface, infer Named extends string>>
      ? Named
      : never
  ]?: ValueOf<Entries[Name]> | undefined;
};
