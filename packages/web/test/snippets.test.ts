// Runs the page's programs: the shell's and those over HTTP against a service. The others are parsed.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSettings, type RunningService, startService } from '@grainline/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as grainline from 'grainline';
import { FORMATS } from '@grainline/core/formats';
import { LOADING_LINES, type Repeated, snippetsOf } from '../src/export/snippets.ts';
import type { TierChoice } from '../src/document/tiers.ts';

/** A name with the special characters of shells, JSON and forms. */
const FILENAME = `it's a "tide"; table, 1\\2 $HOME.txt`;
const TEXT = 'The tide turns at noon. The pilot boards at two.\n\n'.repeat(30);

let service: RunningService;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'grainline-snippets-'));
  writeFileSync(join(folder, FILENAME), TEXT);
  const settings = { PORT: '0', PAYMENTS: 'off', LOG_LEVEL: 'silent', DATA_DIR: join(folder, 'data') };
  service = await startService(readSettings(settings));
  await service.ready;
});
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true });
});

const choice = (id: string, isLocal: boolean, amount = 0): TierChoice => ({
  id,
  description: '',
  isLocal,
  offer: {
    id,
    price_usd: amount / 1e6,
    amount,
    mode: 'sync',
    available: true,
    path: `/chunk/${id}`,
    description: '',
    options: [],
    max_characters: null,
    max_cost_usd: null,
  },
});

function codeOf(id: string, changed: Partial<Repeated> = {}): string {
  const repeated: Repeated = {
    base: `${service.url}/`,
    tier: choice('structure', true),
    options: { size: 200, overlap: 20, unit: 'characters' },
    filename: FILENAME,
    ...changed,
  };
  return snippetsOf(repeated).find((snippet) => snippet.id === id)?.code ?? '';
}

interface Ran {
  readonly code: number | string;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program in another process, because its service runs in this one. */
function run(command: string, args: readonly string[]): Promise<Ran> {
  const options = { cwd: folder, env: { PATH: process.env['PATH'] }, timeout: 20_000 };
  return new Promise((resolve) => {
    execFile(command, [...args], options, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
  });
}

const parsesWithNode = async (name: string, code: string): Promise<void> => {
  writeFileSync(join(folder, name), code);
  expect(await run(process.execPath, ['--check', name])).toMatchObject({ code: 0, stderr: '' });
};

describe('the snippet', () => {
  it('of curl uploads a file of any name and gets chunks', async () => {
    const { stdout } = await run('sh', ['-c', codeOf('curl').replace('curl ', 'curl -sS ')]);
    const answer = JSON.parse(stdout) as {
      success: boolean;
      chunks: unknown[];
      metadata: { filename: string };
    };
    expect(answer).toMatchObject({ success: true, tier: 'structure' });
    expect(answer.chunks.length).toBeGreaterThan(1);
  });

  it('of curl for a link is taken as a request for that link', async () => {
    const url = `http://127.0.0.1:1/it's%20there?a=1&b="2"`;
    const { stdout } = await run('sh', ['-c', codeOf('curl', { url }).replace('curl ', 'curl -sS ')]);
    // Private addresses are rejected; the rejection proves that the address was read.
    expect(JSON.parse(stdout)).toMatchObject({
      code: expect.stringMatching(/url|link|address|fetch/) as string,
    });
  });

  it('of TypeScript over HTTP runs', async () => {
    const code = codeOf('typescript', { tier: choice('semantic', false) });
    writeFileSync(join(folder, 'snippet.mts'), code);
    const { stdout, stderr } = await run(process.execPath, ['snippet.mts']);
    expect(stderr).toBe('');
    expect(stdout).toContain("tier: 'semantic'");
  });

  it('of TypeScript with the library parses, and imports what there is', async () => {
    for (const unit of ['characters', 'tokens'] as const) {
      const code = codeOf('typescript', { options: { size: 200, overlap: 20, unit } });
      await parsesWithNode('library.mjs', code);
      const [, names = ''] = /import \{ (.*) \} from 'grainline'/.exec(code) ?? [];
      expect(names.split(', ').length).toBeGreaterThan(1);
      for (const name of names.split(', ')) expect(grainline).toHaveProperty(name);
      expect(code).toContain(unit === 'tokens' ? 'tokenCounter' : 'overlap: 20');
    }
  });

  it('of Python parses', async ({ skip }) => {
    if ((await run('python3', ['--version'])).code !== 0) {
      console.warn('SKIPPED: there is no python3 here, so the Python snippets are not parsed.');
      skip();
    }
    for (const code of [
      codeOf('python'),
      codeOf('python', { url: 'https://example.org/"a"' }),
      codeOf('python', { tier: choice('semantic', false, 4000) }),
    ]) {
      const parsed = await run('python3', ['-c', 'import ast, sys; ast.parse(sys.argv[1])', code]);
      expect(parsed).toEqual({ code: 0, stdout: '', stderr: '' });
    }
  });

  it('of a paid tier says where the payment goes', () => {
    for (const id of ['curl', 'typescript', 'python'])
      expect(codeOf(id, { tier: choice('semantic', false, 4000) })).toContain('X-PAYMENT');
  });

  it('is the library alone where the service does not offer the tier, and says which files it does not take', () => {
    const alone = { ...choice('standard', true), offer: undefined };
    expect(codeOf('curl', { tier: alone })).toBe('');
    expect(codeOf('typescript', { tier: alone })).toContain("tier: 'standard'");
    expect(codeOf('curl', { objection: 'No such files.' })).toMatch(/^# No such files\.\ncurl /);
  });

  it('reads a file as the page has read it', async () => {
    const reading = { pages: '1, 3-', links: 'markdown' } as const;
    expect(codeOf('typescript', { reading })).toContain(`, pages: '1, 3-', links: 'markdown' }`);
    const code = codeOf('curl', { reading }).replace('curl ', 'curl -sS ');
    const { stdout } = await run('sh', ['-c', code]);
    // The text has no pages, which the service says when it has understood the field.
    expect(JSON.parse(stdout)).toMatchObject({ code: 'no_such_pages' });
  });

  it('that loads records is there for every format', async () => {
    expect(Object.keys(LOADING_LINES).sort()).toEqual(Object.keys(FORMATS).sort());
    for (const line of Object.values(LOADING_LINES)) await parsesWithNode('line.mjs', line);
  });
});
