// The commands as a user starts them: a file on the command line, a service by its own command, tools for an agent.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const BIN = join(import.meta.dirname, '../node_modules/.bin');
const folder = mkdtempSync(join(tmpdir(), 'commands-'));
const lineOf = async (stream: NodeJS.ReadableStream): Promise<string> => {
  const [line] = (await once(createInterface(stream), 'line')) as [string];
  return line;
};

const file = join(folder, 'tides.html');
writeFileSync(file, '<h1>Tides</h1><p>High water follows the moon.</p>');
const run = (...args: string[]): string =>
  execFileSync(process.execPath, [join(BIN, 'grainline'), ...args], { encoding: 'utf8' });
assert.match(run(file), /"text":"# Tides\\n\\nHigh water/);
assert.match(run(file, '--format', 'qdrant'), /"payload"/);

const agent = spawn(process.execPath, [join(BIN, 'grainline-mcp'), '--root', folder], {
  stdio: ['pipe', 'pipe', 'inherit'],
});
const params = {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'user', version: '1' },
};
agent.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`);
assert.match(await lineOf(agent.stdout), /"serverInfo"/);
agent.stdin.end();
assert.deepEqual(await once(agent, 'exit'), [0, null]);

// The service needs Node 24.
if (Number(process.versions.node.split('.')[0]) >= 24) {
  const settings = { PORT: '0', PAYMENTS: 'off', LOG_LEVEL: 'error', DATA_DIR: join(folder, 'data') };
  const service = spawn(process.execPath, [join(BIN, 'grainline-server')], {
    env: { ...process.env, ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = /http:\S+/.exec(await lineOf(service.stdout))?.[0] ?? '';
  const body = new FormData();
  body.append('file', new Blob(['<h1>Tides</h1><p>High water.</p>']), 'tides.html');
  const answer = await fetch(`${url}/chunk/structure`, { method: 'POST', body });
  assert.match(await answer.text(), /High water/);
  // The page, and one of its files for a client without compression.
  const page = await (await fetch(url, { headers: { accept: 'text/html' } })).text();
  const [, script] = /src="\.\/(assets\/index-[^"]+)"/.exec(page) ?? [];
  const asset = await fetch(`${url}/${script ?? 'none'}`, { headers: { 'accept-encoding': 'identity' } });
  assert.match(await asset.text(), /import/);
  service.kill('SIGTERM');
  assert.deepEqual(await once(service, 'exit'), [0, null]);
}
rmSync(folder, { recursive: true });
