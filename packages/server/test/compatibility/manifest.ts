// The record of a filled store: every request to the server that filled it, its payment and its response. It stands
// beside the store's SQL text, so that a test repeats the same requests.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** Engines of which there are fixtures. */
export const ENGINES = ['sqlite', 'postgres'] as const;
export type Engine = (typeof ENGINES)[number];

/** A repeatable request, the same byte for byte apart from the boundary of its form. */
export interface FilledRequest {
  readonly name: string;
  readonly deployment: 'primary' | 'compact';
  readonly path: string;
  /** Client address, in X-Forwarded-For. */
  readonly client: string;
  /** JSON body; otherwise there is a form. */
  readonly json?: Readonly<Record<string, unknown>>;
  readonly form?: {
    readonly fields: Readonly<Record<string, string>>;
    readonly filename: string;
    readonly content: string;
  };
}

/** A payment as the chain has it. */
export interface FilledPayment {
  readonly key: string;
  readonly payer: string;
  readonly amount: string;
  readonly memo: string;
  /** Fingerprint of the request, in base64url. */
  readonly fingerprint: string;
}

/** A request, and the state of the store after it. */
export interface Filled {
  readonly request: FilledRequest;
  readonly payment?: FilledPayment;
  /** State of the payment's row; `free` without a payment. */
  readonly state: 'free' | 'verified' | 'bound' | 'processing' | 'consumed' | 'released';
  /** The last answer to the request; absent when the server had not answered yet. */
  readonly answer?: { readonly status: number; readonly body: string };
  /** The stored result: its path and the SHA-256 of its bytes. */
  readonly result?: { readonly path: string; readonly sha256: string };
  readonly jobId?: string;
}

export interface Manifest {
  /** Time of the snapshot by the server's clock, in milliseconds since 1970. */
  readonly snapshotMs: number;
  /** Settings that the store depends on. */
  readonly settings: Readonly<Record<string, string>>;
  readonly filled: readonly Filled[];
  /** Questions of the interrupted job to the language model, each by the SHA-256 of its text. */
  readonly journal: {
    readonly jobId: string;
    readonly answered: readonly string[];
    readonly unanswered: readonly string[];
  };
}

/** Folder of the fixtures. */
export const FIXTURES = new URL('../fixtures/stores/', import.meta.url);

/** The fixture of an engine. */
export function readFixture(engine: Engine): { readonly manifest: Manifest; readonly sql: string } {
  const read = (name: string): string => readFileSync(new URL(name, FIXTURES), 'utf8');
  return { manifest: JSON.parse(read(`${engine}.json`)) as Manifest, sql: read(`${engine}.sql`) };
}

/** Sends a request to a service. */
export function sendFilled(
  url: string,
  { path, client, json, form }: FilledRequest,
  proof?: string,
  signal?: AbortSignal,
): Promise<Response> {
  const headers = {
    'X-Forwarded-For': client,
    ...(json === undefined ? undefined : { 'Content-Type': 'application/json' }),
    ...(proof === undefined ? undefined : { 'X-PAYMENT': proof }),
  };
  const body = form === undefined ? JSON.stringify(json) : formOf({ form });
  return fetch(url + path, { method: 'POST', headers, body, ...(signal && { signal }) });
}

/** The form of an upload. */
export function formOf({ form }: Pick<FilledRequest, 'form'>): FormData {
  const { fields = {}, filename, content = '' } = form ?? {};
  const made = new FormData();
  for (const [name, value] of Object.entries(fields)) made.append(name, value);
  made.append('file', new Blob([content]), filename);
  return made;
}

/** Name of a question to the language model: the SHA-256 of its messages. */
export function questionName(texts: readonly string[]): string {
  return sha256(texts.join('\n'));
}

export function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}
