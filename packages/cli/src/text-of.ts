// The body of an answer as text, as much as may come: a service must not be able to fill this machine's memory.
import { CliError } from './errors.ts';

/** The longest body, unpacked: about what fits a string. */
const MAX_BYTES = 512 * 1024 * 1024;

/**
 * Reads a body in UTF-8. Rejects with `remote_strange` when it is too long, with fetch's TypeError when it breaks off.
 */
export async function readText({ body }: Response, maxBytes = MAX_BYTES): Promise<string> {
  const decoder = new TextDecoder();
  let [text, length] = ['', 0];
  for await (const piece of body ?? []) {
    const bytes = piece as Uint8Array;
    length += bytes.length;
    if (length > maxBytes)
      throw new CliError('remote_strange', { detail: `it has more than ${maxBytes} bytes` });
    text += decoder.decode(bytes, { stream: true });
  }
  return text + decoder.decode();
}
