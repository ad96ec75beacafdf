// The settings in the page's address, behind `#`, so that a link shares them. Browsers send that part to no server. It
// never holds a text or a name of a document.
import { OPTIONS } from '@grainline/core/options';
import { changeOptions, type ControlValues, controlsOf, defaultOptions } from '../document/options.ts';
import { changeReading, type ReadingValues, sharedReading } from '../document/reading-options.ts';
import { DEFAULT_TIER, isLocal } from '../document/tiers.ts';

/** The settings of an address. */
export interface AddressSettings {
  readonly tier: string;
  /** The second tier of a comparison. */
  readonly other: string | undefined;
  readonly options: ControlValues;
  /** Without pages, which are those of one document. */
  readonly reading: ReadingValues;
}

/** Reads an address; unknown and impossible values are left out. */
export function readSettings(hash: string): AddressSettings {
  const given = new URLSearchParams(hash.replace(/^#/, ''));
  const tierIn = (name: string): string | undefined => {
    const id = given.get(name);
    return OPTIONS.tier.choices.find((choice) => choice === id);
  };
  let options = defaultOptions(given.get('unit') === 'tokens' ? 'tokens' : 'characters');
  for (const { key, words } of controlsOf(options)) {
    const value = given.get(key);
    if (value === null || key === 'unit') continue;
    if (words.some(([word]) => word === value)) options = changeOptions(options, key, value);
    else if (words.length === 0 && /^\d{1,9}$/.test(value))
      options = changeOptions(options, key, Number(value));
  }
  let reading: ReadingValues = {};
  for (const [key, value] of given) reading = changeReading(reading, key, value);
  const tier = tierIn('tier') ?? DEFAULT_TIER;
  const other = tierIn('compare');
  // A tier of the service has nothing to compare with before its answer.
  const isComparable = other !== undefined && other !== tier && isLocal(other);
  return { tier, other: isComparable ? other : undefined, options, reading: sharedReading(reading) };
}

/** The address of some settings with its `#`; '' for the defaults. */
export function writeSettings({ tier, other, options, reading }: AddressSettings): string {
  const parts = new URLSearchParams();
  if (tier !== DEFAULT_TIER) parts.set('tier', tier);
  if (options.unit !== 'characters') parts.set('unit', options.unit);
  const usual: Readonly<Record<string, unknown>> = defaultOptions(options.unit);
  for (const [key, value] of Object.entries(options))
    if (key !== 'unit' && value !== usual[key]) parts.set(key, String(value));
  for (const [key, value] of Object.entries(sharedReading(reading))) parts.set(key, value);
  if (other !== undefined) parts.set('compare', other);
  const text = parts.toString();
  return text === '' ? '' : `#${text}`;
}
