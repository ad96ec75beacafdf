// The whole API as one page of Markdown, for language models that want more than the guide: `GET /llms-full.txt`. Made
// from the tables by which requests are checked and answers described, so that it says nothing else than they do.
import type { Deployment } from '../catalog.ts';
import { codesTable, type FaultCode } from '../codes.ts';
import { ANSWER_SCHEMAS } from './answers.ts';
import { fieldsTable } from './field-table.ts';
import { guidanceOf, headOf } from './guide.ts';
import { type Operation, OPERATION_LIST, operationsOf } from './operations.ts';
import { COMMON_CODES } from './refusals.ts';
import type { Schema } from './schema.ts';

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
    '## Operations',
    '',
    `Each may also be refused with ${codesOf(COMMON_CODES)}.`,
    ...operations.flatMap((operation) => ['', ...operationLines(operation, deployment)]),
    '',
    '## Fields of a request for chunks',
    '',
    'By JSON in the body of `POST /chunk`, or in a form, where they stand before the document.',
    '',
    fieldsTable([deployment]),
    '',
    '## Answers',
    ...shapesOf(operations).flatMap(([name, schema]) => ['', `### ${name}`, '', ...schemaLines(schema)]),
    '',
    '## Errors',
    '',
    codesTable(codesElsewhere(operations)),
    '',
  ].join('\n');
}

/** Shapes of what these operations answer, and those that they are made of. */
function shapesOf(operations: readonly Operation[]): [string, Schema][] {
  const names = new Set(['Error']);
  const addNamedIn = (part: unknown): void => {
    for (const [, name = ''] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/(\w+)"/g))
      names.add(name);
  };
  for (const { answers, codes } of operations) {
    addNamedIn(answers);
    if (codes.includes('payment_required')) names.add('PaymentRequired');
  }
  const shapes: Readonly<Record<string, Schema>> = ANSWER_SCHEMAS;
  // A set goes on with what is added to it meanwhile.
  for (const name of names) addNamedIn(shapes[name]);
  return Object.entries(shapes).filter(([name]) => names.has(name));
}

/** Codes of other deployments alone. */
function codesElsewhere(operations: readonly Operation[]): FaultCode[] {
  const own = new Set(operations.flatMap(({ codes }) => codes));
  return OPERATION_LIST.flatMap(({ codes }) => codes).filter((code) => !own.has(code));
}

function operationLines(operation: Operation, deployment: Deployment): string[] {
  const { method, path, summary, headers = {}, bodies, answers, codes } = operation;
  const bodyTypes = Object.keys(bodies?.(deployment) ?? {});
  return [
    `### ${method} ${path}`,
    '',
    summary,
    '',
    ...(bodyTypes.length === 0 ? [] : [`- Takes ${listed(bodyTypes)}.`]),
    ...Object.entries(headers).map(([name, meaning]) => `- Header \`${name}\`: ${meaning}`),
    ...Object.entries(answers).map(([status, { description, schema }]) => {
      const shape = schema === undefined ? '' : shapeOf(schema);
      return `- Answers ${status}: ${description}${shape === '' ? '' : ` (${shape})`}`;
    }),
    ...(codes.length === 0 ? [] : [`- May be refused with ${codesOf(codes)}.`]),
  ];
}

const listed = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');
const codesOf = (codes: readonly string[]): string => listed([...new Set(codes)]);

/** The members of an object, one a line, those of its members below them; else one line. */
function schemaLines(schema: Schema, indent = ''): string[] {
  const { properties, required, items, description } = schema as Described;
  if (properties === undefined) {
    const own = `${indent}- ${[shapeOf(schema), description].filter(Boolean).join(': ')}`;
    return items?.properties === undefined ? [own] : [own, ...schemaLines(items, `${indent}  `)];
  }
  return Object.entries(properties).flatMap(([name, member]) => {
    const optional = required?.includes(name) === true ? '' : 'optional';
    const shape = [shapeOf(member), optional].filter(Boolean).join(', ');
    const line = `${indent}- \`${name}\`${shape === '' ? '' : ` (${shape})`}`;
    const meaning = typeof member.description === 'string' ? `: ${member.description}` : '';
    const inner = member.properties === undefined ? member.items : member;
    const below = inner?.properties === undefined ? [] : schemaLines(inner, `${indent}  `);
    return [line + meaning, ...below];
  });
}

/** The members of a schema that are read here. */
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

/** `string`, `list of Chunk`, `"raw" or "qdrant"`; '' where it may be anything. */
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
