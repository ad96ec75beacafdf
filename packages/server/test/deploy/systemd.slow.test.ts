// The systemd unit, without systemd as the first process: its command gives a service that answers and ends, its
// settings exist, and `systemd-analyze` finds no fault in it and little exposure.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, describe, expect, it } from 'vitest';
import { readSettings, SETTINGS } from '../../src/settings/settings.ts';

const ROOT = join(import.meta.dirname, '../../../..');
const UNIT = readFileSync(join(ROOT, 'packages/server/deploy/grainline.service'), 'utf8');
const DEPLOY_PAGE = readFileSync(join(ROOT, 'docs/deploy.md'), 'utf8');
const DATA = '/var/lib/grainline';
const folder = mkdtempSync(join(tmpdir(), 'grainline-systemd-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const valuesOf = (key: string): string[] =>
  [...UNIT.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value = '']) => value);

/** Pairs of NAME=VALUE in a line of the unit. */
const pairsOf = (text: string): Record<string, string> =>
  Object.fromEntries([...text.matchAll(/(\w+)=(\S*)/g)].map(([, name = '', value = '']) => [name, value]));

/** The environment that the unit itself sets. */
const declared = Object.assign({}, ...valuesOf('Environment').map(pairsOf)) as Record<string, string>;

describe('the systemd unit', () => {
  it('gives settings that there are, and that are sound', () => {
    const { NODE_ENV, ...settings } = declared;
    expect(NODE_ENV).toBe('production');
    const names = new Set<string>(Object.values(SETTINGS).map(({ name }) => name));
    expect(Object.keys(settings).filter((name) => !names.has(name))).toEqual([]);
    expect(() => readSettings(settings)).not.toThrow();
  });

  it('keeps the store in the one folder that the service may write', () => {
    expect(declared['DATA_DIR']).toBe(DATA);
    expect(join('/var/lib', valuesOf('StateDirectory')[0] ?? '')).toBe(DATA);
    expect(valuesOf('ProtectSystem')).toEqual(['strict']);
  });

  it('gives the service time to end', () => {
    expect(1000 * Number(valuesOf('TimeoutStopSec')[0])).toBeGreaterThan(Number(SETTINGS.shutdownMs.default));
  });

  it('starts a service that answers by a child process, and ends at SIGTERM', async () => {
    const [command = ''] = valuesOf('ExecStart');
    const [node = '', script = '', ...rest] = command.split(' ');
    expect([node, rest]).toEqual(['/usr/bin/node', []]);
    const file = script.replace('/opt/grainline', ROOT);
    if (!existsSync(file)) throw new Error(`There is no ${file}: run \`npm run build\` first.`);
    const service = spawn(process.execPath, [file], {
      cwd: '/',
      env: { ...declared, PORT: '0', DATA_DIR: folder, LOG_LEVEL: 'error' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(service, 'exit');
    try {
      const [line] = (await once(createInterface(service.stdout), 'line')) as [string];
      const [url = ''] = /http:\S+/.exec(line) ?? [];
      expect((await fetch(`${url}/health`)).status).toBe(200);
      const body = new FormData();
      body.append('file', new Blob(['<h1>Tides</h1><p>High water.</p>']), 'tides.html');
      const answer = await fetch(`${url}/chunk/structure`, { method: 'POST', body });
      expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('High water.')]);
    } finally {
      service.kill('SIGTERM');
    }
    expect(await ended).toEqual([0, null]);
  }, 60_000);

  const { output } = spawnSync('systemd-analyze', ['--version'], { encoding: 'utf8' });
  const release = Number(/systemd (\d+)/.exec(String(output))?.[1] ?? 0);

  it.skipIf(release < 250)('has no fault, and little exposure, by systemd-analyze', () => {
    const unit = join(folder, 'grainline.service');
    writeFileSync(unit, UNIT.replace('/usr/bin/node', process.execPath));
    const verify = spawnSync('systemd-analyze', ['verify', '--man=no', unit], { encoding: 'utf8' });
    expect(verify.stderr).not.toContain('grainline.service:');
    const args = ['security', '--offline=yes', '--threshold=20', '--no-pager', unit];
    expect(execFileSync('systemd-analyze', args, { encoding: 'utf8' })).toContain('grainline.service');
    writeFileSync(unit, UNIT.replace('NoNewPrivileges', 'NoNewPrivilege').replace(/^Protect.*$/gm, ''));
    expect(spawnSync('systemd-analyze', args).status).not.toBe(0);
    expect(spawnSync('systemd-analyze', ['verify', '--man=no', unit], { encoding: 'utf8' }).stderr).toMatch(
      /Unknown key (?:name )?'NoNewPrivilege'/,
    );
  });

  it('is described, with the settings file of its comment', () => {
    expect(DEPLOY_PAGE).toContain('grainline.service');
    const [settings] = valuesOf('EnvironmentFile');
    expect(DEPLOY_PAGE).toContain(settings?.replace('-', ''));
  });
});
