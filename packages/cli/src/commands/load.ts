// `grainline load`: sources → a vector database, in step with them. The engine is the pipeline's; this file connects it
// with threads, embedder, lock and messages.
import type { StoreSpec, VectorStore } from '@grainline/core';
import { loadCounter } from '@grainline/pipeline';
import {
  currentVersions,
  load,
  type LoadReport,
  type LoadSource,
  type SourceEntry,
} from '@grainline/pipeline/load';
import type { LoadRequest } from '../args/request.ts';
import { closeAll, counted, type Io, printable } from '../io.ts';
import { processSpace, takeOwner } from '../local/load-owner.ts';
import { createLoadWork, type LoadWork } from '../local/load-work.ts';
import { createRunLog, type RunLog, type Sink } from '../output/terminal.ts';
import { findSources } from '../sources/sources.ts';
import { watchSources } from '../sources/watch.ts';
import { openOcr, readPassword } from './documents.ts';
import { type NamedEmbedder, openNamedStore, provenEmbedder } from './store.ts';

/** Weight of the neighbours' vectors in a new store, measured in the bench of retrieval. */
const DEFAULT_BLEND = 0.4;

/** The parts of a run that do not change between its sources and passes. */
interface Run {
  readonly request: LoadRequest;
  readonly io: Io;
  readonly log: RunLog;
  readonly store: VectorStore;
  readonly embedding: StoreSpec['embedding'];
  readonly versions: Readonly<Record<string, string>>;
  readonly work: LoadWork;
  readonly countTokens: ((text: string) => number) | undefined;
}

/**
 * Loads the sources of a request. Resolves with true when all of their documents are in step; failures are reported.
 * Rejects with a VectorStoreError or a ModelError before anything is written when store and embedder do not fit, and
 * with the signal's reason.
 */
export async function loadSources(request: LoadRequest, io: Io, sink: Sink): Promise<boolean> {
  const password = await readPassword(request, request.operands, io);
  const log = createRunLog(io.stderr, { quiet: request.quiet, showProgress: true, isPiped: io.isPiped });
  const closes: (() => unknown)[] = [() => log.close()];
  let isLoading = !request.dryRun;
  try {
    const engine = await openOcr(request.ocr);
    closes.push(() => engine?.close());
    const sources = await findSources(request.operands, io, {
      now: Date.now,
      pictures: engine !== undefined,
    });
    const store = await openNamedStore(request.to, io);
    closes.push(() => store.close());
    const work = createLoadWork(request, io, log, { ocr: engine?.ocr, password });
    closes.push(work.close);
    const watch = request.watch ? await watchSources(request.operands, io) : undefined;
    closes.push(() => watch?.close());
    const run = await createRun(request, io, log, store, work);
    for (;;) {
      let isInStep = true;
      isLoading = !request.dryRun;
      for (const source of sources) isInStep = (await loadOne(source, run, sink)) && isInStep;
      if (watch === undefined) return isInStep;
      isLoading = false;
      log.status('waiting for changes');
      await watch.next();
    }
  } catch (error) {
    if (isLoading && io.signal.aborted) log.note('grainline: Interrupted; the next load goes on from here.');
    throw error;
  } finally {
    await closeAll(closes.reverse());
  }
}

async function createRun(
  request: LoadRequest,
  io: Io,
  log: RunLog,
  store: VectorStore,
  work: LoadWork,
): Promise<Run> {
  const { chunking, contentType, dryRun, ocr } = request;
  const state = await store.inspect({ signal: io.signal });
  const { model, dimensions }: Omit<NamedEmbedder, 'embed'> =
    dryRun && request.embedder !== undefined
      ? // A dry run calls no service: the length of its vectors is that of the store.
        { model: request.embedder.replace(/^[a-z]+:/, ''), dimensions: state?.embedding.dimensions ?? 1 }
      : await provenEmbedder(request.embedder, io, log);
  const blend = request.blend ?? (state === undefined ? DEFAULT_BLEND : (state.embedding.blend ?? 0));
  const embedding = { model, dimensions, distance: 'cosine', ...(blend > 0 ? { blend } : {}) } as const;
  const { assertSameEmbedding } = await import('@grainline/stores');
  // Before a dry run too, which prepares nothing.
  if (state !== undefined) assertSameEmbedding(state.embedding, embedding, store);
  const { tier, ...options } = chunking.options;
  const { encoding, reading } = chunking;
  const counter = dryRun ? await loadCounter(encoding ?? 'o200k') : undefined;
  return {
    request,
    io,
    log,
    store,
    embedding,
    versions: await currentVersions({ tier, ...options, ...reading, encoding, contentType, ocr }),
    work,
    countTokens: counter && ((text) => counter.count(text)),
  };
}

