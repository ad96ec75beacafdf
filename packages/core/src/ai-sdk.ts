// Chunking as a tool for the Vercel AI SDK: `@grainline/core/ai-sdk`. A tool is a plain object whose schema is a
// Standard JSON Schema (standardschema.dev), which the SDK takes from version 7 on. This entry therefore imports no
// package.
import { checkAdapterOptions } from './adapter-options.ts';
import { chunk, indexedText } from './chunk.ts';
import type { ChunkOptions } from './chunk-options.ts';
import type { Enrichment } from './cut.ts';

/** The arguments that the model passes to the tool. */
export interface ChunkToolInput {
  readonly text: string;
}

/** The result for the model: the chunks as they are embedded, each with its range in `text` in UTF-16 units. */
export interface ChunkToolOutput {
  readonly chunks: {
    text: string;
    start: number;
    end: number;
    headingPath?: readonly string[];
    /** With the tier `ai-pro`. */
    enrichment?: Enrichment;
  }[];
}

/** A tool as `generateText`, `streamText` and agents of the AI SDK take it. */
export interface ChunkTool {
  readonly description: string;
  readonly inputSchema: { readonly '~standard': typeof STANDARD };
  readonly execute: (input: ChunkToolInput, call?: { abortSignal?: AbortSignal }) => Promise<ChunkToolOutput>;
}

const JSON_SCHEMA = {
  type: 'object',
  properties: { text: { type: 'string', description: 'The text to split, unchanged.' } },
  required: ['text'],
  additionalProperties: false,
};

const STANDARD = {
  version: 1,
  vendor: 'grainline',
  validate: (value: unknown): { value: ChunkToolInput } | { issues: { message: string }[] } =>
    typeof value === 'object' && value !== null && 'text' in value && typeof value.text === 'string'
      ? { value: { text: value.text } }
      : { issues: [{ message: 'The input must be an object whose member text is a string.' }] },
  jsonSchema: { input: () => ({ ...JSON_SCHEMA }), output: () => ({ ...JSON_SCHEMA }) },
} as const;

/**
 * Creates a tool with which a model splits text, by the tier and the limits that you choose. A call of the tool fails
 * as `chunk` does, and ends when the SDK aborts it.
 *
 * @throws ChunkError `invalid_options` with every issue
 *
 * @example
 * await generateText({ model, prompt, tools: { chunk: chunkTool({ tier: 'structure', size: 800 }) } });
 */
export function chunkTool(options: Omit<ChunkOptions, 'signal'> = {}): ChunkTool {
  // Checked here rather than at the first call: only the model would see that error, and it can correct a text but no
  // option.
  checkAdapterOptions(options);
  return {
    description:
      'Splits a long text into chunks for retrieval and says where in the text each begins and ends.',
    inputSchema: { '~standard': STANDARD },
    async execute({ text }, { abortSignal } = {}) {
      const chunks = await chunk(
        text,
        abortSignal === undefined ? options : { ...options, signal: abortSignal },
      );
      return {
        chunks: chunks.map((piece) => {
          const {
            start,
            end,
            enrichment,
            metadata: { headingPath },
          } = piece;
          return {
            text: indexedText(piece),
            start,
            end,
            ...(headingPath && { headingPath }),
            ...(enrichment && { enrichment }),
          };
        }),
      };
    },
  };
}
