// Requests as the bench sends them: bytes, ready before the clock runs.
import { createHash } from 'node:crypto';
import { fingerprint, memoOf } from '@grainline/x402';

/** A request with its payment. */
export interface Sendable {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const FILENAME = 'note.txt';

/** A JSON request for a text. */
export function textOf(text: string, proof?: string): Sendable {
  const body = JSON.stringify({ text, filename: FILENAME });
  return { path: '/chunk', headers: headersOf('application/json', body, proof), body };
}

/** The same text as an upload. */
export function uploadOf(text: string, proof?: string): Sendable {
  const part = `Content-Disposition: form-data; name="file"; filename="${FILENAME}"`;
  const body = `--cut\r\n${part}\r\n\r\n${text}\r\n--cut--\r\n`;
  return {
    path: '/chunk/structure',
    headers: headersOf('multipart/form-data; boundary=cut', body, proof),
    body,
  };
}

/** The memo that binds a payment to an upload with the defaults of the deployment `primary`. */
export async function memoOfUpload(text: string): Promise<string> {
  const options = { output_format: 'raw', chunk_size: '1000', chunk_overlap: '0', unit: 'characters' };
  const source = { file_sha256: createHash('sha256').update(text).digest('hex'), filename: FILENAME };
  return memoOf(await fingerprint({ deployment: 'primary', tier: 'structure', options, source }));
}

function headersOf(type: string, body: string, proof?: string): Record<string, string> {
  return {
    'content-type': type,
    'content-length': String(Buffer.byteLength(body)),
    ...(proof === undefined ? {} : { 'x-payment': proof }),
  };
}
