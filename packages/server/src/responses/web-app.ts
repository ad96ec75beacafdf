// The web app: files that packages/web builds, with their compressed forms. They are read once at the start, so a
// service serves one consistent version, whatever is built or installed later. `GET /` gives the document to browsers,
// `/assets/…` the rest, whose names contain a hash of their content.
import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { extname, join } from 'node:path';
import { decompress } from './stored-result.ts';
import type { HttpReply } from '../http/message.ts';
import { matchesEntityTag, negotiateCoding } from '../http/negotiate.ts';

/** The built web app. */
export interface WebApp {
  /** The document, in the client's coding. */
  document(request: IncomingHttpHeaders): HttpReply;
  /** A file of the web app; undefined for an unknown name. */
  file(name: string, request: IncomingHttpHeaders): HttpReply | undefined;
}

/** The compressed forms of the build, best first: file ending and coding. */
const FORMS = [
  { coding: 'br', ending: '.br' },
  { coding: 'gzip', ending: '.gz' },
] as const;
const CODINGS = FORMS.map(({ coding }) => coding);
type Coding = (typeof CODINGS)[number];

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.pdf': 'application/pdf',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
};

/**
 * No other origin, nothing inline; text never becomes markup or code, because document text is only set as text. The
 * trusted-types policy creates addresses of workers, which are scripts too.
 */
const DOCUMENT_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  // The pictures of pages for the printer are blobs.
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  // The form without JavaScript.
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types grainline',
].join('; ');

/** A worker has the policy of its own file. The PDF worker compiles WebAssembly; the document may not. */
const SCRIPT_POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "connect-src 'self'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

/** A hashed name always has the same content. */
const FOR_EVER = 'public, max-age=31536000, immutable';

interface PageFile {
  readonly mediaType: string;
  /** Its uncompressed size in bytes. */
  readonly length: number;
  /**
   * The forms in memory. `identity` is absent where there is `gzip`, from which it is made: all browsers accept gzip,
   * and all forms would take twice as many bytes (27 MB).
   */
  readonly forms: ReadonlyMap<Coding | 'identity', Uint8Array>;
}

/**
 * Reads the folder of the built web app.
 *
 * @returns undefined when it was not built, as in a checkout before `npm run build`
 */
export async function openWebApp(folder: string): Promise<WebApp | undefined> {
  const html = await readFile(join(folder, 'index.html')).catch(() => undefined);
  if (html === undefined) return undefined;
  const documents = new Map<Coding | 'identity', Uint8Array>([['identity', html]]);
  for (const { coding, ending } of FORMS) {
    const bytes = await readFile(join(folder, `index.html${ending}`)).catch(() => undefined);
    if (bytes !== undefined) documents.set(coding, bytes);
  }
  const digits = hash('sha256', html).slice(0, 32);
  const files = await readFiles(join(folder, 'assets'));
  return {
    document: (request) => documentReply(documents, digits, request),
    file(name, request) {
      const file = files.get(name);
      return file === undefined ? undefined : fileReply(file, request);
    },
  };
}

async function readFiles(folder: string): Promise<ReadonlyMap<string, PageFile>> {
  const present = new Set(await readdir(folder));
  // The build leaves out a file that has a form in gzip.
  const names = new Set([...present].map((name) => name.replace(/\.(?:br|gz)$/, '')));
  return new Map(
    await Promise.all(
      [...names].map(async (name) => [name, await readForms(folder, name, present)] as const),
    ),
  );
}

async function readForms(folder: string, name: string, present: ReadonlySet<string>): Promise<PageFile> {
  const path = join(folder, name);
  const forms = new Map<Coding | 'identity', Uint8Array>();
  for (const { coding, ending } of FORMS)
    if (present.has(name + ending)) forms.set(coding, await readFile(path + ending));
  const gzip = forms.get('gzip');
  const whole = gzip === undefined ? await readFile(path) : undefined;
  if (whole !== undefined) forms.set('identity', whole);
  const mediaType = MEDIA_TYPES[extname(name)] ?? 'application/octet-stream';
  return { mediaType, length: whole?.length ?? lengthInGzip(gzip ?? new Uint8Array()), forms };
}

/** The uncompressed length of a gzip file, which its last four bytes hold (RFC 1952, section 2.3.1). */
function lengthInGzip(bytes: Uint8Array): number {
  return Buffer.from(bytes).readUInt32LE(bytes.length - 4);
}

function documentReply(
  documents: ReadonlyMap<Coding | 'identity', Uint8Array>,
  hash: string,
  request: IncomingHttpHeaders,
): HttpReply {
  const coding = negotiateCoding(
    request['accept-encoding'],
    CODINGS.filter((it) => documents.has(it)),
  );
  const etag = `"${hash}${coding === undefined ? '' : `-${coding}`}"`;
  const headers = {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': DOCUMENT_POLICY,
    'Cross-Origin-Opener-Policy': 'same-origin-allow-popups',
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-cache',
    Vary: 'Accept, Accept-Encoding',
    ETag: etag,
  };
  if (matchesEntityTag(request['if-none-match'], etag)) return { status: 304, headers };
  return {
    status: 200,
    headers: { ...headers, ...encoding(coding) },
    body: documents.get(coding ?? 'identity') ?? '',
  };
}

function fileReply({ mediaType, length, forms }: PageFile, request: IncomingHttpHeaders): HttpReply {
  const coding = negotiateCoding(
    request['accept-encoding'],
    CODINGS.filter((it) => forms.has(it)),
  );
  const headers = {
    'Content-Type': mediaType,
    'Content-Security-Policy': SCRIPT_POLICY,
    'Cache-Control': FOR_EVER,
    Vary: 'Accept-Encoding',
    ...encoding(coding),
  };
  const body = forms.get(coding ?? 'identity');
  if (body !== undefined) return { status: 200, headers, body };
  const gzip = forms.get('gzip') ?? new Uint8Array();
  return { status: 200, headers: { ...headers, 'Content-Length': String(length) }, ...decompress(gzip) };
}

function encoding(coding: Coding | undefined): Readonly<Record<string, string>> {
  return coding === undefined ? {} : { 'Content-Encoding': coding };
}
