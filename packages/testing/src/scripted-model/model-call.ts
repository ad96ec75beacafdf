// A question as it came over the wire, in either dialect: what both have in common, read once.
import type { IncomingHttpHeaders } from 'node:http';

/** Whose words a request is in. */
export type DialectName = 'openai' | 'anthropic';

/** A question to the scripted model. */
export interface ModelCall {
  readonly dialect: DialectName;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The request's body as it came. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Length of the body in bytes. */
  readonly bytes: number;
  readonly model: string;
  /** System text first, then the turns. */
  readonly texts: readonly string[];
  /** The requested shape; undefined when the request names none, in a field or in words. */
  readonly schema: Schema | undefined;
  /** True when the request had the schema in a field of its own. */
  readonly hasSchemaField: boolean;
  readonly maxTokens: number;
}

/** The part of JSON Schema that is looked at. */
export interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
}

/** Reads a question; undefined when the body is none. */
export function readModelCall(
  dialect: DialectName,
  path: string,
  headers: IncomingHttpHeaders,
  raw: string,
): ModelCall | undefined {
  const body = objectIn(raw);
  const { messages } = body ?? {};
  if (body === undefined || !Array.isArray(messages)) return undefined;
  const system = dialect === 'anthropic' ? textOf(body['system']) : '';
  const turns = messages.map((turn) => textOf((Object(turn) as { content?: unknown }).content));
  const texts = system === '' ? turns : [system, ...turns];
  const field = schemaField(dialect, body);
  return {
    dialect,
    path,
    headers,
    body,
    bytes: Buffer.byteLength(raw),
    model: String(body['model']),
    texts,
    schema: field ?? schemaInWords(texts),
    hasSchemaField: field !== undefined,
    maxTokens: Number(body['max_tokens'] ?? body['max_completion_tokens']),
  };
}

function objectIn(raw: string): Record<string, unknown> | undefined {
  try {
    const value = JSON.parse(raw) as unknown;
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** Text, or what the parts of it add up to. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  const parts = content.map((part) => (Object(part) as { text?: unknown }).text);
  return parts.filter((text) => typeof text === 'string').join('');
}

function schemaField(dialect: DialectName, body: Record<string, unknown>): Schema | undefined {
  if (dialect === 'openai') {
    const format = body['response_format'] as { json_schema?: { schema?: Schema } } | undefined;
    return format?.json_schema?.schema;
  }
  return (body['output_config'] as { format?: { schema?: Schema } } | undefined)?.format?.schema;
}

/** The schema in the words of the question, where callers put it once they know that a service takes none. */
function schemaInWords(texts: readonly string[]): Schema | undefined {
  for (const text of texts.toReversed()) {
    const inWords = /JSON Schema:?\s*(\{.*\})/s.exec(text)?.[1];
    const schema = inWords === undefined ? undefined : objectIn(inWords);
    if (schema !== undefined) return schema;
  }
  return undefined;
}
