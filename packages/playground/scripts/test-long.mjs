// `npm run test:long`: the programs that take minutes; each exits with 0 when its laws hold.
//
// Programs that measure time, memory or throughput run alone. The fuzzer needs answers within seconds and bounded
// memory, and keeps one processor busy. Programs that kill and restart servers run beside it: they mostly wait for
// leases, ports and starts, and their bounds are several seconds.
//
//   node packages/playground/scripts/test-long.mjs        FUZZ_MINUTES=15, and the settings of each program
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';

const ROOT = join(import.meta.dirname, '../../..');
const FUZZ_MINUTES = process.env['FUZZ_MINUTES'] ?? '15';

const playground = (name, settings = {}) => ({
  words: [`packages/playground/test/long/${name}.ts`],
  settings,
});
const server = (name) => ({ words: [`packages/server/test/long/${name}.ts`], settings: {} });
/** For programs that start the service's children from its sources. */
const FROM_SOURCES = ['--import', './packages/server/test/sandbox/from-sources.mjs'];
/** Loads by steps over queues, whose packages `npm run test:long` installs. */
const steps = { words: [...FROM_SOURCES, 'packages/stores/test/long/steps.ts'], settings: {} };
const fromSources = (name) => ({ words: [...FROM_SOURCES, ...server(name).words], settings: {} });
const FUZZER = ['packages/server/test/fuzz/fuzz.ts', '--findings', 'packages/server/fuzz-findings'];
const fuzz = { words: [...FROM_SOURCES, ...FUZZER, '--minutes', FUZZ_MINUTES], settings: {} };

/**
 * Stages run one after the other, the lanes of a stage at the same time, the programs of a lane one after the other.
 */
const STAGES = [
  [
    [
      playground('replays'),
      playground('crashes', { KILLS_SHARED: '0', KILLS_DATABASE: '0' }),
      playground('throughput'),
      playground('starvation'),
      fromSources('submissions'),
      fromSources('documents'),
      server('attacks'),
      server('scans'),
      server('stops'),
      server('soak'),
      fromSources('sweeps'),
      fromSources('scale'),
      fromSources('first-starts'),
    ],
  ],
  [
    [fuzz],
    [
      playground('kills'),
      fromSources('jobs'),
      playground('crashes', { KILLS_EMBEDDED: '0' }),
      playground('rolling'),
      steps,
    ],
  ],
];

for (const lanes of STAGES) {
  const ended = await Promise.all(lanes.map((lane) => runLane(lane)));
  if (ended.includes(false)) process.exit(1);
}

/** True when every program of the lane ended with 0; a failure ends the lane. */
async function runLane(lane) {
  for (const program of lane) if (!(await run(program))) return false;
  return true;
}

async function run({ words, settings }) {
  const name = basename(
    words.find((word) => word.endsWith('.ts')),
    '.ts',
  );
  const beganMs = performance.now();
  const child = spawn(process.execPath, words, {
    cwd: ROOT,
    env: { ...process.env, ...settings },
    stdio: ['inherit', 'pipe', 'pipe'],
  });
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on('line', (line) => console.log(`${name}: ${line}`));
  const [code, signal] = await once(child, 'close');
  const minutes = ((performance.now() - beganMs) / 60_000).toFixed(1);
  console.log(`${name}: ${code === 0 ? 'holds' : `FAILED (${signal ?? code})`} after ${minutes} minutes`);
  return code === 0;
}
