// The settings that the builds of the packages share. Each package adds its entries and its platform.
import type { Options } from 'tsup';

/** A module for each entry, with declarations, and files for the code that entries share. */
export const SHARED = {
  format: 'esm',
  target: 'es2023',
  splitting: true,
  dts: true,
  clean: true,
  treeshake: true,
} as const satisfies Options;
