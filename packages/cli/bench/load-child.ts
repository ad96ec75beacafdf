// The process of load.ts: loads a folder and prints its figures. With a file of edits, it loads the folder, makes the
// edits and loads it again, with a store in memory. With a folder of models, MiniLM embeds.
import { readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Embed, VectorStore } from '@grainline/core';
import { cachedEmbedder, EmbeddingCache, transformersEmbedder } from '@grainline/models/embeddings';
import { currentVersions, load } from '@grainline/pipeline/load';
import { createMemoryStore } from '@grainline/testing/memory-store';
import { importLibrary, MINILM } from '@grainline/testing/minilm';
import { readArguments } from '../src/args/arguments.ts';
import { createLoadWork } from '../src/local/load-work.ts';
import { createRunLog } from '../src/output/terminal.ts';
import { findSources } from '../src/sources/sources.ts';

const [folder = '', workers = '1', edits, models] = process.argv.slice(2);
const signal = new AbortController().signal;
const io = {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  isPiped: false,
  cwd: dirname(folder),
  environment: {},
  processors: 2,
  signal,
};
const request = readArguments(['load', folder, '--to', 'memory:bench', '--workers', workers]);
if (request.kind !== 'load') throw new Error('The arguments are those of a load.');
const log = createRunLog(process.stderr, { quiet: true, showProgress: false });

/** A store that takes everything and keeps nothing. */
async function createSink(): Promise<VectorStore> {
  const store = await createMemoryStore();
  return {
    ...store,
    upsert: () => Promise.resolve(),
    putEntries: () => Promise.resolve(),
  };
}

const store = await (edits === undefined ? createSink() : createMemoryStore());
const work = createLoadWork(request, io, log);
const versions = await currentVersions({ tier: 'structure' });
const embed = models === undefined ? work.embed : await miniLm(models);
const { model, dimensions } = await embed(['proof'], {});

/** The embedder of a model in this process, with its vectors kept in memory in place of a file. */
async function miniLm(localPath: string): Promise<Embed> {
  const library = await importLibrary();
  const uncached = await transformersEmbedder({ library, localPath, model: MINILM });
  const { model: name } = await uncached(['proof'], {});
  return cachedEmbedder(uncached, name, new EmbeddingCache({ maxBytes: 2 ** 28 }));
}

async function loadOnce(): Promise<void> {
  const [began, cpu] = [performance.now(), process.cpuUsage()];
  const [source] = await findSources([folder], io, { now: Date.now, pictures: false });
  if (source === undefined) throw new Error('There is no source.');
  const { documents, chunks, embedded } = await load(
    source,
    { store, cut: work.cut, embed, embedBatch: models === undefined ? work.embedBatch : 32 },
    {
      embedding: { model, dimensions, distance: 'cosine', blend: 0.4 },
      versions,
      atOnce: work.atOnce,
      log: { onIssue: ({ shown, error }) => log.failure(error, shown) },
    },
  );
  const { user, system } = process.cpuUsage(cpu);
  const figures = {
    documents: documents.added + documents.changed,
    chunks: chunks.added,
    embedded,
    seconds: (performance.now() - began) / 1000,
    cpuSeconds: (user + system) / 1e6,
    peakMegabytes: process.resourceUsage().maxRSS / 1000,
  };
  console.log(JSON.stringify(figures));
}

if (edits !== undefined) for (const name of readdirSync(folder)) utimesSync(join(folder, name), 1e9, 1e9);
await loadOnce();
if (edits !== undefined) {
  for (const [file, at, text] of JSON.parse(readFileSync(edits, 'utf8')) as [number, number, string][]) {
    const path = join(folder, `${file}.md`);
    const parts = readFileSync(path, 'utf8').split('\n\n');
    writeFileSync(path, parts.with(at, text).join('\n\n'));
  }
  await loadOnce();
}
await work.close();
process.exit(0);
