// docs/http-api.md and docs/deploy.md against the code: every code, every setting, every endpoint, every field.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ANSWER_SCHEMAS } from '../../src/api/answers.ts';
import type { Schema } from '../../src/api/schema.ts';
import { deploymentOf } from '../../src/catalog.ts';
import { codesTable } from '../../src/codes.ts';
import { fieldsTable } from '../../src/api/field-table.ts';
import { metricsTable } from '../../src/metrics/table.ts';
import { settingsTable } from '../../src/settings/settings.ts';
import { ask, fakeService } from './fake-service.ts';

const page = (name: string): string =>
  readFileSync(join(import.meta.dirname, '../../../../docs', name), 'utf8');
const DOCS = page('http-api.md');

/** What stands between `<!-- name -->` and `<!-- end -->`. */
function part(name: string, docs = DOCS): string {
  return docs.split(`<!-- ${name} -->`)[1]?.split('<!-- end -->')[0]?.trim() ?? '';
}

/** Every word that stands as code in a table of the sections, the names of a dotted path one by one. */
function wordsOfTables(sections: readonly string[]): Set<string> {
  const parts = DOCS.split(/^## /m).filter((text) => sections.includes(text.split('\n')[0] ?? ''));
  const rows = parts.flatMap((text) => text.split('\n').filter((line) => line.startsWith('|')));
  const codes = rows.flatMap((row) => [...row.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code));
  return new Set(codes.flatMap((code) => code.split(/[.[\]]+/)));
}

/** Names of the members of a schema, and of what is in them; those of other components apart. */
function membersOf(schema: Schema): string[] {
  const {
    properties = {},
    items,
    anyOf = [],
  } = schema as {
    readonly properties?: Readonly<Record<string, Schema>>;
    readonly items?: Schema;
    readonly anyOf?: readonly Schema[];
  };
  const within = [...Object.values(properties), ...anyOf, ...(items === undefined ? [] : [items])];
  return [...Object.keys(properties), ...within.flatMap(membersOf)];
}

const ANSWER = 'The answer';
const OFFER = 'What a deployment offers';
/** Where the members of each component of answers are told of. */
const TOLD: Readonly<Record<string, readonly string[]>> = {
  Overview: [OFFER],
  Health: ['# HTTP API'],
  Ready: ['# HTTP API'],
  Metadata: [ANSWER, OFFER],
  Payment: [ANSWER],
  ChunkAnswer: [ANSWER],
  LinkAnswer: [ANSWER],
  JobTicket: ['Jobs'],
  JobStatus: ['Jobs'],
  PaidResources: ['# HTTP API'],
  PreparedTransfer: ['Paying'],
  SentTransfer: ['Paying'],
  FoundTransfer: ['Paying'],
  ChunkMetadata: [ANSWER],
  FlatMetadata: [ANSWER],
  RawRecord: [ANSWER],
  PineconeRecord: [ANSWER],
  WeaviateRecord: [ANSWER],
  ChromaRecord: [ANSWER],
  QdrantRecord: [ANSWER],
  Error: ['Errors'],
  PaymentRequired: ['Errors', 'Paying'],
};

describe('docs/http-api.md', () => {
  it.each(Object.entries(ANSWER_SCHEMAS))('tells in a table of every member of %s', (name, schema) => {
    const told = wordsOfTables(TOLD[name] ?? []);
    expect([...new Set(membersOf(schema))].filter((member) => !told.has(member))).toEqual([]);
  });

  it('has the table of codes as the code has it', () => {
    expect(part('codes')).toBe(codesTable());
  });

  it('has the table of metrics as the code has it', () => {
    expect(part('metrics')).toBe(metricsTable());
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

describe('docs/deploy.md', () => {
  it('has the table of settings as the code has it', () => {
    expect(part('settings', page('deploy.md'))).toBe(settingsTable());
  });
});
