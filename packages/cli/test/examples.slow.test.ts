// Runs every example by the command in its header, on the built packages.
import { spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writePdf } from '@grainline/testing/pdf-writer';
import { startBuiltServer } from './built-server.ts';

const ROOT = join(import.meta.dirname, '../../..');
const EXAMPLES = join(ROOT, 'examples');
const isBuilt = (name: string): boolean => existsSync(join(ROOT, 'packages', name, 'dist/index.js'));
const BUILT = ['core', 'extract', 'x402', 'cli'].every(isBuilt);
const SERVER_BUILT = BUILT && isBuilt('server');
if (!SERVER_BUILT) console.warn('SKIPPED: some or all examples; run `npm run build` first.');

/** Runs an example outside of the repository's folder. */
async function example(
  name: string,
  ...args: string[]
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, [join(EXAMPLES, name), ...args], { cwd: tmpdir() });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (bytes: Buffer) => (stdout += bytes.toString()));
  child.stderr.on('data', (bytes: Buffer) => (stderr += bytes.toString()));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, stdout, stderr };
}

const RUN_HERE = [
  'edge.mjs',
  'files.mjs',
  'library.mjs',
  'pay-and-chunk.mjs',
  'service.mjs',
  'stream.mjs',
  'update.mjs',
];

describe('the examples', () => {
  it('are all run by this test, begin with what they show, and stand in the list', () => {
    const files = readdirSync(EXAMPLES).filter((name) => name.endsWith('.mjs'));
    expect(files.sort()).toEqual(RUN_HERE);
    const list = readFileSync(join(EXAMPLES, 'README.md'), 'utf8');
    for (const name of files) {
      expect(readFileSync(join(EXAMPLES, name), 'utf8')).toMatch(
        new RegExp(`^// [A-Z].*\\bRun: node examples/${name}`, 's'),
      );
      expect(list).toMatch(`[${name}](${name})`);
    }
  });
});

describe.skipIf(!BUILT)('the example', () => {
  it('library.mjs prints each chunk with its place', async () => {
    const { code, stdout } = await example('library.mjs');
    expect(code).toBe(0);
    expect(stdout.split('\n')[0]).toBe('0–37: "# Tides\\n\\nHigh water follows the moon."');
  });

  it('files.mjs makes points of a PDF, and says how it is used', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'grainline-example-'));
    writeFileSync(join(folder, 'a.pdf'), writePdf({ pages: [{ lines: ['Sales rose in the north.'] }] }));
    const { code, stdout, stderr } = await example('files.mjs', join(folder, 'a.pdf'));
    rmSync(folder, { recursive: true });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({
      points: [
        { vector: {}, payload: { text: 'Sales rose in the north.', document_id: 'a.pdf', page_start: 1 } },
      ],
    });
    expect(await example('files.mjs')).toMatchObject({
      code: 2,
      stderr: 'Usage: node examples/files.mjs FILE\n',
    });
  });

  it('stream.mjs stops long before the end', async () => {
    const { code, stdout } = await example('stream.mjs');
    const [count = 0, characters = 0, all = 0] = [...stdout.matchAll(/\d+/g)].map(Number);
    expect(code).toBe(0);
    expect(count).toBeGreaterThanOrEqual(10_000);
    expect(characters).toBeLessThan(all);
  });

  it('update.mjs embeds all of the first version, and of the second what one line changed', async () => {
    const { code, stdout } = await example('update.mjs');
    const [first, second] = stdout.trim().split('\n');
    const [count = 0, deleted = 0, stored = 0] = [...(second?.matchAll(/\d+/g) ?? [])].map(Number);
    expect(code).toBe(0);
    expect(first).toMatch(new RegExp(`: ${stored} embedded, 0 deleted, ${stored} stored$`));
    expect(count).toBeGreaterThan(0);
    expect(count).toBeLessThan(5);
    expect(deleted).toBe(count);
  });

  it('edge.mjs answers with chunks, and with a coded error', async () => {
    const { code, stdout } = await example('edge.mjs');
    expect(code).toBe(0);
    expect(stdout).toMatch("text: 'Ebb and flood.");
    expect(stdout).toMatch("code: 'invalid_options'");
  });
});

describe.skipIf(!SERVER_BUILT)('the example service.mjs', () => {
  it('uploads, sends text, and follows the link of a large result', async () => {
    const server = await startBuiltServer({ FREE_PAGES_PER_DAY: '100000' });
    const { code, stdout, stderr } = await example('service.mjs', server.url);
    expect(await server.stop()).toBe(0);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe(
      `Upload: 1 chunks of notes.txt\nText: 150 chunks, fetched from ${/http\S*/.exec(stdout)?.[0] ?? ''}\n`,
    );
    expect(stdout).toMatch(`${server.url}/results/`);
  });
});

describe.skipIf(!SERVER_BUILT)('the example pay-and-chunk.mjs', () => {
  it('gets its chunks from a server that charges nothing, and says that nothing was paid', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'grainline-example-'));
    const { d = '', x = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
    const bytes = Buffer.concat([d, x].map((half) => Buffer.from(half, 'base64url')));
    writeFileSync(join(folder, 'id.json'), JSON.stringify([...bytes]));
    writeFileSync(join(folder, 'a.txt'), 'High water follows the moon.');
    const server = await startBuiltServer({ PAYMENTS: 'off' });
    const files = [join(folder, 'id.json'), join(folder, 'a.txt')];
    const { code, stdout, stderr } = await example('pay-and-chunk.mjs', server.url, ...files);
    expect(await server.stop()).toBe(0);
    rmSync(folder, { recursive: true });
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: '1 chunks of a.txt, nothing paid\n',
      stderr: '',
    });
  });
});
