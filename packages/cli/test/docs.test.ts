// The README and the docs: tables, links, and code blocks that are only parsed. docs.slow.test.ts runs the others.
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BLOCKS, blocksIn, isOnlyParsed, isWorkspaceCommand, PAGES, ROOT } from './code-blocks.ts';

/** Without Python its code blocks are skipped. */
const PYTHON = spawnSync('python3', ['--version']).status === 0;
if (!PYTHON) console.warn('SKIPPED: code blocks in Python; there is no python3.');

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

  it.each(blocksIn('json').map((block) => [`${block.page}:${block.line}`, block] as const))(
    '%s is JSON',
    (_, block) => {
      expect(() => JSON.parse(block.code) as unknown).not.toThrow();
    },
  );

  /** Parsers for code that needs packages, money or a chain: no test runs it. */
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

  const commands = blocksIn('sh').filter(isWorkspaceCommand);
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

  it('leads somewhere from the page of a package in the registry, which has no other file', () => {
    const published = globSync('packages/*/package.json', { cwd: ROOT })
      .filter((path) => !('private' in (JSON.parse(readFileSync(join(ROOT, path), 'utf8')) as object)))
      .map((path) => join(path, '../README.md'));
    expect(published.length).toBeGreaterThan(8);
    const relative = published.flatMap((page) =>
      [...proseOf(page).matchAll(/\]\((?!https:|#)([^)\s]+)\)/g)].map(
        ([, target = '']) => `${page} → ${target}`,
      ),
    );
    expect(relative).toEqual([]);
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

/** The anchors of a page's headings, in GitHub's form. */
function placesIn(page: string): string[] {
  return [...proseOf(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );
}
