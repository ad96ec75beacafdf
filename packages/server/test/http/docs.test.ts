// docs/http-api.md against the code: every code, every setting, every endpoint, every field.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { deploymentOf } from '../../src/catalog.ts';
import { codesTable } from '../../src/errors.ts';
import { fieldsTable } from '../../src/field-table.ts';
import { metricsTable } from '../../src/meters.ts';
import { settingsTable } from '../../src/settings.ts';
import { ask, fakeService } from './fake-service.ts';

const DOCS = readFileSync(join(import.meta.dirname, '../../../../docs/http-api.md'), 'utf8');

/** What stands between `<!-- name -->` and `<!-- end -->`. */
function part(name: string): string {
  return DOCS.split(`<!-- ${name} -->`)[1]?.split('<!-- end -->')[0]?.trim() ?? '';
}

describe('docs/http-api.md', () => {
  it('has the table of codes as the code has it', () => {
    expect(part('codes')).toBe(codesTable());
  });

  it('has the table of metrics as the code has it', () => {
    expect(part('metrics')).toBe(metricsTable());
  });

  it('has the table of settings as the code has it', () => {
    expect(part('settings')).toBe(settingsTable());
  });

  it('names every endpoint and every member of the overview', async () => {
    const { json: overview } = await ask(fakeService(), 'GET /');
    const { endpoints } = overview as { endpoints: { method: string; path: string }[] };
    for (const { method, path } of endpoints) expect(DOCS).toContain(`${method} ${path}`);
    for (const member of Object.keys(overview)) expect(DOCS).toContain(`\`${member}\``);
  });

  it('has the table of fields as the code has it', () => {
    const deployments = (['primary', 'compact'] as const).map((deployment) =>
      deploymentOf({ deployment, payments: 'off', payTo: undefined }),
    );
    expect(part('fields')).toBe(fieldsTable(deployments));
  });
});
