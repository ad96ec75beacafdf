// The tool cite: a quotation in a result.
import * as z from 'zod';
import { READS_HERE, type Session, tool, type Tool } from './tool.ts';

/** Longest quotation in UTF-16 units, as at the service. */
const MAX_QUOTE = 2000;

const offset = z.int().nonnegative();
const SCHEMA = z.object({
  result: z.string(),
  found: z.boolean(),
  score: z
    .number()
    .optional()
    .describe("share of the quotation's letters and digits that stand there; absent when it was not found"),
  passages: z
    .array(
      z.object({
        start_offset: offset.describe('range in the text of the document, in UTF-16 units'),
        end_offset: offset,
        page_start: z.int().positive().optional().describe('first page of the chunks that hold it, from 1'),
        page_end: z.int().positive().optional(),
        text: z.string().describe('the words as they stand in the document'),
        chunk_ids: z.array(z.string()).describe('ids of the chunks that hold it'),
        regions: z
          .array(z.array(z.int()).length(5))
          .optional()
          .describe(
            'boxes on the pages that hold it, of a result with regions: page, left, top, right and bottom edge in hundredths of a point',
          ),
        paragraph: z
          .int()
          .positive()
          .optional()
          .describe('of a DOCX: paragraph in which the first chunk begins'),
        fragment: z.string().optional().describe('of an HTML page: fragment of a link to the first chunk'),
      }),
    )
    .describe('one, or one for each part between ellipses, in the order of the document'),
});

export function citeQuote({ results }: Session): Tool {
  return tool({
    name: 'cite',
    title: 'Check a quotation',
    description:
      'Finds a quotation in a result that another tool of this server has made, and answers its words as they stand in the document, ' +
      'pages, offsets and chunks; found is false for words that the document does not have. Call it before you show a user a quotation. ' +
      'Case, accents, blanks and punctuation play no part; … and ... stand for text that is left out.',
    input: z.strictObject({
      result: z.string().min(1).max(64).describe('name of the result, as the answer that made it has it'),
      quote: z.string().min(1).max(MAX_QUOTE).describe(`the quotation, at most ${MAX_QUOTE} characters`),
      bound: z
        .number()
        .gt(0)
        .max(1)
        .optional()
        .describe('least score of a find, above 0 and up to 1; default 0.8'),
    }),
    output: SCHEMA,
    annotations: READS_HERE,
    async run({ result, quote, bound }) {
      // Loaded at its first use: a server that cuts in a thread has no other need of it.
      const { citeRecords } = await import('@grainline/pipeline');
      const { document } = results.get(result);
      const { score, passages = [] } = citeRecords(document.records, quote, { bound }) ?? {};
      const found = score !== undefined;
      const lines = passages.map(({ start_offset: start, end_offset: end, page_start: page, text }) => {
        const place = `${page === undefined ? '' : `p. ${page}, `}${start}-${end}`;
        return `${place}\n${text}`;
      });
      const text = found ? [`Found, score ${score.toFixed(2)}:`, ...lines].join('\n') : 'Not found.';
      return { structured: { result, found, score, passages }, text };
    },
  });
}
