// The registry of databases. Error messages and the table of the docs are derived from it.
import type { Adapter } from '../connection.ts';
import { memory } from './memory/index.ts';

/** Every database; the order is that of messages and docs. */
export const DATABASES: readonly Adapter[] = [memory];
