// The real child with injected code from the tier's name. It simulates a document that makes a reader run its code; no
// such document is known.
import type { WorkerReply } from '../../src/sandbox/reply.ts';
import type { WorkerTask } from '../../src/sandbox/task.ts';
import work from '../../src/sandbox/child.ts';

type Run = (load: (name: string) => unknown) => Promise<unknown>;

export default async function runInjected(task: WorkerTask): Promise<WorkerReply> {
  await work(task);
  // The test runs arbitrary code.
  // eslint-disable-next-line @typescript-eslint/no-implied-eval
  const run = new Function('load', `return (async () => { ${task.records.tierName} })()`) as Run;
  const outcome = await run((name) => process.getBuiltinModule(name)).then(
    (value) => ({ did: value ?? null }),
    (error: unknown) => ({ refused: codeOf(error) }),
  );
  const metadata = { filename: '', content_type: '', size_bytes: 0, estimated_pages: 1 };
  return { result: { metadata, totalChunks: 0, members: JSON.stringify(outcome), warnings: [] } };
}

/** The code of the innermost cause, because `fetch` wraps errors. */
function codeOf(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  return error.cause === undefined ? (Reflect.get(error, 'code') ?? error.message) : codeOf(error.cause);
}
