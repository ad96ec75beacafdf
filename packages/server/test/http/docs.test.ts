// docs/http-api.md and docs/deploy.md against the code: every endpoint, every setting, every metric. The reference has
// a test of its own, reference.test.ts.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { metricsTable } from '../../src/metrics/table.ts';
import { settingsTable } from '../../src/settings/settings.ts';
import { ask, fakeService } from './fake-service.ts';

const page = (name: string): string =>
  readFileSync(join(import.meta.dirname, '../../../../docs', name), 'utf8');

/** The text between `<!-- name -->` and `<!-- end -->`. */
function part(name: string, text: string): string {
  return text.split(`<!-- ${name} -->`)[1]?.split('<!-- end -->')[0]?.trim() ?? '';
}

describe('docs/http-api.md', () => {
  it('names every endpoint', async () => {
    const { json } = await ask(fakeService(), 'GET /');
    const { endpoints } = json as { endpoints: { method: string; path: string }[] };
    for (const { method, path } of endpoints) expect(page('http-api.md')).toContain(`${method} ${path}`);
  });

  it('is a guide of at most 3,000 words', () => {
    expect(page('http-api.md').split(/\s+/).length).toBeLessThanOrEqual(3000);
  });
});

describe('docs/deploy.md', () => {
  it('has the table of settings as the code has it', () => {
    expect(part('settings', page('deploy.md'))).toBe(settingsTable());
  });

  it('has the table of metrics as the code has it', () => {
    expect(part('metrics', page('deploy.md'))).toBe(metricsTable());
  });
});
