// `grainline doctor`: every check with a sound installation, and with each fault.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startTestService } from '@grainline/server/testing';
import { describe, expect, it } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { checkNode, checkPeers } from '../src/commands/doctor/installation.ts';
import { folder, grainline, useFolder } from './command.ts';

useFolder();

describe('doctor', () => {
  it('tries Node, the readers, the optional packages, the embedder, and says what is not set up', async () => {
    const { code, stdout, stderr } = await grainline('doctor');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(new RegExp(`^Node {23}${process.versions.node}\\n`));
    expect(stdout).toContain(`grainline                  ${manifest.version}\n`);
    expect(stdout).toContain('PDF                        is read\n');
    expect(stdout).toContain('tokens                     o200k, cl100k\n');
    expect(stdout).toMatch(/@grainline\/server +\d+\.\d+\.\d+\n/);
    expect(stdout).toMatch(/embedder +built in: \S+, \d+ dimensions\n/);
    expect(stdout).toMatch(/language model +none named; .*ai-pro/);
    expect(stdout).toMatch(/service +none named; --remote URL tries one\n$/);
  });

  it('names the tiers of a service, and a service that is away', async () => {
    const service = await startTestService({ PAYMENTS: 'off' });
    const { code, stdout } = await grainline(`doctor --remote ${service.url}`);
    expect(code).toBe(0);
    expect(stdout).toContain(`at ${service.url}\n`);
    expect(stdout).toMatch(/ {2}structure +nothing\n/);
    expect(stdout).toMatch(/ {2}ai +nothing; cannot be had now: .+\n/);
    await service.stop();
    const away = await grainline(`doctor --remote ${service.url}`);
    expect(away.code).toBe(1);
    expect(away.stdout).toMatch(/service +FAILED: .*nothing listens on that port/);
  });

  it('fails for an embedder that does not answer, and refuses names that are none', async () => {
    const environment = { EMBEDDINGS_BASE_URL: 'http://127.0.0.1:1/v1' };
    const { code, stdout } = await grainline('doctor --embedder openai:m', { environment });
    expect(code).toBe(1);
    expect(stdout).toMatch(/embedder +FAILED: openai:m: The embedding service at \S+ could not be reached/);
    expect((await grainline('doctor --embedder mine --remote nowhere')).stderr).toMatch(
      /--remote must be an address.*\n.*--embedder must be builtin/,
    );
  });

  it('refuses an address of the embedder with a user, and keeps its password', async () => {
    const environment = { EMBEDDINGS_BASE_URL: 'http://me:hush@127.0.0.1:1/v1' };
    const { code, stdout, stderr } = await grainline('doctor --embedder openai:m', { environment });
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining(
        'EMBEDDINGS_BASE_URL must have no user and no password; give credentials by EMBEDDINGS_API_KEY.',
      ),
    ]);
    expect(stdout + stderr).not.toContain('hush');
  });

  it('compares versions by their numbers', () => {
    expect(checkNode('22.18.0').isSound).toBe(true);
    expect(checkNode('24.0.0').isSound).toBe(true);
    expect(checkNode('22.9.9')).toMatchObject({ isSound: false });
    expect(checkNode('20.19.2').rows.join('')).toContain('20.19.2; 22.18 or newer is needed');
  });

  it('says how to install a missing package, and finds one of another version', () => {
    const none = checkPeers(() => undefined);
    expect(none.isSound).toBe(true);
    expect(none.rows.join('')).toContain('not installed; npm install @grainline/x402 adds payments');
    const other = join(folder, 'package.json');
    writeFileSync(other, '{"version":"9.9.9"}');
    const mixed = checkPeers(() => other);
    expect(mixed.isSound).toBe(false);
    expect(mixed.rows.join('')).toContain(`npm install @grainline/mcp@${manifest.version}`);
    expect(mixed.rows.join('')).toMatch(/@huggingface\/transformers +9\.9\.9\n/);
  });
});
