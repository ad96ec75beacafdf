// docs/http-reference.md is the rendering of the API. `npm run docs:reference` writes it anew.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ANSWER_SCHEMAS } from '../../src/api/response-schemas.ts';
import { describeApi } from '../../src/api/openapi.ts';
import { referencePage } from '../../src/api/reference.ts';
import { CODES } from '../../src/errors/codes.ts';
import { deploymentOf } from '../../src/catalog.ts';
import { PAY_TO } from '../payments/fake-chain.ts';

const PRIMARY = deploymentOf({ deployment: 'primary', payments: 'on', payTo: PAY_TO });
const COMPACT = deploymentOf({ deployment: 'compact', payments: 'on', payTo: PAY_TO });
const PAGE = referencePage([PRIMARY, COMPACT]);
const FILE = join(import.meta.dirname, '../../../../docs/http-reference.md');

interface Node {
  readonly properties?: Readonly<Record<string, Node>>;
  readonly items?: Node;
  readonly anyOf?: readonly Node[];
  readonly description?: string;
  readonly const?: unknown;
  readonly $ref?: string;
}

/** Dotted names of the members of a schema that have neither a description nor a fixed or referenced value. */
function unexplained(schema: Node, path: string): string[] {
  const { properties = {}, items, anyOf = [] } = schema;
  const own = Object.entries(properties)
    .filter(([, member]) => member.description === undefined && !('const' in member) && !('$ref' in member))
    .map(([name]) => `${path}.${name}`);
  const within = [
    ...Object.entries(properties).map(([name, member]) => [`${path}.${name}`, member] as const),
    ...[...anyOf, ...(items === undefined ? [] : [items])].map((part) => [path, part] as const),
  ];
  return [...own, ...within.flatMap(([name, part]) => unexplained(part, name))];
}

describe('docs/http-reference.md', () => {
  it('is what the API renders', async () => {
    await expect(PAGE).toMatchFileSnapshot(FILE);
  });

  it('has every operation, schema and code of the description', () => {
    const { paths, components } = describeApi(PRIMARY, '1.0.0') as {
      paths: Readonly<Record<string, object>>;
      components: { schemas: object; examples: object };
    };
    for (const [path, methods] of Object.entries(paths))
      for (const method of Object.keys(methods))
        expect(PAGE).toContain(`\n### ${method.toUpperCase()} ${path}\n`);
    for (const name of Object.keys(components.schemas)) expect(PAGE).toContain(`\n### ${name}\n`);
    for (const code of Object.keys(components.examples)) expect(PAGE).toContain(`| \`${code}\` |`);
  });

  it('has every code with its cause', () => {
    for (const [code, { status, cause }] of Object.entries(CODES))
      expect(PAGE).toContain(`| ${status} | \`${code}\` | ${cause} |`);
  });

  it.each(Object.entries(ANSWER_SCHEMAS))('describes every member of %s', (name, schema) => {
    expect(unexplained(schema as Node, name)).toEqual([]);
  });
});
