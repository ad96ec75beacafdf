// A request that can be sent again, and its key in the memory.
import type { BindingTemplate } from './offer.ts';
import { type CanonicalRequest, fingerprint, memoOf } from '../gate/binding.ts';
import { PayingError } from './errors.ts';
import type { RepeatableBody } from './pay.ts';

/** A request with a body that can be sent again. */
export interface RepeatableRequest {
  readonly url: string;
  readonly init: Omit<RequestInit, 'body' | 'headers'>;
  readonly headers: Headers;
  readonly body: RepeatableBody | null;
}

/** The longest file name that a service keeps, in UTF-16 units; a longer one keeps its ending. */
const MAX_NAME_CHARACTERS = 200;
const ENDING = /\.[^.]{1,19}$/;
/** Name of the form field with the tier, for paths without one. */
const TIER_FIELD = 'tier';
/**
 * Names of fields that are no part of what is bought. A request with another password or webhook is the same purchase,
 * and neither the memory nor a memo shows anything of the password.
 */
const UNBOUND_FIELDS: readonly string[] = ['password', 'webhook_url'];

/** @throws PayingError `unrepeatable_body` */
export function toRepeatable(input: string | URL | Request, init: RequestInit = {}): RepeatableRequest {
  const { body: given, headers, ...rest } = init;
  if (typeof input !== 'string' && !(input instanceof URL)) {
    if (given == null && input.body !== null) throw createUnrepeatableError('the body of a Request');
    const { url, method, headers: own, signal } = input;
    return {
      url,
      init: { method, signal, ...rest },
      headers: new Headers(headers ?? own),
      body: readBody(given),
    };
  }
  return { url: input.toString(), init: rest, headers: new Headers(headers), body: readBody(given) };
}

function readBody(body: unknown): RepeatableBody | null {
  if (body === undefined || body === null) return null;
  if (typeof body === 'string' || body instanceof ArrayBuffer || isBytes(body)) return body;
  if (body instanceof FormData || body instanceof Blob || body instanceof URLSearchParams) return body;
  throw createUnrepeatableError('what it has (a stream, or memory shared with other threads)');
}

function isBytes(body: unknown): body is Uint8Array<ArrayBuffer> {
  return body instanceof Uint8Array && body.buffer instanceof ArrayBuffer;
}

function createUnrepeatableError(detail: string): PayingError {
  return new PayingError('unrepeatable_body', { detail });
}

/**
 * The key of the request in the memory: equal for equal method, address and body, and for no others. Headers, the
 * boundary of a form, and a password do not count.
 */
export async function keyOf({ url, init, body }: RepeatableRequest): Promise<string> {
  const method = (init.method ?? 'GET').toUpperCase();
  return fingerprint({ method, url: new URL(url, 'http://localhost').href, body: await describeBody(body) });
}

async function describeBody(body: RepeatableBody | null): Promise<CanonicalRequest> {
  if (body === null) return {};
  if (!(body instanceof FormData)) return { sha256: await sha256(await withoutSecrets(bytesOf(body))) };
  const shown = [...body].filter(([name]) => !UNBOUND_FIELDS.includes(name));
  const parts = shown.map(async ([name, value], index) => {
    const content: CanonicalRequest =
      typeof value === 'string'
        ? { name, value }
        : { name, sha256: await sha256(value), filename: value.name, type: value.type };
    return [String(index), content] as const;
  });
  return { parts: Object.fromEntries(await Promise.all(parts)) };
}

/** The text that marks a secret member of a JSON object. */
const UNBOUND_MEMBERS = UNBOUND_FIELDS.map((name) => JSON.stringify(name));

/** A JSON object without its secret members; any other content as it is. */
async function withoutSecrets(
  content: Uint8Array<ArrayBuffer> | Blob,
): Promise<Uint8Array<ArrayBuffer> | Blob> {
  const text = await new Blob([content]).text();
  if (!UNBOUND_MEMBERS.some((member) => text.includes(member))) return content;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null) return content;
    const members = Object.entries(value).filter(([name]) => !UNBOUND_FIELDS.includes(name));
    return new TextEncoder().encode(JSON.stringify(Object.fromEntries(members)));
  } catch {
    return content;
  }
}

