// The tool chunk_file: a file below the roots, read and cut here.
import { READERS } from '@grainline/extract';
import * as z from 'zod';
import { DOCUMENT_SCHEMA, documentAnswer } from '../answer.ts';
import { readBelow } from '../roots.ts';
import { sha256 } from '../results.ts';
import { cutFields, cutOptionsOf, PAGE_FIELDS, pageOf, PATH_FIELD, refuseStrangers } from './fields.ts';
import { READS_HERE, type Session, tool, type Tool } from './tool.ts';

export function chunkFile({ ports, results, inTurn }: Session): Tool {
  const kinds = READERS.map(({ name }) => name).join(', ');
  return tool({
    name: 'chunk_file',
    title: 'Chunk a file',
    description:
      `Reads one file (${kinds}, source code) and splits it into chunks for retrieval or embedding, on this machine, at no cost and ` +
      'without network. Answers a summary with the outline first, then the first chunks; read_chunks has the others. With limit 0 it ' +
      'tells what is in a long document without filling your context.',
    input: z
      .strictObject({
        path: PATH_FIELD,
        ...cutFields(ports.line),
        charset: z
          .string()
          .min(1)
          .max(40)
          .optional()
          .describe('encoding of a text file that is not UTF-8, as windows-1252; default found'),
        ...PAGE_FIELDS,
      })
      .check(refuseStrangers(ports.line)),
    output: DOCUMENT_SCHEMA,
    annotations: READS_HERE,
    async run(given, run) {
      const options = { ...cutOptionsOf(given), charset: given.charset };
      const cut = async () => {
        const { bytes, name, filename } = await readBelow(ports.roots, given.path, run.signal);
        const documentId = given.document_id ?? name;
        return results.of(['file', sha256(bytes), filename, documentId, options], () =>
          ports.line.cut({ content: bytes, documentId, filename }, options, run),
        );
      };
      // Its turn begins before it is read, so that no more files stand in memory than are at work.
      const kept = await inTurn(cut, run.signal);
      return { ...documentAnswer(kept, pageOf(given)), result: kept.result };
    },
  });
}
