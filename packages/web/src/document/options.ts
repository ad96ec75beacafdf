// The options of cutting with a control in the page, from core's table: their controls and defaults, and the members of
// a request.
import { OPTIONS, type OptionTable, type OptionValues, type Unit, wireNameOf } from '@grainline/core/options';
import type { ReadingValues } from './reading-options.ts';

type Entries = typeof OPTIONS;

/** Bounds of a size, which are the service's; a test compares the two. */
export const SIZE_BOUNDS = { min: 10, max: 100_000 } as const;

/** The options as the page bounds them. */
const TABLE: OptionTable = { ...OPTIONS, size: { ...OPTIONS.size, ...SIZE_BOUNDS } };

/** Values of the controls. */
export type ControlValues = {
  readonly [
    Name in keyof OptionValues as Entries[Name] extends { readonly control: { readonly kinds: object } }
      ? never
      : Entries[Name] extends { readonly control: object }
        ? Name
        : never
  ]-?: NonNullable<OptionValues[Name]>;
};

/** A control with its value: a slider for a number, a list for a word. */
export interface Control {
  readonly key: string;
  /** Label, in which `{value}` and `{unit}` stand for the current ones. */
  readonly label: string;
  readonly value: string | number;
  /** Range of a slider: the usual values. */
  readonly range: { readonly min: number; readonly max: number; readonly step: number };
  /** The least and the greatest possible value. */
  readonly bounds: { readonly min: number; readonly max: number };
  /** Choices of a list: words and their texts. */
  readonly words: readonly (readonly [word: string, text: string])[];
}

/** Makes the controls of options. */
export function controlsOf(options: ControlValues, table: OptionTable = TABLE): Control[] {
  const values: Readonly<Record<string, string | number>> = { ...options };
  return Object.entries(table).flatMap(([key, { control, min = 0, max = Infinity, below, choices = [] }]) => {
    if (control === undefined || control.kinds !== undefined) return [];
    const { label, range, share = 1, texts = {} } = control;
    const bound = below ?? max;
    const limit = typeof bound === 'number' ? bound : Number(values[bound]);
    const most = typeof bound === 'number' ? bound : Math.floor(share * limit);
    return [
      {
        key,
        label,
        value: values[key] ?? '',
        range: { min, max: most, step: 1, ...range?.[options.unit] },
        bounds: { min, max: below === undefined ? limit : limit - 1 },
        words: choices.map((word) => [word, texts[word] ?? word] as const),
      },
    ];
  });
}

/** Returns the defaults of a unit. */
export function defaultOptions(unit: Unit, table: OptionTable = TABLE): ControlValues {
  const options = Object.entries(table).filter(
    ([, { control }]) => control !== undefined && control.kinds === undefined,
  );
  const values = options.map(([key, { default: usual }]) => [
    key,
    key === 'unit' ? unit : typeof usual === 'object' ? usual[unit] : usual,
  ]);
  return Object.fromEntries(values) as ControlValues;
}

/** Returns options after a change: another unit brings its defaults, and every value stays within its bounds. */
export function changeOptions(options: ControlValues, key: string, value: string | number): ControlValues {
  if (key === 'unit') return defaultOptions(value === 'tokens' ? 'tokens' : 'characters');
  const bounds = controlsOf(options).find((control) => control.key === key)?.bounds;
  // The other values are bounded by the possible one, not by the given one.
  const given = typeof value === 'number' && bounds !== undefined ? within(value, bounds) : value;
  const controls = controlsOf({ ...options, [key]: given }).map((control) => [
    control.key,
    typeof control.value === 'number' ? within(control.value, control.bounds) : control.value,
  ]);
  return Object.fromEntries(controls) as ControlValues;
}

function within(value: number, { min, max }: Control['bounds']): number {
  return Math.min(max, Math.max(min, Math.round(value)));
}

/** Returns the options as members of a request. */
export function fieldsOf(
  options: Partial<ControlValues> & ReadingValues,
): Readonly<Record<string, string | number>> {
  return Object.fromEntries(Object.entries(options).map(([key, value]) => [wireNameOf(key), value]));
}
