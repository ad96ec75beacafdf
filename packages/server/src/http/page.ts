// The page: files that packages/web builds, with their compressed forms beside them. Looked through once at the start;
// `GET /` gives the document to browsers, `/assets/…` the rest, whose names hold a hash of what they hold.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { extname, join } from 'node:path';
import type { Reply } from './intake.ts';
import { matchesTag, takenCoding } from './negotiate.ts';

/** The built page. */
export interface Page {
  /** The document, in the form that the client takes. */
  document(request: IncomingHttpHeaders): Reply;
  /** One of its files; undefined when there is none of this name. */
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
  /** Bytes of each form that there is; `identity` is as it was built. */
  readonly lengths: ReadonlyMap<Coding | 'identity', number>;
}

/**
 * Looks through the folder of the built page.
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
      return file === undefined ? undefined : fileReply(join(folder, 'assets', name), file, request);
    },
  };
}

/** Only names that stood in the folder at the start are ever opened, so no request names a path. */
async function readFiles(folder: string): Promise<ReadonlyMap<string, PageFile>> {
  const names = new Set(await readdir(folder));
  const files = new Map<string, PageFile>();
  for (const name of names) {
    if (FORMS.some(({ ending }) => name.endsWith(ending))) continue;
    const lengths = new Map<Coding | 'identity', number>();
    lengths.set('identity', (await stat(join(folder, name))).size);
    for (const { coding, ending } of FORMS)
      if (names.has(name + ending)) lengths.set(coding, (await stat(join(folder, name + ending))).size);
    files.set(name, { mediaType: MEDIA_TYPES[extname(name)] ?? 'application/octet-stream', lengths });
  }
  return files;
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

function fileReply(path: string, { mediaType, lengths }: PageFile, request: IncomingHttpHeaders): Reply {
  const coding = takenCoding(
    request['accept-encoding'],
    CODINGS.filter((it) => lengths.has(it)),
  );
  const ending = FORMS.find((form) => form.coding === coding)?.ending ?? '';
  return {
    status: 200,
    headers: {
      'Content-Type': mediaType,
      'Content-Length': String(lengths.get(coding ?? 'identity') ?? 0),
      'Content-Security-Policy': SCRIPT_POLICY,
      'Cache-Control': FOR_EVER,
      Vary: 'Accept-Encoding',
      ...encoding(coding),
    },
    body: createReadStream(path + ending),
  };
}

function encoding(coding: Coding | undefined): Readonly<Record<string, string>> {
  return coding === undefined ? {} : { 'Content-Encoding': coding };
}
