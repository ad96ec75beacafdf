/**
 * Grainline as tools for coding agents and assistants: a Model Context Protocol server over standard input and output.
 */
export { serve } from './serve.ts';
export { McpError } from './errors.ts';
export type { McpErrorCode } from './errors.ts';
export type {
  DocumentResult,
  ChunkerOptions,
  HeadingEntry,
  Chunker,
  Ports,
  CallContext,
  ServicePort,
  ChunkerSource,
} from './ports.ts';
