// The server: streams ⇄ protocol ⇄ tools. It registers the tools and the resources.
import {
  McpServer,
  ResourceNotFoundError,
  ResourceTemplate,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { McpError } from './errors.ts';
import type { Ports, CallContext } from './ports.ts';
import { createResultCache, type ResultCache } from './result-cache.ts';
import { toolsOf } from './tools/index.ts';
import type { Session, Tool } from './tools/tool.ts';
import { createTransport } from './transport.ts';
import { createCallQueue } from './call-queue.ts';

/**
 * A line holds a text of MAX_TEXT_LENGTH characters of any script; of control characters, six bytes each, fewer.
 */
const MAX_LINE_BYTES = 16 * 1024 * 1024;
/** Time for the answers to open requests after the end of the input; a pipe ends at once, and a cold start is slow. */
const GRACE_MS = 10_000;
/** Documents in local work at the same time, and calls that may wait for it. */
const HERE = { atOnce: 2, waiting: 32 };
/** The same for documents in remote work. */
const THERE = { atOnce: 4, waiting: 32 };
/** Limits of the cache: the results of one piece of an agent's work. */
const KEPT = { count: 32, characters: 64 * 1024 * 1024 };
/**
 * Clients of the official packages take messages of 10 MiB, and JSON of most texts is shorter than five bytes a
 * character.
 */
const MAX_RESOURCE_LENGTH = 2 * 1024 * 1024;

const INSTRUCTIONS =
  'Grainline splits documents into chunks for retrieval. Call chunk_file for a file and chunk_text for a text; the first answer has a ' +
  'summary, an outline and the first chunks, and read_chunks has the others. describe_tiers lists the ways of cutting and all limits. To ' +
  'write the chunks of many files, or records for a vector database, to disk, run the command line instead: npx grainline --help.';

/**
 * Serves the protocol until the client ends its stream, the output fails, or the signal is aborted. No message of a
 * client makes it reject.
 */
export async function serve(ports: Ports): Promise<void> {
  const session: Session = {
    ports,
    results: createResultCache(KEPT),
    localQueue: createCallQueue(HERE.atOnce, HERE.waiting),
    serviceQueue: createCallQueue(THERE.atOnce, THERE.waiting),
  };
  const transport = createTransport(ports.stdin, ports.stdout, {
    maxLineBytes: MAX_LINE_BYTES,
    graceMs: GRACE_MS,
  });
  const log = (error: Error): void => ports.log(error.message);
  const handle = serveStdio(() => createServer(session), { transport, onerror: log });
  const ended = new Promise<void>((resolve) => {
    const { onclose } = transport;
    transport.onclose = () => {
      onclose?.();
      resolve();
    };
  });
  const stop = (): void => void handle.close();
  if (ports.signal.aborted) stop();
  ports.signal.addEventListener('abort', stop, { once: true });
  await ended;
  ports.signal.removeEventListener('abort', stop);
}

function createServer(session: Session): McpServer {
  const { version } = session.ports;
  const server = new McpServer(
    { name: 'grainline', title: 'Grainline', version },
    {
      instructions: INSTRUCTIONS,
      capabilities: { tools: { listChanged: false }, resources: { listChanged: false } },
    },
  );
  for (const tool of toolsOf(session)) register(server, tool, session);
  registerResults(server, session.results);
  return server;
}

function register(server: McpServer, tool: Tool, { ports }: Session): void {
  const { name, title, description, input, output, annotations } = tool;
  const config = { title, description, inputSchema: input, outputSchema: output, annotations };
  server.registerTool(name, config, async (given, context) => {
    const run = runOf(context);
    try {
      const { structured, text, result } = await tool.run(given, run);
      const link = result === undefined ? [] : [{ type: 'resource_link' as const, ...resourceOf(result) }];
      return { content: [{ type: 'text', text }, ...link], structuredContent: structured };
    } catch (error) {
      // A cancelled request gets no answer.
      run.signal.throwIfAborted();
      return { content: [{ type: 'text', text: ports.describe(error) }], isError: true };
    }
  });
}

function runOf({ mcpReq: { signal, _meta, notify } }: ServerContext): CallContext {
  const progressToken = _meta?.progressToken;
  let last = -1;
  return {
    signal,
    onProgress(share, message) {
      if (progressToken === undefined || share <= last || signal.aborted) return;
      last = share;
      const params = { progressToken, progress: share, total: 1, message };
      // A closed client shows up when the answer is sent.
      notify({ method: 'notifications/progress', params }).catch(() => undefined);
    },
  };
}

const RESULT_URI = 'grainline://results/';
const RESULT_TYPE = 'application/x-ndjson';

function resourceOf(result: string) {
  return {
    uri: RESULT_URI + result,
    name: `result ${result}`,
    description: 'all chunks, a line of JSON for each',
    mimeType: RESULT_TYPE,
  };
}

/** Results as resources, for hosts that keep them out of the model's context. */
function registerResults(server: McpServer, results: ResultCache): void {
  const template = new ResourceTemplate(`${RESULT_URI}{result}`, {
    list: () => ({ resources: results.names().map(resourceOf) }),
  });
  const about = {
    title: 'Chunks of a result',
    description: 'All chunks of a result, a line of JSON for each',
    mimeType: RESULT_TYPE,
  };
  server.registerResource('result', template, about, (uri, { result }) => {
    const text = linesOf(results, String(result), uri.href);
    return { contents: [{ uri: uri.href, mimeType: RESULT_TYPE, text }] };
  });
}

function linesOf(results: ResultCache, result: string, uri: string): string {
  try {
    const { records } = results.get(result).document;
    const text = records.map((record) => `${JSON.stringify(record)}\n`).join('');
    if (text.length > MAX_RESOURCE_LENGTH) throw new McpError('result_too_long', String(text.length));
    return text;
  } catch (error) {
    if (error instanceof McpError && error.code === 'result_gone') throw new ResourceNotFoundError(uri);
    throw error;
  }
}
