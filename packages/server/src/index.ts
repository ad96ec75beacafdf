/** Grainline's service: documents in, chunks out, over HTTP. */
export { startService } from './main/server.ts';
export { VERSION } from './main/version.ts';
export type { RunningService, ServiceOverrides } from './main/server.ts';
export { main } from './main/main.ts';
export type { MainOptions } from './main/main.ts';
export { processTerminal } from './commands/terminal.ts';
export type { Terminal } from './commands/terminal.ts';
export { readSettings, SETTINGS, SettingsError, settingsTable } from './settings/settings.ts';
export type { Setting } from './settings/parsers.ts';
export type { Settings } from './settings/settings.ts';
export { CODES, codesTable } from './errors/codes.ts';
export type { ErrorCode } from './errors/codes.ts';
export type { Delivery, PaidResponse, StoredResult } from './store/responses.ts';
export type {
  PaymentEntry,
  PaymentFilter,
  PaymentPage,
  PaymentTotal,
  Refund,
  Store,
  UnsettledPayment,
} from './store/store.ts';
export type { DownloadedDocument, Downloader } from './requests/download/index.ts';
export type { CiteResult, CiteTask, PipelineResult, WorkerTask, WorkerPool } from './sandbox/index.ts';
