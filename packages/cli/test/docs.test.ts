// Runs every code block of the README and the docs: programs as programs, shell lines against a running server.
import { execFile, spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startBuiltServer, type RunningServer } from './built-server.ts';
import { writePdf } from '../../extract/test/pdf-writer.ts';

const ROOT = join(import.meta.dirname, '../../..');
/** Outside every workspace, where npx finds the commands, and inside the repository, where packages resolve. */
const SCRATCH = join(ROOT, '.grainline');
const PAGES = globSync(['*.md', 'docs/*.md', 'packages/*/README.md', 'examples/*.md'], { cwd: ROOT }).sort();
const BUILT =
  existsSync(join(ROOT, 'packages/cli/dist/bin.js')) && existsSync(join(ROOT, 'packages/server/dist/bin.js'));

const run = promisify(execFile);

/** Clients in Python need no package; where there is no Python their code is only read. */
const PYTHON = spawnSync('python3', ['--version']).status === 0;
if (!PYTHON) console.warn('SKIPPED: code blocks in Python; there is no python3.');

interface CodeBlock {
  readonly page: string;
  readonly line: number;
  /** First word of the info string. */
  readonly language: string;
  /**
   * The other words: `fails` marks a command that must end with an error, `syntax` code that is only parsed, `untyped`
   * a program that is no TypeScript: it shows a mistake that types would forbid, or would be longer than what it shows.
   */
  readonly marks: readonly string[];
  readonly code: string;
}

function codeBlocks(page: string): CodeBlock[] {
  const blocks: CodeBlock[] = [];
  const text = readFileSync(join(ROOT, page), 'utf8');
  for (const match of text.matchAll(/^```([^\n]*)\n(.*?)^```$/gms)) {
    const [language = '', ...marks] = (match[1] ?? '').trim().split(/\s+/);
    const line = text.slice(0, match.index).split('\n').length;
    blocks.push({ page, line, language, marks, code: match[2] ?? '' });
  }
  return blocks;
}

const BLOCKS = PAGES.flatMap(codeBlocks);
const isOnlyParsed = ({ marks }: CodeBlock): boolean => marks.includes('syntax');
const of = (...languages: string[]): CodeBlock[] =>
  BLOCKS.filter((block) => languages.includes(block.language) && !isOnlyParsed(block));
const isWorkspaceCommand = (block: CodeBlock): boolean => /^(?:npm |bash \.ci\/run)/.test(block.code);

describe('every table', () => {
  it('has a line for each row: a row that is wrapped ends the table', () => {
    const broken = PAGES.flatMap((page) => {
      const text = readFileSync(join(ROOT, page), 'utf8').replaceAll(/^```.*?^```$/gms, '');
      const rows = text.split('\n').filter((line) => line.trimStart().startsWith('|'));
      return rows.filter((row) => !row.trimEnd().endsWith('|')).map((row) => `${page}: ${row}`);
    });
    expect(broken).toEqual([]);
  });
});

