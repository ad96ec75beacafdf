// Sends a document to a service, and reads the outcome.
import { form } from '../../http/fake-service.ts';

interface ChunkAnswer {
  readonly code?: string;
  readonly chunks?: readonly { readonly text: string }[];
  /** Of a result of many chunks. */
  readonly download_url?: string;
}

/** `400 corrupted`, or the texts of the chunks of an answer. */
export async function outcomeOf(url: string, filename: string, content: Uint8Array): Promise<string> {
  const response = await fetch(`${url}/chunk/structure`, { method: 'POST', body: form(content, filename) });
  const answer = (await response.json()) as ChunkAnswer;
  if (response.status !== 200) return `${response.status} ${answer.code ?? ''}`;
  const result =
    answer.download_url === undefined
      ? answer
      : ((await (await fetch(answer.download_url)).json()) as ChunkAnswer);
  return (result.chunks ?? []).map((chunk) => chunk.text).join('\n');
}

/** True for an outcome as the row of a document expects it. */
export function isExpected(outcome: string, expected: string | RegExp): boolean {
  return typeof expected === 'string' ? outcome === expected : expected.test(outcome);
}
