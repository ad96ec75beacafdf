// Runs every code block of the README and the docs: programs as programs, shell lines against a running server.
import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { writePdf } from '@grainline/testing/pdf-writer';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, startBuiltServer } from './built-server.ts';
import { blocksIn, isWorkspaceCommand, ROOT } from './code-blocks.ts';

/** Outside every workspace, where npx finds the commands, and inside the repository, where packages resolve. */
const SCRATCH = join(ROOT, '.grainline');
const BUILT =
  existsSync(join(ROOT, 'packages/cli/dist/bin.js')) && existsSync(join(ROOT, 'packages/server/dist/bin.js'));

const run = promisify(execFile);

const PYTHON_CLIENT = join(ROOT, 'packages/python/src');
/** Where there is no Python, its code is only parsed. */
const PYTHON = spawnSync('python3', ['--version']).status === 0;
if (!PYTHON) console.warn('SKIPPED: code blocks in Python; there is no python3.');

describe.skipIf(!BUILT)('every program and command of the docs (needs `npm run build`)', () => {
  let server: RunningServer;
  let site: Server;
  let siteUrl: string;

  beforeAll(async () => {
    rmSync(SCRATCH, { recursive: true, force: true });
    mkdirSync(SCRATCH, { recursive: true });
    const pdf = writePdf({
      pages: Array.from({ length: 3 }, (_, page) => ({
        lines: [`Page ${page + 1}`, 'Harbour pilots board ships beyond the bar.'],
      })),
    });
    site = createServer((_, response) =>
      response.setHeader('Content-Type', 'application/pdf').end(pdf),
    ).listen(0, '127.0.0.1');
    await new Promise((resolve) => site.once('listening', resolve));
    const { port } = site.address() as AddressInfo;
    siteUrl = `http://127.0.0.1:${port}`;
    server = await startBuiltServer({
      PAYMENTS: 'off',
      FREE_PAGES_PER_DAY: '100000',
      FETCH_ALLOW: `127.0.0.1:${port}`,
    });
  });

  afterAll(async () => {
    site.close();
    await server.stop();
    rmSync(SCRATCH, { recursive: true, force: true });
  });

  /** A folder with the files that the docs mention, inside the repository so that package names resolve. */
  function folderFor(): string {
    const folder = mkdtempSync(join(SCRATCH, 'block-'));
    const pdf = writePdf({
      pages: [{ lines: ['Quarterly report'] }, { lines: ['Sales rose in the north.'] }],
    });
    writeFileSync(join(folder, 'report.pdf'), pdf);
    writeFileSync(join(folder, 'notes.md'), '# Notes\n\nA tide table lists high water.\n');
    mkdirSync(join(folder, 'docs'));
    writeFileSync(join(folder, 'docs/guide.html'), '<h1>Guide</h1><p>Read me.</p>');
    const question = { question: 'What does the guide say?', document: 'guide.html', answer: 'Read me.' };
    writeFileSync(join(folder, 'questions.jsonl'), JSON.stringify(question));
    return folder;
  }

  const placed = (code: string): string =>
    code.replaceAll('http://127.0.0.1:8402', server.url).replaceAll('https://example.com', siteUrl);

  it.each(blocksIn('js', 'ts').map((block) => [`${block.page}:${block.line}`, block] as const))(
    '%s runs',
    async (_, block) => {
      const folder = folderFor();
      const file = join(folder, block.language === 'ts' ? 'block.ts' : 'block.mjs');
      writeFileSync(file, placed(block.code));
      await run(process.execPath, [file], { cwd: folder, timeout: 20_000 });
    },
  );

  it('also as TypeScript every program is sound, whatever language its block is in', async () => {
    const folder = mkdtempSync(join(SCRATCH, 'types-'));
    for (const { page, line, code } of blocksIn('js', 'ts').filter(({ marks }) => !marks.includes('untyped')))
      writeFileSync(join(folder, `${page.replaceAll(/[/.]/g, '_')}_${line}.ts`), `${code}\nexport {};\n`);
    const compilerOptions = {
      ...{ strict: true, noEmit: true, skipLibCheck: true },
      ...{ module: 'nodenext', target: 'es2023', types: ['node'] },
      // The types of the private playground refer to sources of the private package of tests.
      ...{ lib: ['es2024'], allowImportingTsExtensions: true },
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
    const issues = await run(process.execPath, [
      join(ROOT, 'node_modules/typescript/bin/tsc'),
      '-p',
      folder,
    ]).then(
      () => '',
      (error: unknown) => (error as { stdout: string }).stdout,
    );
    expect(issues).toBe('');
  });

  it.skipIf(!PYTHON).each(blocksIn('python').map((block) => [`${block.page}:${block.line}`, block] as const))(
    '%s runs',
    async (_, block) => {
      const folder = folderFor();
      writeFileSync(join(folder, 'block.py'), placed(block.code));
      const env = { ...process.env, PYTHONPATH: PYTHON_CLIENT, PYTHONDONTWRITEBYTECODE: '1' };
      await run('python3', [join(folder, 'block.py')], { cwd: folder, env, timeout: 20_000 });
    },
  );

  const lines = blocksIn('sh').filter((block) => !isWorkspaceCommand(block));
  it.each(lines.map((block) => [`${block.page}:${block.line}`, block] as const))(
    '%s runs',
    async (_, block) => {
      const folder = folderFor();
      const strict = 'curl() { command curl --silent --show-error --fail-with-body "$@"; }';
      const path = `${join(ROOT, 'node_modules/.bin')}:${process.env['PATH'] ?? ''}`;
      const outcome = await run('bash', ['-euo', 'pipefail', '-c', `${strict}\n${placed(block.code)}`], {
        cwd: folder,
        env: { ...process.env, PATH: path },
        timeout: 20_000,
      }).then(
        () => 'worked',
        (error: unknown) =>
          `failed: ${String((error as { stderr?: string }).stderr)}${String((error as { stdout?: string }).stdout)}`,
      );
      if (block.marks.includes('fails')) expect(outcome).toMatch(/^failed/);
      else expect(outcome).toBe('worked');
    },
  );
});
