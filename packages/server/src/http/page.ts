// The page: files that packages/web builds, with their compressed forms beside them. Read once at the start, so that a
// service serves one page, whole, as long as it runs, even when another one is built or installed in its place. `GET /`
// gives the document to browsers, `/assets/…` the rest, whose names hold a hash of what they hold.
import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { extname, join } from 'node:path';
import { decompressed } from '../results.ts';
import type { Reply } from './intake.ts';
import { matchesTag, takenCoding } from './negotiate.ts';

/** The built page. */
export interface Page {
  /** The document, in the form that the client takes. */
  document(request: IncomingHttpHeaders): Reply;
  /** A file of the page; undefined when there is none of this name. */
  file(name: string, request: IncomingHttpHeaders): Reply | undefined;
}

/** Compressed forms that the build writes, best first: the ending of the file and the coding's name. */
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
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
};

/**
 * Nothing from elsewhere, nothing inline, and text never becomes markup or code: document text is only ever set as
 * text. The one policy makes addresses of workers, which are scripts too.
 */
const DOCUMENT_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  // The form of the page without JavaScript.
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types grainline',
].join('; ');

/** A worker's policy is that of its own file. The one that reads PDF compiles WebAssembly; the page itself may not. */
const SCRIPT_POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "connect-src 'self'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

/** Hashed names never hold anything else. */
const FOR_EVER = 'public, max-age=31536000, immutable';

interface PageFile {
  readonly mediaType: string;
  /** How many bytes it has as it was built. */
  readonly length: number;
  /**
   * The forms that lie in memory. `identity`, as it was built, is none of them where there is `gzip`, from which it is
   * made: browsers all take that, and all forms together would be twice as many bytes (27 MB).
   */
  readonly forms: ReadonlyMap<Coding | 'identity', Uint8Array>;
}

/**
 * Reads the folder of the built page.
 *
 * @returns undefined when it was not built, as in a checkout before `npm run build`
 */
export async function openPage(folder: string): Promise<Page | undefined> {
  const html = await readFile(join(folder, 'index.html')).catch(() => undefined);
  if (html === undefined) return undefined;
  const documents = new Map<Coding | 'identity', Uint8Array>([['identity', html]]);
  for (const { coding, ending } of FORMS) {
    const bytes = await readFile(join(folder, `index.html${ending}`)).catch(() => undefined);
    if (bytes !== undefined) documents.set(coding, bytes);
  }
  const hash = createHash('sha256').update(html).digest('hex').slice(0, 32);
  const files = await readFiles(join(folder, 'assets'));
  return {
    document: (request) => documentReply(documents, hash, request),
    file(name, request) {
      const file = files.get(name);
      return file === undefined ? undefined : fileReply(file, request);
    },
  };
}

async function readFiles(folder: string): Promise<ReadonlyMap<string, PageFile>> {
  const names = new Set(await readdir(folder));
  const files = [...names].filter((name) => !FORMS.some(({ ending }) => name.endsWith(ending)));
  return new Map(
    await Promise.all(files.map(async (name) => [name, await readForms(folder, name, names)] as const)),
  );
}

async function readForms(folder: string, name: string, names: ReadonlySet<string>): Promise<PageFile> {
  const path = join(folder, name);
  const forms = new Map<Coding | 'identity', Uint8Array>();
  for (const { coding, ending } of FORMS)
    if (names.has(name + ending)) forms.set(coding, await readFile(path + ending));
  if (!forms.has('gzip')) forms.set('identity', await readFile(path));
  const mediaType = MEDIA_TYPES[extname(name)] ?? 'application/octet-stream';
  return { mediaType, length: (await stat(path)).size, forms };
}

function documentReply(
  documents: ReadonlyMap<Coding | 'identity', Uint8Array>,
  hash: string,
  request: IncomingHttpHeaders,
): Reply {
  const coding = takenCoding(
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
  if (matchesTag(request['if-none-match'], etag)) return { status: 304, headers };
  return {
    status: 200,
    headers: { ...headers, ...encoding(coding) },
    body: documents.get(coding ?? 'identity') ?? '',
  };
}

function fileReply({ mediaType, length, forms }: PageFile, request: IncomingHttpHeaders): Reply {
  const coding = takenCoding(
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
  return { status: 200, headers: { ...headers, 'Content-Length': String(length) }, ...decompressed(gzip) };
}

function encoding(coding: Coding | undefined): Readonly<Record<string, string>> {
  return coding === undefined ? {} : { 'Content-Encoding': coding };
}
