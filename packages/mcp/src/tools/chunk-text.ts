// The tool chunk_text: a text in the call.
import { hash } from 'node:crypto';
import { DOCUMENT_SCHEMA, documentAnswer } from '../answer.ts';
import {
  chunkFields,
  inputOf,
  readOptions,
  PAGE_FIELDS,
  readPage,
  checkTiersOfOptions,
  TEXT_FIELD,
} from './fields.ts';
import { READS_HERE, type Session, tool, type Tool } from './tool.ts';

export function chunkText({ ports, results, localQueue }: Session): Tool {
  return tool({
    name: 'chunk_text',
    title: 'Chunk a text',
    description:
      'Splits a text that you have at hand (Markdown, plain text, source code, CSV) into chunks for retrieval or embedding, on this ' +
      'machine, at no cost and without network. Every chunk is an exact slice of the text, with offsets. For a file call chunk_file with ' +
      'its path instead of reading it first.',
    input: inputOf({
      text: TEXT_FIELD.describe('the text to split; it is cut as it is, and offsets count its UTF-16 units'),
      ...chunkFields(ports.chunker),
      ...PAGE_FIELDS,
    }).check(checkTiersOfOptions(ports.chunker)),
    output: DOCUMENT_SCHEMA,
    annotations: READS_HERE,
    async run(given, run) {
      const { text, document_id } = given;
      const digits = hash('sha256', text);
      const documentId = document_id ?? digits;
      const options = readOptions(given);
      const kept = await results.of(['text', digits, documentId, options], () =>
        localQueue(() => ports.chunker.chunk({ content: text, documentId }, options, run), run.signal),
      );
      return { ...documentAnswer(kept, readPage(given)), result: kept.result };
    },
  });
}
