// Holds answers against /openapi.json: status, headers and body must be what the description says of the operation.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { describeApi } from '../../src/api/openapi.ts';
import { operationsOf } from '../../src/api/operations.ts';
import type { Deployment } from '../../src/catalog.ts';

/** An answer, as much of it as is described. */
export interface Seen {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Its body as text; empty where there is none. */
  readonly text: string;
}

interface Described {
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Readonly<Record<string, object>>;
}

interface Description {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly responses: Readonly<Record<string, Described>> }>>>
  >;
}

/** On every answer, and said once in the docs. */
const EVERYWHERE = new Set(['Content-Type', 'X-Content-Type-Options', 'Content-Security-Policy', 'Vary']);

/** By what a deployment offers: services of tests have one each, and to compile schemas takes a while. */
const descriptions = new Map<string, { readonly document: Description; readonly ajv: Ajv2020 }>();

function describedFor(deployment: Deployment): { readonly document: Description; readonly ajv: Ajv2020 } {
  const key = `${deployment.name} ${deployment.tiers.map(({ priceMicroUsd }) => priceMicroUsd).join(' ')}`;
  const known = descriptions.get(key);
  if (known !== undefined) return known;
  const document = describeApi(deployment, '0.0.0-test') as Description;
  // Not strict: the document around the schemas has words of its own.
  const ajv = new Ajv2020({ strict: false, allErrors: true }).addSchema(document, 'api');
  const made = { document, ajv };
  descriptions.set(key, made);
  return made;
}

/** A schema of the description, ready to be asked. @param pointer its place in the document */
export function schemaAt(deployment: Deployment, pointer: readonly string[]): ValidateFunction {
  const { ajv } = describedFor(deployment);
  const place = pointer.map((name) => encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1')));
  const name = `api#/${place.join('/')}`;
  const known = ajv.getSchema(name);
  if (known === undefined) throw new Error(`nothing is described at ${name}`);
  return known;
}

/** Differences between an answer and its description in OpenAPI, in words; empty when there are none. */
export function undescribed(
  deployment: Deployment,
  method: string,
  path: string,
  { status, headers, text }: Seen,
): string[] {
  const described = method === 'HEAD' ? 'GET' : method;
  const code = text.startsWith('{') ? (JSON.parse(text) as { code?: string }).code : undefined;
  const operation = operationsOf(deployment).find(
    (entry) => entry.method === described && patternOf(entry.path).test(path),
  );
  // The page and its files are for browsers, and no part of the API.
  if (String(headers['Content-Type']).startsWith('text/html') || path.startsWith('/assets/')) return [];
  if (method === 'OPTIONS') return status === 204 ? [] : [`${status} to OPTIONS`];
  if (operation === undefined)
    return ['not_found', 'method_not_allowed', 'rate_limited'].includes(code ?? '')
      ? []
      : [`${status} ${code ?? ''} of what is not described`];
  const at = ['paths', operation.path, described.toLowerCase(), 'responses', String(status)];
  const { document } = describedFor(deployment);
  const response = document.paths[operation.path]?.[described.toLowerCase()]?.responses[String(status)];
  if (response === undefined) return [`status ${status} is not described`];
  const unknown = Object.keys(headers).filter(
    (name) =>
      !EVERYWHERE.has(name) &&
      !name.startsWith('Access-Control-') &&
      !Object.hasOwn(response.headers ?? {}, name),
  );
  return [...unknown.map((name) => `header ${name} is not described`), ...findBodyIssues()];

  function findBodyIssues(): string[] {
    if (response?.content === undefined) return text === '' ? [] : ['a body, where none is described'];
    // Tests of compression check compressed bodies; a HEAD has no body.
    if (headers['Content-Encoding'] !== undefined || method === 'HEAD') return [];
    const [mediaType = ''] = (headers['Content-Type'] ?? 'application/json').split(';');
    if (!Object.hasOwn(response.content, mediaType)) return [`a body of ${mediaType}`];
    const validate = schemaAt(deployment, [...at, 'content', mediaType, 'schema']);
    if (validate(mediaType === 'application/json' ? JSON.parse(text) : text)) return [];
    return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message ?? ''}`);
  }
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/, '[^/]+')}$`);
}
