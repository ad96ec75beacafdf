// The URL of a store: where the database is, which collection is meant, and the credentials, from the URL or the
// environment. A password leaves this file only towards a client; every other output has the masked URL.
import { VectorStoreError } from '@grainline/core';

/** The parts of a URL that a database takes. */
export interface UrlRules {
  /** Schemes without their colon; the first is the usual one. */
  readonly schemes: readonly string[];
  /** The form of the URL, for error messages and docs. */
  readonly form: string;
  /** The kind of the rest behind the scheme. */
  readonly kind: 'server' | 'folder' | 'none';
  /** Port when the URL has none. */
  readonly port?: number;
  /** The meaning of the URL's path: `collection`, or a `database` that the parameter `collection` stands beside. */
  readonly path: 'collection' | 'database' | 'none';
  /** Names of further query parameters. */
  readonly parameters: readonly string[];
  /** Names of environment variables for credentials that the URL lacks. */
  readonly environment: { readonly user?: string; readonly secret?: string };
}

/** A parsed URL. */
export interface StoreAddress {
  readonly scheme: string;
  readonly host: string;
  readonly port: number | undefined;
  /** False for loopback and with `?tls=false`: a key is sent in clear text only where the user says so. */
  readonly tls: boolean;
  readonly user: string | undefined;
  /** Password or API key. */
  readonly secret: string | undefined;
  /** The folder of a local database. */
  readonly folder: string;
  /** The path's first segment when it is a database's name. */
  readonly database: string | undefined;
  readonly collection: string;
  readonly parameters: ReadonlyMap<string, string>;
  /** The URL without credentials. */
  readonly masked: string;
  /** The texts that no message may contain. */
  readonly secrets: readonly string[];
}

/** Name of the collection when the URL has none. */
const DEFAULT_COLLECTION = 'grainline';
/** Valid in every database, with the endings that the adapters add. */
const COLLECTION = /^[a-z][a-z0-9_]{2,39}$/;
const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;
const MASK = '***';

/**
 * Parses the URL by the rules of its database.
 *
 * @throws VectorStoreError `invalid_url` with every issue; the message has no credentials
 */
export function parseAddress(
  text: string,
  rules: UrlRules,
  env: Readonly<Record<string, string | undefined>>,
): StoreAddress {
  const masked = maskUrl(text);
  const url = rules.kind === 'server' ? URL.parse(text) : undefined;
  const [rest = '', query = ''] = text.slice(text.indexOf(':') + 1).split('?', 2);
  const issues: string[] = [];
  if (rules.kind === 'server' && (url === null || url?.hostname === '')) issues.push('it has no host');
  if (rules.kind === 'folder' && rest === '') issues.push('it has no folder');
  const parameters = new Map(url?.searchParams ?? new URLSearchParams(query));
  const known = ['collection', ...(rules.kind === 'server' ? ['tls'] : []), ...rules.parameters];
  for (const name of parameters.keys())
    if (!known.includes(name)) issues.push(`${name} is none of its parameters ${known.join(', ')}`);
  const tls = parameters.get('tls') ?? '';
  if (!['', 'true', 'false'].includes(tls)) issues.push('tls must be true or false');
  const path = decode(url?.pathname.replace(/^\/|\/$/g, '') ?? '');
  const named = rules.path === 'collection' && path !== '' ? path : undefined;
  const collection = parameters.get('collection') ?? named ?? DEFAULT_COLLECTION;
  if (!COLLECTION.test(collection))
    issues.push('the collection must be 3 to 40 lower-case letters, digits or _, and begin with a letter');
  if (issues.length > 0)
    throw new VectorStoreError(
      'invalid_url',
      `The URL ${masked} cannot be used: ${issues.join('; ')}. Its form is ${rules.form}`,
    );
  const user = orUndefined(decode(url?.username ?? '')) ?? fromEnvironment(env, rules.environment.user);
  const password = orUndefined(decode(url?.password ?? ''));
  const host = url?.hostname ?? '';
  // A key without a name may stand in either place: `qdrant://KEY@host` and `qdrant://:KEY@host`.
  const isKeyAlone = rules.environment.user === undefined && password === undefined;
  const secret =
    password ?? (isKeyAlone ? user : undefined) ?? fromEnvironment(env, rules.environment.secret);
  return {
    scheme: text.slice(0, text.indexOf(':')).toLowerCase(),
    host: decode(host),
    port: url?.port ? Number(url.port) : rules.port,
    tls: tls === '' ? !LOOPBACK.test(host) : tls === 'true',
    user: isKeyAlone ? undefined : user,
    secret,
    folder: decode(rest),
    database: rules.path === 'database' ? orUndefined(path) : undefined,
    collection,
    parameters,
    masked,
    secrets:
      secret === undefined ? [] : [...new Set([secret, encodeURIComponent(secret), url?.password ?? ''])],
  };
}

/**
 * A URL without its credentials, for messages. Takes any text: everything between `//` and the last `@` before the
 * path is masked, whatever it contains, and so is the value of every parameter whose name speaks of a secret.
 */
export function maskUrl(text: string): string {
  return text
    .replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, `$1${MASK}@`)
    .replace(/([?&][^=&]*(?:key|token|secret|pass)[^=&]*=)[^&#]*/gi, `$1${MASK}`);
}

/** A text in which every secret is masked. */
export function maskSecrets(text: string, secrets: readonly string[]): string {
  let masked = text;
  // The longest first, because one may contain another.
  for (const secret of secrets
    .filter((one) => one !== '')
    .toSorted((one, other) => other.length - one.length))
    masked = masked.replaceAll(secret, MASK);
  return masked;
}

function fromEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  name: string | undefined,
): string | undefined {
  return name === undefined ? undefined : orUndefined(env[name] ?? '');
}

function orUndefined(text: string): string | undefined {
  return text === '' ? undefined : text;
}

/** Percent-decoded; the text itself when it is no valid encoding. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