/** Loads one source; true when all of its documents are in step. */
async function loadOne(source: LoadSource, run: Run, sink: Sink): Promise<boolean> {
  const { request, io, log, store, embedding, versions, work, countTokens } = run;
  const { keepVersion, prune, dryRun } = request;
  const owner = dryRun
    ? undefined
    : await takeOwner(io.environment, await processSpace(), store.url, store.collection, source.id);
  try {
    const report = await load(
      source,
      { store, cut: work.cut, embed: work.embed, embedBatch: work.embedBatch, countTokens },
      {
        embedding,
        versions,
        keepVersion,
        prune,
        dryRun,
        atOnce: work.atOnce,
        owner: owner?.name,
        signal: io.signal,
        log: {
          onListed: (toRead, outdated) => announce(toRead, outdated, source, run),
          onBegin: ({ shown }) => log.begin(shown),
          onEnd: ({ shown }) => log.finish(shown),
          onWarning: (warning, { shown }) => log.warning(warning, shown),
          onIssue: ({ shown, error }) => log.failure(error, shown),
        },
      },
    );
    if (dryRun) await log.aside(() => sink.write([planOf(source, report, request)], io.signal));
    else if (!request.watch || hasWritten(report)) log.note(summaryOf(source, report));
    if (report.vanished > report.pruned && (dryRun || !request.watch)) log.note(vanishedNote(source, report));
    return report.documents.failed === 0 && !report.refused;
  } finally {
    await owner?.release();
  }
}

function announce(
  toRead: readonly SourceEntry[],
  outdated: number,
  { id }: LoadSource,
  { log, request }: Run,
): void {
  log.follow(toRead.map(({ shown, size }) => ({ shown, bytes: size })));
  if (outdated > 0 && !request.keepVersion)
    log.note(
      `grainline: ${printable(id)}: ${counted(outdated, 'document')} of another version of reader, cutter or options ${outdated === 1 ? 'is' : 'are'} read again; --keep-version leaves them as they are.`,
    );
}

function hasWritten({ documents: { added, changed, failed }, pruned }: LoadReport): boolean {
  return added + changed + failed + pruned > 0;
}

/** `docs: 12 documents: 3 added, 1 changed, 8 unchanged, 0 failed; 40 chunks added, 2 embedded again, …` */
function summaryOf({ id }: LoadSource, { documents, chunks, pruned }: LoadReport): string {
  const { added, changed, same, unread, failed } = documents;
  const total = counted(added + changed + same + unread + failed, 'document');
  const removed = pruned === 0 ? '' : `, ${pruned} removed`;
  const parts = `${added} added, ${changed} changed, ${same + unread} unchanged${removed}, ${failed} failed`;
  const again = `${chunks.reembedded} embedded again, ${chunks.moved} moved, ${chunks.removed} removed`;
  return `${printable(id)}: ${total}: ${parts}; ${counted(chunks.added, 'chunk')} added, ${again}`;
}

function vanishedNote({ id }: LoadSource, { vanished, refused }: LoadReport): string {
  const gone = `grainline: ${printable(id)}: ${counted(vanished, 'document')} ${vanished === 1 ? 'is' : 'are'} no longer in the source`;
  return refused
    ? `${gone}, more than a fifth of its documents, so none was removed; --prune=all removes ${vanished === 1 ? 'it' : 'them'}.`
    : `${gone}; --prune removes ${vanished === 1 ? 'it' : 'them'} from the database.`;
}

/**
 * ```text
 * docs
 *   documents    3 new, 1 changed, 8 unchanged, 0 failed, 0 removed, 1 gone
 *   chunks       40 new, 2 embedded again, 5 moved, 300 kept, 3 removed
 *   to embed     44 texts, 9,120 tokens, 0.0002 USD
 * ```
 */
function planOf({ id }: LoadSource, report: LoadReport, { price }: LoadRequest): string {
  const { documents, chunks, pruned, vanished, embedded, tokens } = report;
  const { added, changed, same, unread, failed } = documents;
  const cost = price === undefined ? '' : `, ${((tokens * price) / 1e6).toFixed(4)} USD`;
  const number = (count: number): string => count.toLocaleString('en');
  return [
    printable(id),
    `  documents  ${number(added)} new, ${number(changed)} changed, ${number(same + unread)} unchanged, ${number(failed)} failed, ${number(pruned)} removed, ${number(vanished - pruned)} gone`,
    `  chunks     ${number(chunks.added)} new, ${number(chunks.reembedded)} embedded again, ${number(chunks.moved)} moved, ${number(chunks.kept)} kept, ${number(chunks.removed)} removed`,
    `  to embed   ${number(embedded)} texts, ${number(tokens)} tokens${cost}`,
    '',
  ].join('\n');
}
