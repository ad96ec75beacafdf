/** Loading documents by many machines: steps for a queue that is there already. `@grainline/pipeline/steps`. */
export { createBlobFolder } from './blob-folder.ts';
export { createMemoryBlobs } from './blobs.ts';
export type { BlobStore } from './blobs.ts';
export { documentFromJson, documentToJson, DOCUMENT_VERSION } from './document.ts';
export type { DocumentJson } from './document.ts';
export { createBullSteps } from './engines/bullmq.ts';
export type { BullFlowJob, BullJobOptions, BullSteps } from './engines/bullmq.ts';
export { createBossSteps } from './engines/pg-boss.ts';
export type {
  Boss,
  BossJob,
  BossJobEnd,
  BossJobOptions,
  BossSteps,
  BossWorkOptions,
} from './engines/pg-boss.ts';
export { isPermanent } from './errors.ts';
export { jobIdOf, parseStep, StepError } from './step.ts';
export type { QueuedDocument, Step, StepErrorCode, StepKind } from './step.ts';
export { createSteps } from './steps.ts';
export type { DocumentSteps, PlannedSteps, StepDeps, StepSettings, SubmittedDocument } from './steps.ts';
export type { WriteOutcome } from './write.ts';
