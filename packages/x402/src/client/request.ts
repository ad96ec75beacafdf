// A request that can be sent as often as it takes, and told apart from every other one.
import type { Template } from './offer.ts';
import { type CanonicalRequest, fingerprint, memoOf } from '../binding.ts';
import { PayingError } from './errors.ts';

/** Bodies that can be sent again. */
export type RepeatableBody =
  string | ArrayBuffer | Uint8Array<ArrayBuffer> | Blob | FormData | URLSearchParams;

/** A request with a body that can be sent again. */
export interface RepeatableRequest {
  readonly url: string;
  readonly init: Omit<RequestInit, 'body' | 'headers'>;
  readonly headers: Headers;
  readonly body: RepeatableBody | null;
}

/** Longest file name that a service keeps, in UTF-16 units; of a longer one the ending stays. */
const MAX_NAME_CHARACTERS = 200;
const ENDING = /\.[^.]{1,19}$/;
/** Name of the one field of a form that says which tier, where the path does not. */
const TIER_FIELD = 'tier';

/** @throws PayingError `unrepeatable_body` */
export function repeatable(input: string | URL | Request, init: RequestInit = {}): RepeatableRequest {
  const { body: given, headers, ...rest } = init;
  if (typeof input !== 'string' && !(input instanceof URL)) {
    if (given == null && input.body !== null) throw unrepeatable('the body of a Request');
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
  throw unrepeatable('what it has (a stream, or memory shared with other threads)');
}

function isBytes(body: unknown): body is Uint8Array<ArrayBuffer> {
  return body instanceof Uint8Array && body.buffer instanceof ArrayBuffer;
}

function unrepeatable(detail: string): PayingError {
  return new PayingError('unrepeatable_body', { detail });
}

/**
 * A name of the request for the memory: equal for equal method, address and body, and for no others. Headers do not
 * count; the boundary of a form does not either.
 */
export async function keyOf({ url, init, body }: RepeatableRequest): Promise<string> {
  const method = (init.method ?? 'GET').toUpperCase();
  return fingerprint({ method, url: new URL(url, 'http://localhost').href, body: await nameOfBody(body) });
}

async function nameOfBody(body: RepeatableBody | null): Promise<CanonicalRequest> {
  if (body === null) return {};
  if (!(body instanceof FormData)) return { sha256: await sha256(bytesOf(body)) };
  const parts = [...body].map(async ([name, value], index) => {
    const content: CanonicalRequest =
      typeof value === 'string'
        ? { name, value }
        : { name, sha256: await sha256(value), filename: value.name, type: value.type };
    return [String(index), content] as const;
  });
  return { parts: Object.fromEntries(await Promise.all(parts)) };
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
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/**
 * The memo that binds a payment to an upload: the server's template, completed with the form's own fields and its
 * file, and hashed (docs/payments.md has the formula).
 *
 * @throws PayingError `not_bindable`
 */
export async function memoOfUpload(
  { template, implied }: Template,
  body: RepeatableBody | null,
): Promise<string> {
  if (!(body instanceof FormData))
    throw notBindable('the server reads a form here, so the body must be given as FormData');
  const options = template['options'];
  if (typeof options === 'string') throw notBindable('the options of the template are no object');
  const given = [...body].filter(([, value]) => typeof value === 'string') as [string, string][];
  const files = [...body].flatMap(([, value]) => (typeof value === 'string' ? [] : [value]));
  const [file] = files;
  if (file === undefined || files.length > 1)
    throw notBindable('the form must have exactly one file (send a text as JSON)');
  const tier = new Map(given).get(TIER_FIELD) ?? template[TIER_FIELD];
  const own = given.filter(([name]) => name !== TIER_FIELD);
  const request: CanonicalRequest = {
    ...template,
    ...(tier === undefined ? {} : { tier }),
    options: { ...options, ...impliedBy(own, implied), ...Object.fromEntries(own) },
    source: { file_sha256: await sha256(file), filename: keptName(file.name), ...charsetOf(file.type) },
  };
  return memoOf(await fingerprint(request));
}

/** The defaults that depend on what the form says. */
function impliedBy(
  own: readonly (readonly [string, string])[],
  implied: Template['implied'],
): Readonly<Record<string, string>> {
  const sent = new Map(own);
  const rules = implied.filter(({ when }) =>
    Object.entries(when).every(([name, value]) => sent.get(name) === value),
  );
  return Object.assign({}, ...rules.map(({ options }) => options)) as Record<string, string>;
}

function notBindable(detail: string): PayingError {
  return new PayingError('not_bindable', { detail });
}

/**
 * The encoding that a content type declares, by its name in the Encoding standard: not UTF-8, and none that is not
 * known, because services read both as if nothing were declared.
 */
function charsetOf(type: string): { readonly charset?: string } {
  const [, ...parameters] = type.split(';');
  const labels = parameters.map((parameter) => /^\s*charset\s*=\s*"?([^\s"]+)/i.exec(parameter)?.[1]);
  try {
    // With `undefined`, it would be UTF-8's.
    const { encoding } = new TextDecoder(labels.find(Boolean));
    return encoding === 'utf-8' ? {} : { charset: encoding };
  } catch {
    return {};
  }
}

/** What forms write for characters that would end a name (the HTML standard's multipart/form-data encoding). */
const ESCAPES: Readonly<Record<string, string>> = { '"': '%22', '\r': '%0D', '\n': '%0A' };

/** A file name as services keep it: as it was on the wire, without folders and control characters. */
function keptName(name: string): string {
  const sent = name.replace(/["\r\n]/g, (character) => ESCAPES[character] ?? '');
  const base = sent.slice(Math.max(sent.lastIndexOf('/'), sent.lastIndexOf('\\')) + 1);
  const clean = base.replace(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '').trim();
  if (clean.length <= MAX_NAME_CHARACTERS) return clean.toWellFormed();
  const [ending = ''] = ENDING.exec(clean) ?? [];
  const begin = clean.slice(0, MAX_NAME_CHARACTERS - ending.length).replace(/[\ud800-\udbff]$/, '');
  return (begin + ending).toWellFormed();
}
