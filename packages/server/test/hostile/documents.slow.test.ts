// Hostile documents of each kind against a whole service with one child process, as far as they take no seconds;
// test/long/documents.ts sends all of them and measures time and memory.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HOSTILE_DOCUMENTS } from './documents/index.ts';
import { isExpected, outcomeOf } from './documents/send.ts';
import { type HostileTarget, startHostileTarget } from './start-service.ts';

let folder: string;
let service: HostileTarget;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'grainline-documents-'));
  service = await startHostileTarget(folder, { PAYMENTS: 'off', UPLOAD_KINDS: 'all' });
}, 60_000);

afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

const light = HOSTILE_DOCUMENTS.filter(({ isHeavy }) => !isHeavy);
const kinds = [...new Set(light.map(({ kind }) => kind))];

describe.each(kinds)('%s:', (kind) => {
  const documents = light.filter((document) => document.kind === kind);

  it.each(documents)('$name', { timeout: 60_000 }, async ({ filename, bytes, expected }) => {
    const outcome = await outcomeOf(service.url, filename, bytes());
    expect(isExpected(outcome, expected) ? expected : outcome).toBe(expected);
    expect(await outcomeOf(service.url, 'note.txt', Buffer.from('An honest text.'))).toBe('An honest text.');
  });
});

it('ten and more documents of each kind are hostile', () => {
  for (const kind of kinds)
    expect(HOSTILE_DOCUMENTS.filter((document) => document.kind === kind).length).toBeGreaterThanOrEqual(10);
});
