// The databases as docs and help texts list them.
import { DATABASES } from './databases/index.ts';

/** A database, as a row of a table. */
export interface StoreTableRow {
  readonly id: string;
  readonly database: string;
  /** The form of its URL. */
  readonly url: string;
  /** The packages to install. */
  readonly clients: readonly string[];
  readonly index: string;
  readonly keywords: string;
  /** Environment variables for credentials. */
  readonly environment: readonly string[];
}

/** All databases, in the order of the docs. */
export function storeTable(): StoreTableRow[] {
  return DATABASES.map(({ id, summary, url, clients }) => ({
    id,
    database: summary.database,
    url: url.form,
    clients,
    index: summary.index,
    keywords: summary.keywords,
    environment: Object.values(url.environment),
  }));
}
