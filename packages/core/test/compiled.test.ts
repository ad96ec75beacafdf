// What the engine keeps of the free tier: V8 drops compiled code together with the last object of a kind that the code
// knows. Asked in a process of its own, because only the engine's own trace tells.
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';

const ENTRY = new URL('../src/free.ts', import.meta.url).href;

/** Splits until the tier is compiled, again after each of many full collections, and prints how many chunks it gave. */
const PROGRAM = `
  import { chunkFree } from ${JSON.stringify(ENTRY)};
  const text = 'The quick brown fox jumps over the lazy dog.\\n\\n'.repeat(5000);
  let chunks = 0;
  for (let round = 0; round < 12; round++) {
    for (let call = 0; call < 12; call++) chunks += chunkFree(text).length;
    globalThis.gc();
  }
  console.log('chunks:', chunks);
`;

describe('the compiled free tier', () => {
  it('outlives full collections, which once made the next calls two to five times as slow', () => {
    const flags = ['--expose-gc', '--trace-deopt', '--no-warnings', '--input-type=module', '--eval', PROGRAM];
    const trace = execFileSync(process.execPath, flags, { encoding: 'utf8', maxBuffer: 2 ** 26 });
    expect(trace).toMatch(/chunks: [1-9]/);
    const dropped = trace.split('\n').filter((line) => line.includes('embedded weak objects cleared'));
    const ofTheTier = ['pack', 'lastEnd', 'nextHit', 'emit', 'skipBlanks', 'skipBlanksBack', 'keep'];
    expect(dropped.filter((line) => ofTheTier.some((name) => line.includes(` ${name}>`)))).toEqual([]);
  });
});