describe('every code block', () => {
  it('is in a language that some test runs or reads', () => {
    const known = ['js', 'ts', 'python', 'sh', 'json', 'text', 'http'];
    expect(
      BLOCKS.filter((block) => !known.includes(block.language)).map((block) => `${block.page}:${block.line}`),
    ).toEqual([]);
    expect(BLOCKS.length).toBeGreaterThan(5);
  });

  it.each(of('json').map((block) => [`${block.page}:${block.line}`, block] as const))(
    '%s is JSON',
    (_, block) => {
      expect(() => JSON.parse(block.code) as unknown).not.toThrow();
    },
  );

  /** What needs packages, money or a chain that a test has not; each command is told to parse and not to run. */
  const PARSERS: Readonly<Record<string, readonly [string, ...string[]]>> = {
    python: ['python3', '-c', 'import ast, sys; ast.parse(sys.stdin.read())'],
    sh: ['bash', '-n'],
    js: [process.execPath, '--input-type=module', '--check'],
  };
  const parsed = BLOCKS.filter(isOnlyParsed).filter(({ language }) => PYTHON || language !== 'python');
  it.each(parsed.map((block) => [`${block.page}:${block.line}`, block] as const))(
    '%s parses',
    (_, { language, code }) => {
      const [command = '', ...words] = PARSERS[language] ?? [];
      expect(spawnSync(command, words, { input: code, encoding: 'utf8' })).toMatchObject({
        status: 0,
        stderr: '',
      });
    },
  );

  const commands = of('sh').filter(isWorkspaceCommand);
  it.each(commands.map((block) => [`${block.page}:${block.line}`, block] as const))(
    '%s names scripts that exist; CI itself runs them',
    (_, block) => {
      const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
        scripts: Record<string, string>;
      };
      const named = [...block.code.matchAll(/npm (?:run )?([\w:]+)/g)].map((match) => match[1] ?? '');
      expect(named.filter((name) => !['ci', 'install'].includes(name) && !(name in scripts))).toEqual([]);
    },
  );
});

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

  /** A folder with the files that the docs speak of, inside the repository so that package names resolve. */
  function folderFor(): string {
    const folder = mkdtempSync(join(SCRATCH, 'block-'));
    const pdf = writePdf({
      pages: [{ lines: ['Quarterly report'] }, { lines: ['Sales rose in the north.'] }],
    });
    writeFileSync(join(folder, 'report.pdf'), pdf);
    writeFileSync(join(folder, 'notes.md'), '# Notes\n\nA tide table lists high water.\n');
    mkdirSync(join(folder, 'docs'));
    writeFileSync(join(folder, 'docs/guide.html'), '<h1>Guide</h1><p>Read me.</p>');
    return folder;
  }

  const placed = (code: string): string =>
    code.replaceAll('http://127.0.0.1:8402', server.url).replaceAll('https://example.com', siteUrl);

  it.each(of('js', 'ts').map((block) => [`${block.page}:${block.line}`, block] as const))(
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
    for (const { page, line, code } of of('js', 'ts').filter(({ marks }) => !marks.includes('untyped')))
      writeFileSync(join(folder, `${page.replaceAll(/[/.]/g, '_')}_${line}.ts`), `${code}\nexport {};\n`);
    const compilerOptions = {
      ...{ strict: true, noEmit: true, skipLibCheck: true },
      ...{ module: 'nodenext', target: 'es2023', types: ['node'] },
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
    const faults = await run(process.execPath, [
      join(ROOT, 'node_modules/typescript/bin/tsc'),
      '-p',
      folder,
    ]).then(
      () => '',
      (error: unknown) => (error as { stdout: string }).stdout,
    );
    expect(faults).toBe('');
  });

  it.skipIf(!PYTHON).each(of('python').map((block) => [`${block.page}:${block.line}`, block] as const))(
    '%s runs',
    async (_, block) => {
      const folder = folderFor();
      writeFileSync(join(folder, 'block.py'), placed(block.code));
      await run('python3', [join(folder, 'block.py')], { cwd: folder, timeout: 20_000 });
    },
  );

  const lines = of('sh').filter((block) => !isWorkspaceCommand(block));
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

describe('every link of the docs', () => {
  it('to a file leads to one that exists', () => {
    const broken = PAGES.flatMap((page) => {
      const text = readFileSync(join(ROOT, page), 'utf8');
      const targets = [...text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map((match) => match[1] ?? '');
      return targets
        .filter((target) => !existsSync(join(ROOT, page, '..', target)))
        .map((target) => `${page} → ${target}`);
    });
    expect(broken).toEqual([]);
  });

  it('to a place in a page leads to a heading of it', () => {
    const broken = PAGES.flatMap((page) => {
      const links = proseOf(page).matchAll(/\]\((?!https?:)([^)#\s]*)#([^)\s]+)\)/g);
      return [...links].flatMap(([, target = '', place = '']) => {
        const other = target === '' ? page : join(page, '..', target);
        return placesIn(other).includes(place) ? [] : [`${page} → ${target}#${place}`];
      });
    });
    expect(broken).toEqual([]);
  });
});

/** A page without its code blocks, in which a hash begins a comment. */
function proseOf(page: string): string {
  return readFileSync(join(ROOT, page), 'utf8').replaceAll(/^```.*?^```$/gms, '');
}

/** What the headings of a page are called in links, as GitHub makes it. */
function placesIn(page: string): string[] {
  return [...proseOf(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );
}
