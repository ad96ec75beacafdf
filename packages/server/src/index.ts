/** Grainline's service: documents in, chunks out, over HTTP. */
export { startService, VERSION } from './server.ts';
export type { RunningService, ServiceParts } from './server.ts';
export { main } from './main.ts';
export type { MainOptions } from './main.ts';
export { processTerminal } from './terminal.ts';
export type { Terminal } from './terminal.ts';
export { readSettings, SETTINGS, SettingsError, settingsTable } from './settings/settings.ts';
export type { Setting } from './settings/readings.ts';
export type { Settings } from './settings/settings.ts';
export { CODES, codesTable } from './codes.ts';
export type { FaultCode } from './codes.ts';
export type { PaidResponse, StoredResult } from './store/answers.ts';
export type {
  PaymentEntry,
  PaymentFilter,
  PaymentPage,
  PaymentTotal,
  Refund,
  Sale,
  Store,
  UnsettledPayment,
} from './store/store.ts';
export type { Downloaded, Downloader } from './download/index.ts';
export type { Finished, Task, Workplace } from './workplace/index.ts';
