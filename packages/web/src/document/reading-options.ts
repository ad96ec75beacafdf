// The options of reading with a control in the page, from core's table. Values hold only those that differ from the
// default, in the table's order, so that equal values have equal JSON.
import { optionsOf, type SurfaceValues } from '@grainline/core/options';
import { CONTROLS } from '../texts.ts';

/** Values of the options of reading that a visitor chooses. A password is none of them. */
export type ReadingValues = {
  readonly [Key in Exclude<keyof SurfaceValues<'extract'>, 'password' | 'regions'>]?: NonNullable<
    SurfaceValues<'extract'>[Key]
  >;
};

/** A control with its value: a list for a word, a field for a text. */
export interface ReadingControl {
  readonly key: string;
  readonly label: string;
  /** The value, or the default. */
  readonly value: string;
  readonly usual: string;
  /** Choices of a list: words and their texts; none for a field. */
  readonly words: readonly (readonly [word: string, text: string])[];
  /** Pattern of a field's text, and the same in words. */
  readonly pattern: readonly [source: string, expected: string] | undefined;
  readonly maxLength: number | undefined;
  readonly kinds: readonly string[];
}

/** The controls of a kind of document, by its name at the service. */
export function readingControlsOf(kind: string, values: ReadingValues): ReadingControl[] {
  return allControls(values).filter(({ kinds }) => kinds.includes(kind));
}

/** Values after a change; the default, '' and impossible words take the option out. */
export function changeReading(values: ReadingValues, key: string, value: string): ReadingValues {
  return kept(allControls({ ...values, [key]: value }));
}

/** The values that change the reading of a kind of document. */
export function readingFor(kind: string, values: ReadingValues): ReadingValues {
  return kept(readingControlsOf(kind, values));
}

/** The values in settings that are shared. Pages are those of one document, and no setting. */
export function sharedReading(values: ReadingValues): ReadingValues {
  return kept(allControls(values).filter(({ words }) => words.length > 0));
}

/** True for the same values. */
export function isSameReading(one: ReadingValues, other: ReadingValues): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** A warning of the reader that names its option as the control in the page does. */
export function withControlName(warning: string): string {
  return warning.replace(/the option (\w+): '(\w+)'/, (whole, key, word) => {
    const { label, words = [] } = allControls({}).find((control) => control.key === key) ?? {};
    const [, text] = words.find(([name]) => name === word) ?? [];
    return label === undefined || text === undefined ? whole : CONTROLS.readingChoice(label, text);
  });
}

function allControls(values: ReadingValues): ReadingControl[] {
  const given: Readonly<Record<string, string | undefined>> = values;
  return optionsOf('extract').flatMap(({ key, entry }) => {
    const { control, choices = [], pattern, maxLength, default: fixed } = entry;
    if (control?.kinds === undefined) return [];
    const { label, texts = {}, kinds } = control;
    const usual = typeof fixed === 'string' ? fixed : '';
    const words = choices.map((word) => [word, texts[word] ?? word] as const);
    return [{ key, label, value: given[key] ?? usual, usual, words, pattern, maxLength, kinds }];
  });
}

function kept(controls: readonly ReadingControl[]): ReadingValues {
  const isKept = ({ value, usual, words, pattern }: ReadingControl): boolean =>
    value !== usual &&
    (words.length === 0
      ? new RegExp(pattern?.[0] ?? '').test(value)
      : words.some(([word]) => word === value));
  return Object.fromEntries(controls.filter(isKept).map(({ key, value }) => [key, value]));
}
