// The tool read_chunks: the other pages of a result.
import * as z from 'zod';
import { PAGE_SCHEMA, pageAnswer } from '../answer.ts';
import { PAGE_FIELDS, readPage } from './fields.ts';
import { READS_HERE, type Session, tool, type Tool } from './tool.ts';

export function readChunks({ results }: Session): Tool {
  return tool({
    name: 'read_chunks',
    title: 'Read more chunks',
    description:
      'Answers further chunks of a result that another tool of this server has made: its answer names the result and, in next, where to ' +
      'go on. Nothing is cut or paid again.',
    input: z.strictObject({
      result: z.string().min(1).max(64).describe('name of the result, as the answer that made it has it'),
      ...PAGE_FIELDS,
    }),
    output: PAGE_SCHEMA,
    annotations: READS_HERE,
    run: (given) => Promise.resolve(given).then(() => pageAnswer(results.get(given.result), readPage(given))),
  });
}
