// The whole API as one page of Markdown: `GET /llms-full.txt` for one deployment, and docs/http-reference.md for all
// deployments. Both use the operations, fields, schemas and codes behind /openapi.json.
import type { Deployment } from '../catalog.ts';
import { codesTable, type ErrorCode } from '../errors/codes.ts';
import { ANSWER_SCHEMAS } from './response-schemas.ts';
import { type RequestField, JOB_FIELDS, OPTION_FIELDS, SOURCE_FIELDS } from '../fields/field-table.ts';
import { guidanceOf, headOf } from './guide.ts';
import { type Operation, OPERATION_LIST, operationsOf } from './operations.ts';
import { COMMON_CODES } from './error-codes.ts';
import type { Schema } from '../fields/schema.ts';

/**
 * The text of `/llms-full.txt`.
 *
 * @param origin address of the service, without a slash at its end
 */
export function referenceText(deployment: Deployment, origin: string): string {
  const operations = operationsOf(deployment);
  return [
    ...headOf(),
    `Paths are below ${origin}. This page is the whole of the API; \`${origin}/openapi.json\` says the same to programs.`,
    '',
    ...guidanceOf(deployment),
    '',
    ...sections([deployment], operations),
  ].join('\n');
}

/**
 * The text of docs/http-reference.md.
 *
 * @param deployments all of them, one with paid tiers first
 */
export function referencePage(deployments: readonly [Deployment, ...Deployment[]]): string {
  return [
    '# HTTP reference',
    '',
    '<!-- Rendered by `npm run docs:reference`. Do not edit. -->',
    '',
    'Every operation, field, answer and error of the service, rendered from the tables behind `/openapi.json`. [http-api.md](http-api.md) is the guide with examples. A running service serves its own reference at `/llms-full.txt`.',
    '',
    ...sections(deployments, operationsOf(deployments[0])),
  ].join('\n');
}

function sections(
  deployments: readonly [Deployment, ...Deployment[]],
  operations: readonly Operation[],
): string[] {
  return [
    '## Operations',
    '',
    `Each operation can also be refused with ${codesOf(COMMON_CODES)}.`,
    ...operations.flatMap((operation) => ['', ...operationLines(operation, deployments[0])]),
    '',
    '## Fields of a request for chunks',
    '',
    'Fields stand in the JSON body of `POST /chunk`, or in a form before the document; where nothing has a price, also after it.',
    '',
    fieldsTable(deployments),
    '',
    '## Answers',
    ...shapesOf(operations).flatMap(([name, schema]) => ['', `### ${name}`, '', ...schemaLines(schema)]),
    '',
    '## Errors',
    '',
    codesTable(codesElsewhere(operations)),
    '',
  ];
}

