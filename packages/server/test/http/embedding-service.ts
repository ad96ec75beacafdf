// A service of embeddings on a real socket with OpenAI's API and given answers, and a worker pool whose child processes
// receive its vectors from the server.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createEmbedder } from '../../src/models/embedder.ts';
import { readSettings } from '../../src/settings/settings.ts';
import { createWorkerPool, type WorkerPool } from '../../src/sandbox/index.ts';
import type { ProcessPoolPorts } from '../../src/sandbox/process-pool.ts';
import { FROM_SOURCES, SETTINGS } from '../sandbox/tasks.ts';

export const KEY = 'sk-not-to-be-shown';

/** Sixteen sentences about four things, and a request to cut them. */
export const TEXT = ['harbour and vessel', 'anchor and sailor', 'oven and flour', 'dough and yeast']
  .flatMap((words) =>
    [1, 2, 3, 4].map((time) => `It was said ${time} times of ${words} that they were there.`),
  )
  .join(' ');
export const BODY = { tier: 'semantic', text: TEXT, chunk_size: 300, embeddings: true };

export interface EmbeddingService {
  /** The settings of this service. */
  readonly environment: Readonly<Record<string, string>>;
  readonly requests: { readonly key: string | undefined; readonly texts: readonly string[] }[];
  stop(): void;
}

/** Answers one request for vectors. */
export type AnswerWith = (response: ServerResponse, texts: readonly string[]) => void;

export async function startEmbeddings(answerWith: AnswerWith): Promise<EmbeddingService> {
  const requests: EmbeddingService['requests'] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { input } = JSON.parse(Buffer.concat(parts).toString()) as { input: string[] };
      requests.push({ key: request.headers.authorization, texts: input });
      answerWith(response, input);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    environment: {
      EMBEDDINGS: 'openai',
      EMBEDDINGS_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
      EMBEDDINGS_API_KEY: KEY,
      EMBEDDINGS_MODEL: 'small',
    },
    requests,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Answers with vectors, in a form that may be wrong. */
export function vectors(response: ServerResponse, list: readonly unknown[]): void {
  response.end(JSON.stringify({ data: list.map((embedding, index) => ({ index, embedding })) }));
}

/** A worker pool of one child process with the embedder that the settings name. */
export async function createEmbeddingPool(
  environment: Readonly<Record<string, string>>,
  ports: Pick<ProcessPoolPorts, 'timeout'> = {},
): Promise<WorkerPool> {
  const embed = await createEmbedder(readSettings(environment), { info: () => undefined });
  if (embed === undefined) throw new Error('These settings name no embedder.');
  return createWorkerPool({ ...SETTINGS, workers: 1 }, { ...FROM_SOURCES, ...ports, embed });
}
