// Descriptions for registries and agents: server.json, by the rules of the MCP registry's schema of 2025-12-11, and the
// skill, by the official SDK's reader of Agent Skills.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { skillEntry } from '@modelcontextprotocol/server/ext/skills';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const INPUT = {
  description: { type: 'string' },
  isRequired: { type: 'boolean' },
  isRepeated: { type: 'boolean' },
  format: { enum: ['string', 'number', 'boolean', 'filepath'] },
  default: { type: 'string' },
};
/** The members of a server that this project uses; closed, so that a new one needs a look at the published schema. */
const SERVER = {
  type: 'object',
  properties: {
    $schema: { const: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json' },
    name: { type: 'string', minLength: 3, maxLength: 200, pattern: '^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$' },
    title: { type: 'string', minLength: 1, maxLength: 100 },
    description: { type: 'string', minLength: 1, maxLength: 100 },
    version: { type: 'string', maxLength: 255, pattern: '^\\d+\\.\\d+\\.\\d+' },
    packages: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          registryType: { enum: ['npm', 'pypi', 'cargo', 'oci', 'nuget', 'mcpb'] },
          identifier: { type: 'string' },
          version: { type: 'string', minLength: 1, maxLength: 255, not: { const: 'latest' } },
          runtimeHint: { type: 'string' },
          transport: {
            type: 'object',
            properties: { type: { const: 'stdio' } },
            required: ['type'],
            additionalProperties: false,
          },
          packageArguments: {
            type: 'array',
            items: {
              type: 'object',
              properties: { ...INPUT, type: { const: 'named' }, name: { type: 'string' } },
              required: ['type', 'name'],
              additionalProperties: false,
            },
          },
        },
        required: ['registryType', 'identifier', 'transport'],
        additionalProperties: false,
      },
    },
    remotes: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          type: { enum: ['streamable-http', 'sse'] },
          url: { type: 'string', pattern: '^(https?://[^\\s]+|\\{[a-zA-Z_][a-zA-Z0-9_]*\\}[^\\s]*)$' },
          variables: {
            type: 'object',
            additionalProperties: { type: 'object', properties: INPUT, additionalProperties: false },
          },
        },
        required: ['type', 'url'],
        additionalProperties: false,
      },
    },
  },
  required: ['name', 'description', 'version'],
  additionalProperties: false,
};

interface Server {
  readonly name: string;
  readonly version: string;
  readonly packages: readonly { readonly identifier: string; readonly version: string }[];
}

describe('server.json', () => {
  const server = JSON.parse(read('packages/mcp/server.json')) as Server;
  const manifest = JSON.parse(read('packages/mcp/package.json')) as Record<string, unknown>;

  it('is one for the registry', () => {
    const validate = new Ajv({ allErrors: true }).compile(SERVER);
    expect([validate(server), validate.errors]).toEqual([true, null]);
  });

  it('names this package at its version, and the package names it, which proves to the registry whose it is', () => {
    const { name, version, mcpName } = manifest;
    expect(mcpName).toBe(server.name);
    expect(server.version).toBe(version);
    expect(server.packages.map((it) => [it.identifier, it.version])).toEqual([[name, version]]);
  });
});

describe('the skill', () => {
  it('has the format of Agent Skills', async () => {
    const { frontmatter } = await skillEntry('grainline', {
      'SKILL.md': read('docs/skills/grainline/SKILL.md'),
    });
    expect(frontmatter).toMatchObject({ name: 'grainline', license: 'Apache-2.0' });
    expect(String(frontmatter['compatibility']).length).toBeLessThanOrEqual(500);
  });
});