/** The schemas of these operations' answers and of webhooks, with the schemas inside. */
function shapesOf(operations: readonly Operation[]): [string, Schema][] {
  // Webhooks are no operations of the service.
  const names = new Set(['Error', 'JobEnd']);
  const addNamedIn = (part: unknown): void => {
    for (const [, name = ''] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/(\w+)"/g))
      names.add(name);
  };
  for (const { answers, codes } of operations) {
    addNamedIn(answers);
    if (codes.includes('payment_required')) names.add('PaymentRequired');
  }
  const shapes: Readonly<Record<string, Schema>> = ANSWER_SCHEMAS;
  // The loop also visits the names that it adds.
  for (const name of names) addNamedIn(shapes[name]);
  return Object.entries(shapes).filter(([name]) => names.has(name));
}

/** Codes that only other deployments have. */
function codesElsewhere(operations: readonly Operation[]): ErrorCode[] {
  const own = new Set(operations.flatMap(({ codes }) => codes));
  return OPERATION_LIST.flatMap(({ codes }) => codes).filter((code) => !own.has(code));
}

function operationLines(operation: Operation, deployment: Deployment): string[] {
  const { method, path, tag, summary, headers = {}, bodies, answers, codes } = operation;
  const accepted = bodies?.(deployment) ?? {};
  const bodyTypes = Object.keys(accepted);
  // A table lists the fields of a request for chunks.
  const members = tag === 'chunks' ? [] : Object.values(accepted).map(({ schema }) => schema);
  return [
    `### ${method} ${path}`,
    '',
    summary,
    '',
    ...(bodyTypes.length === 0 ? [] : [`- Takes ${listed(bodyTypes)}.`]),
    ...members.flatMap((schema) => schemaLines(schema, '  ')),
    ...Object.entries(headers).map(([name, meaning]) => `- Header \`${name}\`: ${meaning}`),
    ...Object.entries(answers).map(([status, { description, schema }]) => {
      const shape = schema === undefined ? '' : shapeOf(schema);
      return `- Answers ${status}: ${description}${shape === '' ? '' : ` (${shape})`}`;
    }),
    ...(codes.length === 0 ? [] : [`- Can be refused with ${codesOf(codes)}.`]),
  ];
}

const listed = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');
const codesOf = (codes: readonly string[]): string => listed([...new Set(codes)]);

/** The members of an object, one a line, with nested members below; the choices of a union; otherwise one line. */
function schemaLines(schema: Schema, indent = ''): string[] {
  const { properties, required, items, description, anyOf } = schema as Described;
  if (properties === undefined) {
    const own = `${indent}- ${[shapeOf(schema), description].filter(Boolean).join(': ')}`;
    const choices = (anyOf ?? []).flatMap((choice) => [
      `${indent}  - ${choice.description ?? shapeOf(choice)}`,
      ...(hasMembers(choice) ? schemaLines(choice, `${indent}    `) : []),
    ]);
    return [own, ...choices, ...(items?.properties === undefined ? [] : schemaLines(items, `${indent}  `))];
  }
  return Object.entries(properties).flatMap(([name, member]) => {
    const optional = required?.includes(name) === true ? '' : 'optional';
    const shape = [shapeOf(member), optional].filter(Boolean).join(', ');
    const line = `${indent}- \`${name}\`${shape === '' ? '' : ` (${shape})`}`;
    const meaning = typeof member.description === 'string' ? `: ${member.description}` : '';
    const inner = [member, member.items, ...(member.anyOf ?? [])].find(
      (part) => part !== undefined && hasMembers(part),
    );
    return [line + meaning, ...(inner === undefined ? [] : schemaLines(inner, `${indent}  `))];
  });
}

const hasMembers = ({ properties }: Described): boolean => properties !== undefined;

/** The parts of a schema that this file renders. */
interface Described extends Schema {
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Described>>;
  readonly required?: readonly string[];
  readonly items?: Described;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly $ref?: string;
  readonly anyOf?: readonly Described[];
  readonly oneOf?: readonly Described[];
  readonly allOf?: readonly Described[];
}

/** `string`, `list of Chunk`, `"raw" or "qdrant"`; '' for any value. */
function shapeOf(schema: Schema): string {
  const { $ref, enum: words, const: constant, anyOf, oneOf, allOf, items, type } = schema as Described;
  if ($ref !== undefined) return $ref.slice($ref.lastIndexOf('/') + 1);
  if (constant !== undefined) return JSON.stringify(constant);
  if (words !== undefined) return words.map((word) => JSON.stringify(word)).join(' or ');
  const choices = anyOf ?? oneOf;
  if (choices !== undefined) return choices.map(shapeOf).filter(Boolean).join(' or ');
  if (allOf !== undefined) return allOf.map(shapeOf).filter(Boolean).join(' with ');
  if (type === 'array') return items === undefined ? 'list' : `list of ${shapeOf(items) || 'anything'}`;
  return type ?? '';
}

/** The table of fields, in Markdown. */
function fieldsTable(deployments: readonly Deployment[]): string {
  const [first, ...others] = deployments;
  const elsewhere = others.map(({ name, defaultTier }) => `, in the ${name} deployment \`${defaultTier}\``);
  const rows = [
    ...Object.entries<RequestField>(SOURCE_FIELDS).map(([name, { meaning, inForm }]) =>
      row(name, inForm, meaning),
    ),
    row('tier', '`POST /chunk` only', `Default \`${first?.defaultTier ?? ''}\`${elsewhere.join('')}.`),
    ...Object.entries({ ...OPTION_FIELDS, ...JOB_FIELDS }).map(([name, { meaning }]) =>
      row(name, 'yes', meaning),
    ),
  ];
  return ['| field | JSON | form | meaning |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

function row(name: string, inForm: string | undefined, meaning: string): string {
  return `| \`${name}\` | yes | ${inForm === undefined ? '' : `${inForm} `}| ${meaning} |`;
}
