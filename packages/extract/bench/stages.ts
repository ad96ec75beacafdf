// The stages of our reader on the thread that reads, as shares of its samples, in the first pass of a process and warm.
// A process of its own, as profiling slows what it measures.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { type Profiler, Session } from 'node:inspector/promises';
import { pathToFileURL } from 'node:url';
import type { BenchDocument } from './documents.ts';
import { type BenchKind, OURS, readerNamed } from './readers.ts';

/** Passes behind the first that count as warm, as in the comparison. */
const WARM_PASSES = 2;
const INTERVAL_US = 100;
const LEAST_SHARE = 0.01;

/** The functions at which the stages begin; the innermost on the stack decides. */
const STAGES: ReadonlyMap<string, string> = new Map([
  ['detectKind', 'kind'],
  ['openZip', 'unpacking'],
  ['unpack', 'unpacking'],
  ['xmlText', 'decoding'],
  ['readXml', 'XML and tree'],
  ['withBoldHeadings', 'bold headings'],
  ['serialise', 'text and blocks'],
  ['(garbage collector)', 'collector'],
  ['(program)', 'engine'],
]);
/** The profiler itself, and waiting. */
const LEFT_OUT: ReadonlySet<string> = new Set(['post', '(idle)']);
/** Functions of Node that load modules. */
const LOADER = 'node:internal/modules/';

/** Prints the shares for some documents. */
export function printStages(kind: BenchKind, documents: readonly BenchDocument[]): void {
  const files = documents.map(({ file }) => file);
  const arguments_ = ['--no-warnings', import.meta.filename, kind, ...files];
  console.log(`\n${execFileSync(process.execPath, arguments_, { encoding: 'utf8' }).trim()}`);
}

async function profilePasses(kind: BenchKind, files: readonly string[]): Promise<void> {
  const contents = files.map((file) => readFileSync(file));
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.setSamplingInterval', { interval: INTERVAL_US });
  await session.post('Profiler.start');
  const read = await readerNamed(OURS).kinds[kind]?.();
  for (let pass = 0; pass <= WARM_PASSES; pass++) {
    for (const bytes of contents) await read?.(Uint8Array.from(bytes)).catch(() => undefined);
    if (pass > 0 && pass < WARM_PASSES) continue;
    const { profile } = await session.post('Profiler.stop');
    console.log(`Ours by stage, ${pass === 0 ? 'first pass' : 'warm'}: ${sharesOf(profile)}`);
    await session.post('Profiler.start');
  }
}

/** `XML and tree 43 %, modules 12 %, …`, the largest first. */
function sharesOf({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): string {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
  const stageOf = (id: number | undefined): string | undefined => {
    const frame = byId.get(id ?? -1)?.callFrame;
    if (frame === undefined) return 'rest';
    if (LEFT_OUT.has(frame.functionName)) return undefined;
    if (frame.url.startsWith(LOADER)) return 'modules';
    return STAGES.get(frame.functionName) ?? stageOf(parents.get(id ?? -1));
  };
  const times = new Map<string, number>();
  for (const [index, id] of samples.entries()) {
    const stage = stageOf(id);
    if (stage === undefined) continue;
    times.set(stage, (times.get(stage) ?? 0) + (timeDeltas[index] ?? 0));
  }
  const total = [...times.values()].reduce((sum, time) => sum + time, 0);
  return [...times]
    .filter(([, time]) => time >= LEAST_SHARE * total)
    .sort(([, a], [, b]) => b - a)
    .map(([stage, time]) => `${stage} ${((100 * time) / total).toFixed(0)} %`)
    .join(', ');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [kind, ...files] = process.argv.slice(2);
  await profilePasses(kind as BenchKind, files);
}
