// The command as a function: arguments and streams in, exit code out. The only place that turns errors into codes.
import manifest from '../package.json' with { type: 'json' };
import { readArguments } from './arguments.ts';
import { chunkInputs } from './chunk-inputs.ts';
import { doctor } from './doctor.ts';
import { codeOf, UsageError } from './errors.ts';
import { doctorHelpText, helpText, listText, mcpHelpText, serveHelpText } from './help.ts';
import type { ImportMcp } from './mcp/mcp.ts';
import { COMMANDS } from './request.ts';
import { type ImportServer, serve } from './serve.ts';
import { createReport, createSink, type Io } from './terminal.ts';

/** What a run ends with; the numbers are part of the interface. */
export const EXIT = { done: 0, failed: 1, usage: 2, interrupted: 130 } as const;

/**
 * Runs the command line.
 *
 * Resolves with the exit code and never rejects: every error is a line on standard error. `serve` resolves when the
 * server has stopped, `mcp` when its client has left.
 *
 * @param importServer how the optional package of the server is loaded
 * @param importMcp how that of the server for agents is
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
      const { mcp } = await import('./mcp/mcp.ts');
      await mcp(request, io, importMcp);
      return EXIT.done;
    }
    if (request.kind === 'doctor') return (await doctor(io, sink)) ? EXIT.done : EXIT.failed;
    await sink.write([await TEXTS[request.kind]()], io.signal);
    return EXIT.done;
  } catch (error) {
    return endedBy(error, argv, io);
  }
}

const TEXTS = {
  help: helpText,
  'serve-help': serveHelpText,
  'mcp-help': mcpHelpText,
  'doctor-help': doctorHelpText,
  list: listText,
  version: () => `${manifest.version}\n`,
} as const;

/** What ends a whole run. A reader that has seen enough (`| head`) ended it on purpose. */
async function endedBy(error: unknown, argv: readonly string[], { stderr, signal }: Io): Promise<number> {
  if (codeOf(error) === 'EPIPE') return EXIT.done;
  if (signal.aborted) return EXIT.interrupted;
  const report = createReport(stderr, { quiet: false, showProgress: false });
  if (error instanceof UsageError) {
    for (const fault of error.faults) report.note(`grainline: ${fault}`);
    const command = COMMANDS.find((name) => name === argv[0]);
    const words = ['grainline', ...(command === undefined ? [] : [command]), '--help'];
    report.note(`Run ${words.join(' ')} to see how it is used.`);
  } else report.failure(error);
  await report.close();
  return error instanceof UsageError ? EXIT.usage : EXIT.failed;
}
