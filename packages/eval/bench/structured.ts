// Our tiers beside LangChain's Markdown or Python splitter over the development sets, at equal tokens in each document:
// by keywords, by the built-in embedder, and texts by MiniLM in transformers.js, as users run it. It writes RESULTS.md,
// losses included. Needs the sets beside the repository, `npm run build`, and the packages of `packages/models/peers`.
//   node packages/eval/bench/structured.ts [SET …]    default: tables reports documentation code
import path from 'node:path';
import type { Embed } from '@grainline/core';
import { evaluate, type EvaluateOptions, markdownReport, settingsOf } from '@grainline/eval';
import { transformersEmbedder } from '@grainline/models/embeddings';
import { folderOfModels, importLibrary, MINILM } from '@grainline/testing/minilm';
import { recordResults } from '@grainline/testing/results';
import { hasStructuredSets, readStructuredSet, STRUCTURED_SETS } from './structured-sets.ts';

const SETS = ['tables', 'reports', 'documentation', 'code'];
const SIZES = [1000];

if (!hasStructuredSets) {
  console.error(`There are no sets in ${STRUCTURED_SETS}.`);
  process.exit(1);
}
const chosen = process.argv.length > 2 ? process.argv.slice(2) : SETS;
const models = await folderOfModels();
try {
  const miniLm = await transformersEmbedder({
    model: MINILM,
    localPath: models.folder,
    library: await importLibrary(),
  });
  for (const name of chosen)
    await recordResults(import.meta.dirname, `structured: ${name}`, () => measure(name, miniLm), 'markdown');
} finally {
  models.remove();
}

async function measure(name: string, miniLm: Embed): Promise<void> {
  const set = readStructuredSet(name);
  const common = { ...set, folder: path.join(import.meta.dirname, '../peers') };
  const isCode = name === 'code';
  const peer = isCode ? 'langchain-python' : 'langchain-markdown';
  await report({
    ...common,
    settings: settingsOf({ tiers: ['structure', 'professional', peer], sizes: SIZES }),
  });
  // MiniLM reads no code, and takes most of the time, so it compares the default tier alone.
  if (isCode) return;
  const settings = settingsOf({ tiers: ['structure', peer], sizes: SIZES });
  await report({ ...common, settings, retrievers: ['vectors'], embed: miniLm });
}

async function report(options: EvaluateOptions): Promise<void> {
  const before = process.cpuUsage();
  const found = await evaluate({
    ...options,
    onProgress: ({ done, total, name }) => console.error(`${done}/${total} ${name}`),
  });
  const { user, system } = process.cpuUsage(before);
  console.error(`${((user + system) / 1e6).toFixed(1)} s of processor time`);
  console.log(markdownReport(found));
}
