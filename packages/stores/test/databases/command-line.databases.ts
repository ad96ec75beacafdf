// Every database through the command line, in processes of their own: a folder is loaded, a question is answered, and
// removal leaves nothing. Wrong credentials end the command with their exit code.
import { spawn } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { openStore, storeTable } from '../../src/index.ts';
import { startChroma } from './chroma-process.ts';
import { load, temporaryFolder } from './peers.ts';
import { startPglite } from './pglite.ts';
import { startPinecone } from './pinecone-server.ts';
import { startQdrant } from './qdrant-server.ts';
import { type Product, startSearch } from './search-server.ts';
import { startWeaviate } from './weaviate-server.ts';

interface Started {
  /** The URL with a key or password. */
  readonly url: (secret: string) => string;
  readonly close: () => Promise<void>;
}

const KEY = 'the-right-key';

const started = async <Server extends { readonly close: () => Promise<void> }>(
  server: Promise<Server>,
  url: (server: Server, secret: string) => string,
): Promise<Started> => {
  const running = await server;
  return { url: (secret) => url(running, secret), close: () => running.close() };
};

const search = (product: Product): Promise<Started> => {
  const basic = `Basic ${Buffer.from(`reader:${KEY}`).toString('base64')}`;
  const scheme = product.toLowerCase();
  return started(
    startSearch(product, basic),
    ({ port }, secret) => `${scheme}://reader:${secret}@127.0.0.1:${port}/handbook`,
  );
};

/** Each database by its id, and whether it refuses a wrong key. */
const DATABASES: Readonly<Record<string, readonly [start: () => Promise<Started>, refuses: boolean]>> = {
  pgvector: [
    () =>
      started(
        startPglite(true),
        ({ port }, secret) => `postgres://postgres:${secret}@127.0.0.1:${port}/postgres?collection=handbook`,
      ),
    false,
  ],
  qdrant: [
    () => started(startQdrant(KEY), ({ port }, secret) => `qdrant://${secret}@127.0.0.1:${port}/handbook`),
    true,
  ],
  weaviate: [
    () =>
      started(
        startWeaviate(KEY),
        ({ port, grpcPort }, secret) =>
          `weaviate://${secret}@127.0.0.1:${port}/handbook?grpc=127.0.0.1:${grpcPort}`,
      ),
    true,
  ],
  chroma: [() => started(startChroma(), ({ port }) => `chroma://127.0.0.1:${port}/handbook`), false],
  lancedb: [
    () => {
      const { folder, remove } = temporaryFolder();
      const server = { close: () => Promise.resolve().then(remove) };
      return started(Promise.resolve(server), () => `lancedb:${folder}?collection=handbook`);
    },
    false,
  ],
  elasticsearch: [() => search('Elasticsearch'), true],
  opensearch: [() => search('OpenSearch'), true],
  pinecone: [
    () =>
      started(startPinecone(KEY), ({ port }, secret) => {
        const controller = encodeURIComponent(`http://127.0.0.1:${port}`);
        return `pinecone://${secret}@documents/handbook?controller=${controller}`;
      }),
    true,
  ],
};

const pathOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const HOOKS = ['../../../server/test/sandbox/from-sources.mjs', './from-peers.mjs'].flatMap((path) => [
  '--import',
  pathOf(path),
]);

/** Runs the command in a folder. */
async function grainline(
  folder: string,
  ...argv: readonly string[]
): Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }> {
  const child = spawn(process.execPath, [...HOOKS, pathOf('../../../cli/src/bin.ts'), ...argv], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], XDG_STATE_HOME: join(folder, '.state') },
  });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await ended, stdout, stderr };
}

describe('grainline load, search and --prune', () => {
  it('are tested with every database', () => {
    const ids = storeTable().map(({ id }) => id);
    expect(new Set([...Object.keys(DATABASES), 'memory'])).toEqual(new Set(ids));
  });

  it.each(Object.entries(DATABASES))('work with %s', async (_, [start, refuses]) => {
    const { folder, remove } = temporaryFolder();
    const { url, close } = await start();
    const docs = join(folder, 'docs');
    mkdirSync(docs);
    const pages = { tides: 'High water follows the moon by six hours.', bread: 'Knead the dough well.' };
    for (const [name, page] of Object.entries(pages))
      writeFileSync(join(docs, `${name}.md`), `# ${name}\n\n${page}\n`);
    if (refuses) {
      const refused = await grainline(folder, 'load', 'docs', '--to', url('a-wrong-key'));
      expect([refused.code, refused.stderr]).toEqual([
        4,
        expect.stringMatching(/refuses the credentials.*\(unauthorized\)/),
      ]);
      expect(refused.stderr).not.toContain('a-wrong-key');
    }
    const loaded = await grainline(folder, 'load', 'docs', '--to', url(KEY));
    expect([loaded.code, loaded.stderr]).toEqual([0, expect.stringContaining('2 documents: 2 added')]);
    const found = await grainline(folder, 'search', '--from', url(KEY), 'When is high water?', '--top', '1');
    expect([found.code, found.stdout]).toEqual([0, expect.stringContaining('docs/tides.md')]);
    for (const name of Object.keys(pages)) rmSync(join(docs, `${name}.md`));
    // A folder without files has been listed completely.
    const pruned = await grainline(folder, 'load', 'docs', '--to', url(KEY), '--prune=all');
    expect(pruned.stderr).toContain('2 removed');
    const store = await openStore(url(KEY), { load });
    expect((await store.inspect())?.chunks).toBe(0);
    expect(await Array.fromAsync(store.entries())).toEqual([]);
    await store.close();
    await close();
    remove();
  });
});
