/**
 * Language models for the tiers `ai` and `ai-pro`: adapters for core's port `complete`. `@grainline/models/language`.
 */
export { type AiSdkModel, fromAiSdk } from './ai-sdk.ts';
export { anthropicModel } from './anthropic.ts';
export { AI_SETTINGS, chosenModel, modelChoice, type ModelChoice } from './environment.ts';
export { ModelError, type ModelErrorCode } from '../errors.ts';
export type { Dialect, Features, HttpModelOptions } from './http.ts';
export type { ModelAnswer, ModelRequest, ModelRun, PricedModel } from './model.ts';
export type { ModelEvent, ModelOptions } from './options.ts';
export { openAiModel } from './openai.ts';
export { costUsd, parsePrice, parseUsd, type Price, priceOf } from './prices.ts';
export { type Probe, probeModel } from './probe.ts';
