// The command as a function, in a folder of its own.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { run } from '../src/run.ts';
import { type FakeIo, fakeIo } from './fake-io.ts';

/** A text of several chunks. */
export const PROSE = Array.from(
  { length: 40 },
  (_, index) => `Sentence number ${index} speaks of harbours and tides.`,
).join(' ');

/** The folder of the running test. */
export let folder: string;

/** Gives each test of the calling file a folder, and removes it afterwards. */
export function useFolder(): void {
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'grainline-cli-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });
}

/** Writes a file below the test's folder with its parents. */
export function put(name: string, content: string | Uint8Array = PROSE): void {
  mkdirSync(join(folder, name, '..'), { recursive: true });
  writeFileSync(join(folder, name), content);
}

export const get = (name: string): string => readFileSync(join(folder, name), 'utf8');

/** The result of a run. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Each line of standard output, parsed. */
  readonly records: () => Record<string, unknown>[];
}

/** Runs the command with words separated by blanks. */
export async function grainline(argv: string, changes: Parameters<typeof fakeIo>[1] = {}): Promise<Ended> {
  return grainlineWith(argv.split(' ').filter(Boolean), fakeIo(folder, changes));
}

export async function grainlineWith(argv: readonly string[], io: FakeIo): Promise<Ended> {
  const code = await run(argv, io);
  const stdout = io.stdout.text();
  const records = (): Record<string, unknown>[] =>
    stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  return { code, stdout, stderr: io.stderr.text(), records };
}
