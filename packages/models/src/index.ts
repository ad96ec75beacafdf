/** Grainline's models: exact token counters. Also importable on their own from `@grainline/models/tokens`. */
export { ENCODINGS, type EncodingName, tokenCounter } from './tokens/counter.ts';
export { TokenError, type TokenErrorCode } from './tokens/errors.ts';
