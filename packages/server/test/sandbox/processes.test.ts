import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { describe, expect, it } from 'vitest';
import { isAlive } from '@grainline/testing/processes';

/** A program that starts an endless process, prints its id, and ends as given. */
const program = (end: string): string => `
  import { spawn } from 'node:child_process';
  import { endWithUs } from ${JSON.stringify(import.meta.resolve('@grainline/testing/processes'))};
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)']);
  endWithUs(child);
  console.log(child.pid);
  ${end}
`;

describe('a process that ends with its program', () => {
  it.each([
    ['throws', `throw new Error('a fault')`, null],
    ['rejects', `await Promise.reject(new Error('a fault'))`, null],
    ['exits', 'process.exit(0)', null],
    ['is told to stop', '', 'SIGTERM'],
    ['is interrupted', '', 'SIGINT'],
  ] as const)('is gone when that one %s', async (_, end, signal) => {
    const parent = spawn(process.execPath, ['--input-type=module', '-e', program(end)], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const exited = once(parent, 'exit');
    const [line] = (await once(createInterface(parent.stdout), 'line')) as [string];
    if (signal !== null) parent.kill(signal);
    await exited;
    await expect.poll(() => isAlive(Number(line))).toBe(false);
  });
});
