// How well a real language model cuts and describes: `npm run eval:ai` with AI_MODEL and the other AI_* settings. Costs
// what the model costs, which it says first. No test asks a real model; this does, and promises nothing about what it
// says.
//
// EVAL_DATA (../shared/bench/quality/data) holds joined documents in choi/*.ref and texts in general/*; EVAL_DOCUMENTS
// (10) of them are asked about.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { chunk, chunkSync, planCompletions } from '@grainline/core';
import { chosenModel, costUsd, modelChoice, priceOf } from '@grainline/models/language';
import { pk, readJoined } from '../../core/test/joined.ts';

const data = path.resolve(process.env.EVAL_DATA ?? '../shared/bench/quality/data');
const most = Number(process.env.EVAL_DOCUMENTS ?? 10);
const LIMITS = { kind: 'text', size: 4000, min: 0 };
const DESCRIBED_UNITS = 20_000;

const choice = modelChoice(process.env);
if (choice === undefined || !existsSync(path.join(data, 'choi'))) {
  console.error(
    choice === undefined
      ? 'No language model is named: set AI_MODEL, and AI_API_KEY, AI_BASE_URL or AI_PROVIDER where the service needs them.'
      : `There are no documents in ${data}: set EVAL_DATA to a folder with choi/*.ref and general/*.`,
  );
  process.exit(2);
}
const complete = chosenModel(choice);
const [model] = [choice.options.model].flat();
const price = priceOf(model, choice.options.prices);
const refs = readdirSync(path.join(data, 'choi')).filter((name) => name.endsWith('.ref'));
const documents = refs.slice(0, most).map((name) => readJoined(path.join(data, 'choi', name)));
const general = path.join(data, 'general');
const texts = (existsSync(general) ? readdirSync(general) : [])
  .filter((name) => /\.(?:md|txt)$/.test(name))
  .map((name) => ({
    name,
    text: readFileSync(path.join(general, name), 'utf8').slice(0, DESCRIBED_UNITS).toWellFormed(),
  }));

const plans = await Promise.all([
  ...documents.map(({ text }) => planCompletions(text, { ...LIMITS, tier: 'ai' })),
  ...texts.map(({ text }) => planCompletions(text, { tier: 'ai-pro' })),
]);
const foreseen = { input: 0, cachedInput: 0, output: 0 };
for (const { inputTokens, outputTokens } of plans) {
  foreseen.input += inputTokens;
  foreseen.output += outputTokens;
}
const dear = price === undefined ? 'of unknown price' : `at most $${costUsd(foreseen, price).toFixed(3)}`;
console.log(`${model}: about ${foreseen.input} tokens in, at most ${foreseen.output} out, ${dear}`);

const usage = { calls: 0, input: 0, cachedInput: 0, output: 0 };
const add = (took) => {
  for (const key of Object.keys(usage)) usage[key] += took[key];
};
const sums = { structure: 0, ai: 0, fallbacks: 0 };
for (const document of documents) {
  const onDecisions = (made) => {
    add(made.usage);
    sums.fallbacks += made.windowsFallback.length;
  };
  sums.structure += pk(document, chunkSync(document.text, { ...LIMITS, tier: 'structure' }));
  sums.ai += pk(document, await chunk(document.text, { ...LIMITS, tier: 'ai', complete, onDecisions }));
}
const mean = (sum) => (sum / documents.length).toFixed(4);
console.log(
  `cutting ${documents.length} joined documents: mean Pk ${mean(sums.ai)}, structure's ${mean(sums.structure)}; ${sums.fallbacks} windows fell back`,
);
for (const { name, text } of texts) {
  let described;
  const onEnriched = (made) => {
    add(made.usage);
    described = made.chunks;
  };
  await chunk(text, { tier: 'ai-pro', complete, onDecisions: ({ usage: took }) => add(took), onEnriched });
  console.log(`describing ${name}: ${JSON.stringify(described)}`);
}
const cost = price === undefined ? '' : `, $${costUsd(usage, price).toFixed(4)}`;
console.log(
  `${usage.calls} answers, ${usage.input} tokens in (${usage.cachedInput} from a cache), ${usage.output} out${cost}`,
);
