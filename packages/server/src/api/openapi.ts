// The description of one deployment in OpenAPI 3.1, made from the tables of operations, codes and fields.
import { STATUS_CODES } from 'node:http';
import { type Deployment, MICRO_USD, paidTiers } from '../catalog.ts';
import { CODES, type ErrorCode } from '../errors/codes.ts';
import { errorBody, HttpError } from '../errors/http-error.ts';
import { ANSWER_SCHEMAS } from './response-schemas.ts';
import { guidanceOf } from './guide.ts';
import {
  ANSWER_HEADERS,
  type AnswerHeader,
  type Operation,
  type OperationName,
  operationsOf,
  type Success,
} from './operations.ts';
import { COMMON_CODES } from './error-codes.ts';
import { ref, type Schema } from '../fields/schema.ts';

/** Headers of every answer. */
const COMMON_ANSWER_HEADERS: Readonly<Record<string, string>> = {
  'X-Request-Id': "The client's own when it is harmless, else a new one; the log has the request under it.",
  'Cache-Control': 'Nothing is to be kept by anybody but its client.',
};

const ABOUT = `Documents in, chunks out. Prices, limits and what is available at the moment: \`GET /\`. \`HEAD\` is answered
wherever \`GET\` is, \`OPTIONS\` everywhere; another method gets 405 \`method_not_allowed\` with \`Allow\`, a path that is not
here 404 \`not_found\`. Errors have one shape, and programs branch on \`code\`.`;

/** The description without `servers`, which depends on the address of the request. */
export function describeApi(deployment: Deployment, version: string): object {
  const paths: Record<string, Record<string, object>> = {};
  const operations = operationsOf(deployment);
  for (const operation of operations) {
    const path = (paths[operation.path] ??= {});
    path[operation.method.toLowerCase()] = describeOperation(operation, deployment);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Grainline',
      version,
      summary: 'Splits documents into chunks for retrieval.',
      description: ABOUT.replaceAll('\n', ' '),
      'x-guidance': guidanceOf(deployment).join('\n'),
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    tags: [...new Set(operations.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    webhooks: { jobEnd: { post: describeWebhook() } },
    components: {
      schemas: ANSWER_SCHEMAS,
      headers: headerComponents(),
      examples: Object.fromEntries(Object.keys(CODES).map((code) => [code, exampleOf(code as ErrorCode)])),
    },
  };
}

const texts = new WeakMap<Deployment, string>();

/** The JSON of `/openapi.json`. @param origin address of the service, without a slash at its end */
export function descriptionText(deployment: Deployment, version: string, origin: string): string {
  const known = texts.get(deployment) ?? JSON.stringify(describeApi(deployment, version));
  texts.set(deployment, known);
  return `{"servers":${JSON.stringify([{ url: origin }])},${known.slice(1)}`;
}

function describeOperation(operation: Operation & { name: OperationName }, deployment: Deployment): object {
  const { name, tag, summary, headers = {}, bodies } = operation;
  const successes = Object.entries(operation.answers).map(([status, success]) => [
    status,
    describeSuccess(success),
  ]);
  const refusals = [...byStatus([...operation.codes, ...COMMON_CODES])].map(([status, codes]) => [
    String(status),
    describeRefusal(status, codes),
  ]);
  const parameters = [
    ...pathParameters(operation, deployment),
    ...Object.entries(headers).map(([header, description]) => ({
      name: header,
      in: 'header',
      description,
      schema: { type: 'string' },
    })),
  ];
  return {
    operationId: name,
    tags: [tag],
    summary,
    ...paymentInfo(operation, deployment),
    parameters: parameters.length === 0 ? undefined : parameters,
    requestBody: bodies && { required: true, content: bodies(deployment) },
    responses: Object.fromEntries([...successes, ...refusals]) as object,
  };
}

/**
 * The price of an operation for indexes of x402, which read it before they request the offer (x402scan, discovery
 * specification, "per-paid-operation requirements").
 */
function paymentInfo({ codes }: Operation, deployment: Deployment): object {
  const prices = paidTiers(deployment).map(({ priceMicroUsd }) => Number(priceMicroUsd) / MICRO_USD);
  if (prices.length === 0 || !codes.includes('payment_required')) return {};
  const [min, max] = [Math.min(...prices), Math.max(...prices)].map(String);
  const price =
    min === max
      ? { mode: 'fixed', currency: 'USD', amount: min }
      : { mode: 'dynamic', currency: 'USD', min, max };
  return { 'x-payment-info': { price, protocols: [{ x402: {} }] } };
}

function pathParameters({ path, parameter }: Operation, deployment: Deployment): object[] {
  const [, name] = /\{(\w+)\}/.exec(path) ?? [];
  if (name === undefined || parameter === undefined) return [];
  return [{ name, in: 'path', required: true, schema: parameter(deployment) }];
}

function describeSuccess({
  description,
  schema,
  mediaType = 'application/json',
  headers = [],
}: Success): object {
  return {
    description,
    headers: headersOf(['RateLimit', 'RateLimit-Policy', ...headers]),
    content: schema && { [mediaType]: { schema } },
  };
}

/** The request to `webhook_url` at the end of a job. */
function describeWebhook(): object {
  const headers = {
    'webhook-id': 'The same for every attempt.',
    'webhook-timestamp': 'Moment of the attempt, in seconds since 1970.',
    'webhook-signature': '`v1,` and the HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}` in Base64.',
  };
  return {
    summary: 'Notifies `webhook_url` of the end of a job, signed as Standard Webhooks are.',
    parameters: Object.entries(headers).map(([name, description]) => ({
      ...{ name, in: 'header', required: true, description },
      schema: { type: 'string' },
    })),
    requestBody: { required: true, content: { 'application/json': { schema: ref('JobEnd') } } },
    responses: {
      '2XX': {
        description: 'Received. Another answer, or none within ten seconds, is repeated, up to 5 attempts.',
      },
      410: { description: 'No further attempt is made.' },
    },
  };
}

/** All errors of one status: the shape of errors, with an example for each code. */
function describeRefusal(status: number, codes: readonly ErrorCode[]): object {
  const shape = ref(status === 402 ? 'PaymentRequired' : 'Error');
  const schema: Schema = { allOf: [shape, { properties: { code: { enum: codes } } }] };
  const examples = Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]));
  return {
    description: codes.map((code) => `\`${code}\`: ${CODES[code].cause}`).join('\n\n'),
    headers: headersOf(['RateLimit', 'RateLimit-Policy', ...REFUSAL_HEADERS]),
    content: { 'application/json': { schema, examples: status === 402 ? undefined : examples } },
  };
}

