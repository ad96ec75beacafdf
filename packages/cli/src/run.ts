// The command as a function: arguments and streams → exit code. Only this file turns errors into codes.
import { VectorStoreError, type VectorStoreErrorCode } from '@grainline/core';
import manifest from '../package.json' with { type: 'json' };
import { Interruption, type Io } from './io.ts';
import { readArguments } from './args/arguments.ts';
import { chunkInputs } from './commands/chunk.ts';
import { codeOf, UsageError } from './errors.ts';
import {
  citeHelpText,
  doctorHelpText,
  evalHelpText,
  helpText,
  listText,
  loadHelpText,
  mcpHelpText,
  searchHelpText,
  serveHelpText,
} from './args/help.ts';
import type { ImportMcp } from './commands/mcp/mcp.ts';
import { COMMANDS, type LoadRequest, type SearchRequest } from './args/request.ts';
import { type ImportServer, serve } from './commands/serve.ts';
import { createRunLog, createSink } from './output/terminal.ts';

/** Exit codes; the numbers are part of the interface. */
export const EXIT = { done: 0, failed: 1, usage: 2, interrupted: 130, terminated: 143 } as const;

/** Exit codes of the errors of vector databases; those without a code of their own are `EXIT.failed`. */
const STORE_EXIT: Partial<Record<VectorStoreErrorCode, number>> = {
  invalid_url: EXIT.usage,
  unavailable: 3,
  unauthorized: 4,
  missing_extension: 5,
  client_missing: 5,
  other_embedder: 6,
  other_dimensions: 6,
  other_blend: 6,
  other_version: 6,
  other_layout: 6,
  foreign_collection: 6,
  locked: 7,
  lock_lost: 7,
  not_prepared: 8,
};

/**
 * Runs the command line.
 *
 * Resolves with the exit code and never rejects: every error is a line on standard error. `serve` resolves when the
 * server has stopped, `mcp` when its client has left.
 *
 * @param importServer loads the optional server package
 * @param importMcp loads the optional package of the server for agents
 */
export async function run(
  argv: readonly string[],
  io: Io,
  importServer?: ImportServer,
  importMcp?: ImportMcp,
): Promise<number> {
  const sink = createSink(io.stdout);
  try {
    const request = readArguments(argv);
    if (request.kind === 'chunk') return (await chunkInputs(request, io, sink)) ? EXIT.done : EXIT.failed;
    if (request.kind === 'serve') return await serve(request, io, importServer);
    if (request.kind === 'mcp') {
      const { mcp } = await import('./commands/mcp/mcp.ts');
      await mcp(request, io, importMcp);
      return EXIT.done;
    }
    if (request.kind === 'doctor') {
      const { doctor } = await import('./commands/doctor/doctor.ts');
      return (await doctor(request, io, sink)) ? EXIT.done : EXIT.failed;
    }
    if (request.kind === 'eval') {
      const { evaluateInputs } = await import('./commands/eval.ts');
      return (await evaluateInputs(request, io, sink)) ? EXIT.done : EXIT.failed;
    }
    if (request.kind === 'cite') {
      const { citeInput } = await import('./commands/cite.ts');
      return (await citeInput(request, io, sink)) ? EXIT.done : EXIT.failed;
    }
    if (request.kind === 'load' || request.kind === 'search') return await runWithStore(request, io);
    await sink.write([await TEXTS[request.kind]()], io.signal);
    return EXIT.done;
  } catch (error) {
    return endedBy(error, argv, io);
  }
}

/** Runs a command with a vector database; its credentials stay out of every output. */
async function runWithStore(request: LoadRequest | SearchRequest, given: Io): Promise<number> {
  const { masked, withCredentials } = await import('./commands/store.ts');
  const io = masked(
    await withCredentials(given, request.credentials),
    request.kind === 'load' ? request.to : request.from,
  );
  const sink = createSink(io.stdout);
  try {
    if (request.kind === 'load') {
      const { loadSources } = await import('./commands/load.ts');
      return (await loadSources(request, io, sink)) ? EXIT.done : EXIT.failed;
    }
    const { searchStore } = await import('./commands/search.ts');
    return (await searchStore(request, io, sink)) ? EXIT.done : EXIT.failed;
  } catch (error) {
    return endedBy(error, [request.kind], io);
  }
}

const TEXTS = {
  help: helpText,
  'serve-help': serveHelpText,
  'mcp-help': mcpHelpText,
  'doctor-help': doctorHelpText,
  'eval-help': evalHelpText,
  'cite-help': citeHelpText,
  'load-help': loadHelpText,
  'search-help': searchHelpText,
  list: listText,
  version: () => `${manifest.version}\n`,
} as const;

/** The exit code of a failed run. A closed pipe (`| head`) is a success. */
async function endedBy(error: unknown, argv: readonly string[], { stderr, signal }: Io): Promise<number> {
  if (codeOf(error) === 'EPIPE') return EXIT.done;
  if (signal.aborted) {
    const { reason } = signal as { readonly reason: unknown };
    return reason instanceof Interruption && reason.by === 'SIGTERM' ? EXIT.terminated : EXIT.interrupted;
  }
  const report = createRunLog(stderr, { quiet: false, showProgress: false });
  if (error instanceof UsageError) {
    for (const issue of error.issues) report.note(`grainline: ${issue}`);
    const command = COMMANDS.find((name) => name === argv[0]);
    const words = ['grainline', ...(command === undefined ? [] : [command]), '--help'];
    report.note(`Run ${words.join(' ')} to see how it is used.`);
  } else report.failure(error);
  await report.close();
  if (error instanceof VectorStoreError) return STORE_EXIT[error.code] ?? EXIT.failed;
  return error instanceof UsageError ? EXIT.usage : EXIT.failed;
}