function bytesOf(body: Exclude<RepeatableBody, FormData>): Uint8Array<ArrayBuffer> | Blob {
  if (body instanceof Blob) return body;
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  if (body instanceof Uint8Array) return body;
  return new TextEncoder().encode(body.toString());
}

/** In hexadecimal digits. */
async function sha256(content: Uint8Array<ArrayBuffer> | Blob): Promise<string> {
  const bytes = content instanceof Blob ? await content.arrayBuffer() : content;
  return hex(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)));
}

/** Lower-case hexadecimal, two digits a byte. */
export function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/**
 * The memo that binds a payment to an upload: the hash of the server's template, completed with the form's fields and
 * its file (docs/payments.md has the formula).
 *
 * @throws PayingError `not_bindable`
 */
export async function memoOfUpload(
  { template, implied }: BindingTemplate,
  body: RepeatableBody | null,
): Promise<string> {
  if (!(body instanceof FormData))
    throw createNotBindableError('the server reads a form here, so the body must be given as FormData');
  const options = template['options'];
  if (typeof options === 'string') throw createNotBindableError('the options of the template are no object');
  const given = [...body].filter(([, value]) => typeof value === 'string') as [string, string][];
  const files = [...body].flatMap(([, value]) => (typeof value === 'string' ? [] : [value]));
  const [file] = files;
  if (file === undefined || files.length > 1)
    throw createNotBindableError('the form must have exactly one file (send a text as JSON)');
  const tier = new Map(given).get(TIER_FIELD) ?? template[TIER_FIELD];
  const own = given.filter(([name]) => name !== TIER_FIELD && !UNBOUND_FIELDS.includes(name));
  const request: CanonicalRequest = {
    ...template,
    tier,
    options: { ...options, ...impliedOptions(own, implied), ...Object.fromEntries(own) },
    source: {
      file_sha256: await sha256(file),
      filename: normaliseFilename(file.name),
      charset: charsetOf(file.type),
    },
  };
  return memoOf(await fingerprint(request));
}

/** The defaults that depend on the form's fields. */
function impliedOptions(
  own: readonly (readonly [string, string])[],
  implied: BindingTemplate['implied'],
): Readonly<Record<string, string>> {
  const sent = new Map(own);
  const rules = implied.filter(({ when }) =>
    Object.entries(when).every(([name, value]) => sent.get(name) === value),
  );
  return Object.assign({}, ...rules.map(({ options }) => options)) as Record<string, string>;
}

function createNotBindableError(detail: string): PayingError {
  return new PayingError('not_bindable', { detail });
}

/**
 * The declared encoding of a content type, by its name in the Encoding standard. UTF-8 and unknown names count as
 * undeclared, as services read them.
 */
function charsetOf(type: string): string | undefined {
  const [, ...parameters] = type.split(';');
  const labels = parameters.map((parameter) => /^\s*charset\s*=\s*"?([^\s"]+)/i.exec(parameter)?.[1]);
  try {
    // `TextDecoder(undefined)` decodes UTF-8.
    const { encoding } = new TextDecoder(labels.find(Boolean));
    return encoding === 'utf-8' ? undefined : encoding;
  } catch {
    return undefined;
  }
}

/** The form encoding of characters that would end a name (the HTML standard's multipart/form-data encoding). */
const ESCAPES: Readonly<Record<string, string>> = { '"': '%22', '\r': '%0D', '\n': '%0A' };

/** A file name as services keep it: the form's encoding, without folders and control characters. */
function normaliseFilename(name: string): string {
  const sent = name.replace(/["\r\n]/g, (character) => ESCAPES[character] ?? '');
  const base = sent.slice(Math.max(sent.lastIndexOf('/'), sent.lastIndexOf('\\')) + 1);
  const clean = base.replace(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '').trim();
  if (clean.length <= MAX_NAME_CHARACTERS) return clean.toWellFormed();
  const [ending = ''] = ENDING.exec(clean) ?? [];
  const begin = clean.slice(0, MAX_NAME_CHARACTERS - ending.length).replace(/[\ud800-\udbff]$/, '');
  return (begin + ending).toWellFormed();
}
