// The settings of an evaluation: a tier or another library's splitter, a size, and further options.
import { type ChunkOptions, TIERS, type TierId } from '@grainline/core';
import { OPTIONS } from '@grainline/core/options';
import { PEERS, type PeerId } from './cutting/peers.ts';

/** Options of `chunk` that a setting may have besides its tier and size. */
export type CutOptions = Pick<ChunkOptions, 'overlap' | 'target' | 'min' | 'context'>;

/** One way to cut. */
export interface EvalSetting {
  /** A tier without a language model, or a splitter of another library. */
  readonly tier: TierId | PeerId;
  /** The longest chunk, in characters, or in tokens with the option `measure` of the evaluation. */
  readonly size: number;
  /** Further options of the tier; a splitter of another library takes none. */
  readonly options?: CutOptions;
}

/** Values that a grid of settings combines. */
export interface SettingGrid {
  /** Default: all tiers without a language model. */
  readonly tiers?: readonly (TierId | PeerId)[] | undefined;
  /** Default: 500, 1000 and 1500 characters, or 128, 256 and 512 tokens. */
  readonly sizes?: readonly number[] | undefined;
  /** Unit of the default sizes. Default: characters. */
  readonly unit?: keyof typeof DEFAULT_SIZES | undefined;
  /** Values of further options. A tier that does not take an option is tried without it. */
  readonly options?: {
    readonly [Name in keyof CutOptions]?: readonly NonNullable<CutOptions[Name]>[] | undefined;
  };
}

/** The tiers of a grid that names none: all that need no language model, simplest first. */
export const DEFAULT_TIERS: readonly TierId[] = ['free', 'standard', 'structure', 'professional', 'semantic'];

/** The sizes of a grid that names none, in characters and in tokens. */
const DEFAULT_SIZES = { characters: [500, 1000, 1500], tokens: [128, 256, 512] } as const;

/**
 * The settings of a grid: every tier with every size and every combination of the options that it takes, each once.
 *
 * @example
 * const settings = settingsOf({ tiers: ['standard', 'structure'], sizes: [800], options: { overlap: [0, 100] } });
 */
export function settingsOf({
  tiers = DEFAULT_TIERS,
  unit = 'characters',
  sizes = DEFAULT_SIZES[unit],
  options = {},
}: SettingGrid = {}): EvalSetting[] {
  const settings = sizes.flatMap((size) =>
    tiers.flatMap((tier) => combinationsOf(tier, options).map((chosen) => ({ tier, size, options: chosen }))),
  );
  return [...new Map(settings.map((setting) => [nameOfSetting(setting), setting])).values()];
}

/** The setting's name in reports: `structure 1000 overlap=100`. */
export function nameOfSetting({ tier, size, options = {} }: EvalSetting): string {
  const further = Object.entries(options).map(([name, value]) => `${name}=${value}`);
  return [tier, size, ...further].join(' ');
}

/** True for a splitter of another library. */
export function isPeer(tier: TierId | PeerId): tier is PeerId {
  return Object.hasOwn(PEERS, tier);
}

/** The tiers that an evaluation can try: those that need no language model. */
export const EVAL_TIERS = (Object.keys(TIERS) as TierId[]).filter((tier) => !takes(tier, 'complete'));

function combinationsOf(tier: TierId | PeerId, options: NonNullable<SettingGrid['options']>): CutOptions[] {
  let combinations: CutOptions[] = [{}];
  for (const [name, values] of Object.entries(options)) {
    if (values === undefined || isPeer(tier) || !takes(tier, name)) continue;
    combinations = combinations.flatMap((chosen) => values.map((value) => ({ ...chosen, [name]: value })));
  }
  return combinations;
}

function takes(tier: TierId, option: string): boolean {
  const { tiers } = OPTIONS[option as keyof typeof OPTIONS] as { readonly tiers?: readonly TierId[] };
  return tiers === undefined || tiers.includes(tier);
}
