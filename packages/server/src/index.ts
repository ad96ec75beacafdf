/** Grainline's service: documents in, chunks out, over HTTP. */
export { startService, VERSION } from './server.ts';
export type { RunningService, ServiceParts } from './server.ts';
export { main, processTerminal } from './main.ts';
export type { MainOptions, Terminal } from './main.ts';
export { readSettings, SETTINGS, SettingsError, settingsTable } from './settings/settings.ts';
export type { Setting } from './settings/readings.ts';
export type { Settings } from './settings/settings.ts';
export { CODES, codesTable } from './errors.ts';
export type { FaultCode } from './errors.ts';
export type {
  PaidResponse,
  PaymentEntry,
  PaymentFilter,
  PaymentPage,
  PaymentTotal,
  Refund,
  Sale,
  Store,
  StoredResult,
  UnsettledPayment,
} from './store/store.ts';
export type { Downloaded, Downloader } from './download/index.ts';
export type { Finished, Task, Workplace } from './workplace/index.ts';
