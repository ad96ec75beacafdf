/** Loads documents into a vector store and keeps it in step. `@grainline/pipeline/load`. */
export { cutDocument } from './cut-document.ts';
export type { CutRecords, DocumentToCut } from './cut-document.ts';
export { load } from './load.ts';
export type { LoadLog, LoadOptions, LoadPorts, LoadReport } from './load.ts';
export type { Prune, PruneOutcome } from './prune.ts';
export type { LoadSource, SourceContent, SourceEntry, SourceIssue } from './source.ts';
export { currentVersions } from './versions.ts';
export type { Versions } from './versions.ts';
