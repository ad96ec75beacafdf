// The child that the service starts, with somebody in it who runs what he likes: the code stands in the tier's name. It
// stands for a document that made a reader run its own code, which none is known to do.
import type { Reply } from '../../src/workplace/reply.ts';
import type { Task } from '../../src/workplace/task.ts';
import work from '../../src/workplace/child.ts';

type Run = (load: (name: string) => unknown) => Promise<unknown>;

export default async function obey(task: Task): Promise<Reply> {
  await work(task);
  // This is what the test is about.
  // eslint-disable-next-line @typescript-eslint/no-implied-eval
  const run = new Function('load', `return (async () => { ${task.records.tierName} })()`) as Run;
  const said = await run((name) => process.getBuiltinModule(name)).then(
    (value) => ({ did: value ?? null }),
    (error: unknown) => ({ refused: codeOf(error) }),
  );
  const metadata = { filename: '', content_type: '', size_bytes: 0, estimated_pages: 1 };
  return { finished: { metadata, totalChunks: 0, members: JSON.stringify(said), warnings: [] } };
}

/** The code of the innermost cause: `fetch` wraps what it meets. */
function codeOf(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  return error.cause === undefined ? (Reflect.get(error, 'code') ?? error.message) : codeOf(error.cause);
}
