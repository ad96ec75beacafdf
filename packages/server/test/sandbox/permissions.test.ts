// The files that a child process may read.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { ocrPackages, permissionsFor } from '../../src/sandbox/permissions.ts';

const CHILD = path.join(import.meta.dirname, '../../src/sandbox/worker.ts');

afterEach(() => void vi.restoreAllMocks());

it('are also those of a language beside the program that runs, where the check at the start finds them', () => {
  const program = realpathSync(mkdtempSync(path.join(tmpdir(), 'grainline-program-')));
  const data = path.join(program, 'node_modules/@tesseract.js-data/xyz');
  mkdirSync(data, { recursive: true });
  writeFileSync(path.join(data, 'package.json'), '{"name":"@tesseract.js-data/xyz"}');
  vi.spyOn(process, 'cwd').mockReturnValue(program);
  expect(permissionsFor(CHILD, [], ocrPackages('eng+xyz'))).toContain(`--allow-fs-read=${data}`);
  const without = permissionsFor(CHILD, [], ocrPackages('eng'));
  expect(without.filter((argument) => argument.includes(program))).toEqual([]);
  rmSync(program, { recursive: true });
});