const REFUSAL_HEADERS = [
  'Retry-After',
  'Content-Range',
  'PAYMENT-REQUIRED',
  'PAYMENT-RESPONSE',
  'X-PAYMENT-RESPONSE',
] as const satisfies readonly AnswerHeader[];

function byStatus(codes: readonly ErrorCode[]): Map<number, ErrorCode[]> {
  const grouped = new Map<number, ErrorCode[]>();
  for (const code of [...new Set(codes)]) {
    const { status } = CODES[code];
    grouped.set(status, [...(grouped.get(status) ?? []), code]);
  }
  return grouped;
}

function headersOf(names: readonly AnswerHeader[]): object {
  const all = [...Object.keys(COMMON_ANSWER_HEADERS), ...names];
  return Object.fromEntries(all.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function headerComponents(): object {
  const all = Object.entries({ ...COMMON_ANSWER_HEADERS, ...ANSWER_HEADERS });
  return Object.fromEntries(
    all.map(([name, description]) => [name, { description, schema: { type: 'string' } }]),
  );
}

/** An example of a code's answer. Its message has placeholders in place of numbers. */
function exampleOf(code: ErrorCode): object {
  const { status, cause, message = cause } = CODES[code];
  const shown = message.includes('{detail}') ? cause : message;
  const error = new HttpError(code, { message: shown });
  return {
    summary: STATUS_CODES[status],
    value: JSON.parse(errorBody(error, EXAMPLE_REQUEST)) as object,
  };
}

const EXAMPLE_REQUEST = '0b8a50b8-acac-4d9c-8e04-3a1033fd99b2';
