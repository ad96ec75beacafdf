// The tool chunk_file: a local file below the roots.
import { hash } from 'node:crypto';
import { withoutSecrets } from '@grainline/core/options';
import { READERS } from '@grainline/extract';
import { DOCUMENT_SCHEMA, documentAnswer } from '../answer.ts';
import { readBelow } from '../roots.ts';
import {
  FILE_FIELDS,
  chunkFields,
  inputOf,
  readOptions,
  PAGE_FIELDS,
  readPage,
  PATH_FIELD,
  checkTiersOfOptions,
} from './fields.ts';
import { READS_HERE, type Session, tool, type Tool } from './tool.ts';

export function chunkFile({ ports, results, localQueue }: Session): Tool {
  const kinds = READERS.map(({ name }) => name).join(', ');
  return tool({
    name: 'chunk_file',
    title: 'Chunk a file',
    description:
      `Reads one file (${kinds}, source code) and splits it into chunks for retrieval or embedding, on this machine, at no cost and ` +
      'without network. Answers a summary with the outline first, then the first chunks; read_chunks has the others. With limit 0 it ' +
      'tells what is in a long document without filling your context.',
    input: inputOf({
      path: PATH_FIELD,
      ...chunkFields(ports.chunker),
      ...FILE_FIELDS,
      ...PAGE_FIELDS,
    }).check(checkTiersOfOptions(ports.chunker)),
    output: DOCUMENT_SCHEMA,
    annotations: READS_HERE,
    async run(given, run) {
      const options = readOptions(given);
      const chunk = async () => {
        const { bytes, name, filename } = await readBelow(ports.roots, given.path, run.signal);
        const documentId = given.document_id ?? name;
        return results.of(
          ['file', hash('sha256', bytes), filename, documentId, withoutSecrets('mcp', options)],
          () => ports.chunker.chunk({ content: bytes, documentId, filename }, options, run),
        );
      };
      // The turn begins before the reading, so that only files in work are in memory.
      const kept = await localQueue(chunk, run.signal);
      return { ...documentAnswer(kept, readPage(given)), result: kept.result };
    },
  });
}
