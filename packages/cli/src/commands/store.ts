// The vector database of a command: its address with credentials from the environment or a file, its errors, and the
// masks that keep credentials out of every output.
import { readFile } from 'node:fs/promises';
import { posix, resolve, sep } from 'node:path';
import { parseEnv } from 'node:util';
import type { Embed, VectorStore } from '@grainline/core';
import { UsageError, reasonOf } from '../errors.ts';
import { type Io, type OutputStream, printable } from '../io.ts';
import { namedEmbedder } from '../local/embedder.ts';
import type { EmbedderName } from '../args/request.ts';
import type { RunLog } from '../output/terminal.ts';

/** The environment of a command with the variables of a file of credentials, which come first. */
export async function withCredentials(io: Io, file: string | undefined): Promise<Io> {
  if (file === undefined) return io;
  const text = await readFile(resolve(io.cwd, file), 'utf8').catch((error: unknown) => {
    throw new UsageError([`The credentials ${printable(file)} cannot be read: ${reasonOf(error)}.`]);
  });
  return { ...io, environment: { ...io.environment, ...parseEnv(text) } };
}

/** Names of variables whose values are secrets. */
const SECRET_NAMES = /(?:KEY|TOKEN|SECRET|PASSWORD|PASS)$/i;
/** A shorter value would mask words that are no secrets. */
const LEAST_SECRET = 4;

/** The same streams, which print `***` in place of the secrets of the environment and of a store's address. */
export function masked(io: Io, url: string): Io {
  const named = Object.entries(io.environment).filter(([name]) => SECRET_NAMES.test(name));
  const texts = [...named.map(([, value = '']) => value), ...secretsOf(url)];
  const secrets = [...new Set(texts.flatMap((text) => [text, encodeURIComponent(text)]))]
    .filter((text) => text.length >= LEAST_SECRET)
    .sort((one, other) => other.length - one.length);
  const mask = (text: string): string =>
    secrets.reduce((rest, secret) => rest.replaceAll(secret, '***'), text);
  return { ...io, stdout: maskedStream(io.stdout, mask), stderr: maskedStream(io.stderr, mask) };
}

function secretsOf(url: string): string[] {
  const { protocol = '', password = '', username = '', searchParams } = URL.parse(url) ?? {};
  const named = [...(searchParams ?? [])].filter(([name]) => /key|token|secret|pass/i.test(name));
  // A key may stand alone before the host. A name beside a password is none, nor is the usual one of a database, as in
  // `postgres://postgres@localhost`.
  const key = protocol.startsWith(username) ? '' : username;
  const texts = [password === '' ? key : password, ...named.map(([, value]) => value)];
  return texts.flatMap((text) => [text, decoded(text)]);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function maskedStream(stream: OutputStream, mask: (text: string) => string): OutputStream {
  return {
    get isTTY() {
      return stream.isTTY;
    },
    get columns() {
      return stream.columns;
    },
    write: (text, done) => stream.write(mask(text), done),
    on: (event, listener) => stream.on(event, listener),
  };
}

/** Opens a store. Rejects with a VectorStoreError. */
export async function openNamedStore(url: string, { environment, signal, cwd }: Io): Promise<VectorStore> {
  const { openStore } = await import('@grainline/stores');
  return openStore(absoluteAddress(url, cwd), { env: environment, signal });
}

/** An address whose folder does not depend on the working folder, so that the lock of a load has one name. */
export function absoluteAddress(url: string, cwd: string): string {
  const [, folder] = /^lancedb:(?![/?])(.+)$/s.exec(url) ?? [];
  if (folder === undefined) return url;
  return `lancedb:${posix.join(cwd.split(sep).map(encodeURIComponent).join('/'), folder)}`;
}

/** An embedder and the facts about its vectors. */
export interface NamedEmbedder {
  readonly embed: Embed;
  readonly model: string;
  readonly dimensions: number;
}

/** The named embedder, or the built-in one, after one call that proves it. Rejects with a ModelError. */
export async function provenEmbedder(
  name: EmbedderName | undefined,
  io: Io,
  log: Pick<RunLog, 'status'>,
): Promise<NamedEmbedder> {
  const embed = name === undefined ? await builtIn() : await namedEmbedder(name, io, log);
  const { model, dimensions } = await embed(['proof'], { signal: io.signal });
  return { embed, model, dimensions };
}

async function builtIn(): Promise<Embed> {
  const { staticEmbedder } = await import('@grainline/models/embeddings');
  return staticEmbedder();
}
