// One reader in a process of its own, so that a crash, a hang or a leak of one affects no other. Reads the documents
// that it gets by message; all times are CPU time of the whole process, threads of native readers included.
import { readFileSync, writeFileSync } from 'node:fs';
import { type BenchKind, readerNamed } from './readers.ts';

export interface ReadJob {
  readonly file: string;
  /** File that the text is written to; none is written without it. */
  readonly out?: string | undefined;
}

export interface ReadReply {
  /** CPU milliseconds; `undefined` when the document was not read. */
  readonly cpuMs?: number;
  /** The part of it on the thread that reads; compilers, the collector, and threads of native readers have the rest. */
  readonly threadMs?: number;
  /** Number of pages, where the reader says it. */
  readonly pages?: number;
}

export interface WorkerReply {
  readonly result: ReadReply;
  /** Most memory (resident) so far. */
  readonly peakMiB: number;
}

const [name = '', mode = ''] = process.argv.slice(2);
// Readers print warnings; results come by message.
console.log = console.warn = console.info = console.error = () => undefined;
process.on('unhandledRejection', () => undefined);

const reader = readerNamed(name);
const load = mode === 'main' ? reader.main : reader.kinds[mode as BenchKind];
if (load === undefined) throw new Error(`${name} does not read ${mode}.`);
const read = await load();

process.on('message', (job: ReadJob) => {
  void measure(job).then((result) => {
    const peakMiB = process.resourceUsage().maxRSS / 1024;
    process.send?.({ result, peakMiB } satisfies WorkerReply);
  });
});
process.send?.('ready');

async function measure({ file, out }: ReadJob): Promise<ReadReply> {
  const bytes = Uint8Array.from(readFileSync(file));
  const before = process.cpuUsage();
  const threadBefore = process.threadCpuUsage();
  try {
    const output = await read(bytes);
    const { user, system } = process.cpuUsage(before);
    const thread = process.threadCpuUsage(threadBefore);
    const { text, pages = 0 } = typeof output === 'string' ? { text: output } : output;
    if (out !== undefined) writeFileSync(out, text);
    return { cpuMs: (user + system) / 1000, threadMs: (thread.user + thread.system) / 1000, pages };
  } catch {
    return {};
  }
}
