// The built command: a process, real pipes, real signals.
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startBuiltServer } from './built-server.ts';

const BIN = join(import.meta.dirname, '../bin/grainline.js');
const PACKAGES = join(import.meta.dirname, '../..');
const BUILT = ['core', 'extract', 'cli'].every((name) => existsSync(join(PACKAGES, name, 'dist/index.js')));
const SERVER_BUILT = BUILT && existsSync(join(PACKAGES, 'server/dist/index.js'));
if (!SERVER_BUILT) console.warn('SKIPPED: tests of the built command; run `npm run build` first.');

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'grainline-bin-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Runs a line of shell, in which `grainline` is the built command. */
function shell(line: string, input?: string): { code: number | null; stdout: string; stderr: string } {
  const define = `grainline() { "${process.execPath}" "${BIN}" "$@"; }`;
  const { status, stdout, stderr } = spawnSync('bash', ['-c', `set -o pipefail\n${define}\n${line}`], {
    cwd: folder,
    encoding: 'utf8',
    input,
  });
  return { code: status, stdout, stderr };
}

it('the command of a clone that was never built says so, without a stack trace', () => {
  cpSync(BIN, join(folder, 'cli/bin/grainline.mjs'));
  const { status, stderr } = spawnSync(process.execPath, [join(folder, 'cli/bin/grainline.mjs'), 'a.txt']);
  expect({ status, stderr: String(stderr) }).toEqual({
    status: 1,
    stderr: 'grainline: There is no build yet; run: npm run build\n',
  });
});

describe.skipIf(!BUILT)('the built command', () => {
  it('names the Node that it needs, in place of a module that an older one lacks', () => {
    const older = 'data:text/javascript,Object.defineProperty(process,"versions",{value:{node:"20.19.0"}})';
    for (const bin of ['cli/bin/grainline.js', 'server/bin/grainline-server.js']) {
      const { status, stderr } = spawnSync(process.execPath, ['--import', older, join(PACKAGES, bin)]);
      expect(status).toBe(1);
      expect(String(stderr)).toMatch(
        /: This needs Node \d+(?:\.\d+)? or newer, and this is Node 20\.19\.0\. https:\/\/nodejs\.org has it\n$/,
      );
    }
  });

  it('is a library that names the Node that it needs, in place of a call that an older one lacks', () => {
    const older = 'data:text/javascript,delete Map.groupBy';
    const index = join(PACKAGES, 'cli/dist/index.js');
    const { stderr } = spawnSync(process.execPath, ['--import', older, index], { encoding: 'utf8' });
    const { engines } = JSON.parse(readFileSync(join(PACKAGES, 'cli/package.json'), 'utf8')) as {
      readonly engines: { readonly node: string };
    };
    expect(stderr).toContain(`Grainline needs Node ${engines.node.slice(2)} or newer, and this is Node `);
  });

  it('reads a pipe and writes a pipe', () => {
    const { code, stdout, stderr } = shell('cat | grainline - --size 6 | cat', 'One two three');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const texts = stdout
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { text: string }).text);
    expect(texts).toEqual(['One', 'two', 'three']);
  });

  it('writes every line of a large result to a slow reader', () => {
    writeFileSync(join(folder, 'a.txt'), 'word '.repeat(200_000));
    const { code, stdout } = shell('grainline a.txt --size 20 | (sleep 0.3; tail -n 1)');
    expect(code).toBe(0);
    const last = JSON.parse(stdout) as { metadata: { end_offset: number; chunk_index: number } };
    expect(last.metadata.end_offset).toBe(999_999);
    expect(shell('grainline a.txt --size 20 | wc -l').stdout.trim()).toBe(
      String(last.metadata.chunk_index + 1),
    );
  });

  it('ends quietly and well when its reader leaves', () => {
    writeFileSync(join(folder, 'a.txt'), 'word '.repeat(200_000));
    const { code, stdout, stderr } = shell('grainline a.txt --size 20 | head -n 2');
    expect({ code, stderr, lines: stdout.trimEnd().split('\n').length }).toEqual({
      code: 0,
      stderr: '',
      lines: 2,
    });
  });

  it('reads what a process substitution gives', () => {
    const { code, stdout } = shell('grainline <(echo Substituted.) --format text');
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Substituted.\n---\n' });
  });

  it('has its exit codes', () => {
    expect(shell('grainline --version').code).toBe(0);
    expect(shell('grainline gone.txt')).toMatchObject({
      code: 1,
      stderr: 'grainline: gone.txt: There is no such file or folder. (not_found)\n',
    });
    expect(shell('grainline --siz=3 gone.txt').code).toBe(2);
  });

  it('leaves no partial file and ends with 130 when interrupted', async () => {
    writeFileSync(join(folder, 'a.txt'), 'word '.repeat(200_000));
    const child = spawn(process.execPath, [BIN, 'a.txt', '--size', '10', '--out', 'out'], {
      cwd: folder,
      stdio: 'ignore',
    });
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
    const own = join(folder, 'out/.grainline');
    const watch = setInterval(() => {
      if (child.killed || !existsSync(own)) return;
      if (readdirSync(own).some((name) => name.endsWith('.draft'))) child.kill('SIGINT');
    });
    const code = await ended;
    clearInterval(watch);
    expect(code).toBe(130);
    expect(readdirSync(join(folder, 'out'))).toEqual(['.grainline']);
    expect(readdirSync(own)).toEqual([]);
  });

  it('does not wait for a standard input that stays open', async () => {
    const child = spawn(process.execPath, [BIN, '--version'], { stdio: ['pipe', 'ignore', 'ignore'] });
    expect(await new Promise((resolve) => child.once('exit', resolve))).toBe(0);
  });

  it('is executable where npm puts it', () => {
    expect(readFileSync(BIN, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
    const { status } = spawnSync(BIN, ['--version'], { env: { PATH: join(process.execPath, '..') } });
    expect(status).toBe(0);
  });
});

describe.skipIf(!SERVER_BUILT)('grainline serve', () => {
  it('serves until it is told to stop, with the settings that its options name', async () => {
    const command = [BIN, 'serve', '--port', '0', '--payments', 'off'];
    const server = await startBuiltServer({}, command);
    expect(await (await fetch(`${server.url}/health`)).json()).toMatchObject({ status: 'healthy' });
    expect(await (await fetch(server.url)).json()).toMatchObject({ payments: 'off' });
    expect(await server.stop()).toBe(0);
  });

  it('passes on what is wrong with the settings', () => {
    const { code, stderr } = shell('grainline serve --port abc');
    expect(code).toBe(2);
    expect(stderr).toMatch('PORT must be an integer from 0 to 65535, but is "abc"');
  });
});
