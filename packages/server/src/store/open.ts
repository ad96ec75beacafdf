// Which engine keeps the state: PostgreSQL where the settings name one, else the embedded one. What only one of them
// needs is loaded only for it.
import { resolve } from 'node:path';
import type { Settings } from '../settings/settings.ts';
import { hasDatabase } from './sqlite/database.ts';
import { openSqliteStore } from './sqlite/index.ts';
import { type Store, StoreError } from './store.ts';

/**
 * The store of a server. `now` is milliseconds since 1970; by itself a database that machines share asks its own clock.
 */
export async function openStore(settings: Settings, now: (() => number) | undefined): Promise<Store> {
  const { databaseUrl, dataDir, maxStoredBytes, maxPaidBytes } = settings;
  if (databaseUrl === undefined)
    return openSqliteStore({ dataDir, maxStoredBytes, maxPaidBytes, now: now ?? Date.now });
  const { openPostgresStore } = await import('./postgres/index.ts');
  return openPostgresStore({
    databaseUrl,
    connections: settings.databaseConnections,
    migrations: settings.databaseMigrations === 'at-start' ? 'run' : 'require',
    maxStoredBytes,
    maxPaidBytes,
    now,
  });
}

/** The store of the server that has the same settings. A wrong folder or database must not become an empty store. */
export async function openKeptStore(
  { databaseUrl, dataDir }: Pick<Settings, 'dataDir' | 'databaseUrl'>,
  now: () => number,
): Promise<Store> {
  if (databaseUrl !== undefined) {
    const { openPostgresStore } = await import('./postgres/index.ts');
    const options = { connections: 1, migrations: 'require', maxStoredBytes: Infinity } as const;
    return openPostgresStore({ databaseUrl, ...options });
  }
  if (!hasDatabase(dataDir)) {
    throw new StoreError('data_dir_unusable', {
      detail: `no server has kept anything in ${resolve(dataDir)} yet`,
    });
  }
  return openSqliteStore({ dataDir, maxStoredBytes: Infinity, now });
}
