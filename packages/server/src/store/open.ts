// Selects the engine: PostgreSQL where the settings name one, else SQLite. The client of PostgreSQL is loaded only when
// it is used.
import { resolve } from 'node:path';
import type { Settings } from '../settings/settings.ts';
import type { ObjectStore } from './bodies.ts';
import { hasDatabase } from './sqlite/database.ts';
import { openSqliteStore } from './sqlite/index.ts';
import { type Store, StoreError } from './store.ts';

/**
 * Opens the store of a server. `now` is milliseconds since 1970; without it a shared database uses its own clock.
 */
export async function openStore(settings: Settings, now: (() => number) | undefined): Promise<Store> {
  const { databaseUrl, dataDir, maxStoredBytes, maxPaidBytes } = settings;
  const objects = await openObjects(settings, now ?? Date.now);
  if (databaseUrl === undefined)
    return openSqliteStore({ dataDir, maxStoredBytes, maxPaidBytes, objects, now: now ?? Date.now });
  const { openPostgresStore } = await import('./postgres/index.ts');
  return openPostgresStore({
    databaseUrl,
    connections: settings.databaseConnections,
    migrations: settings.databaseMigrations === 'at-start' ? 'run' : 'require',
    maxStoredBytes,
    maxPaidBytes,
    objects,
    now,
  });
}

/** The bucket of the settings. The code that signs its requests is loaded only where there is one. */
async function openObjects({ objectStore }: Settings, now: () => number): Promise<ObjectStore | undefined> {
  if (objectStore === undefined) return undefined;
  const { openBucket } = await import('./s3.ts');
  return openBucket(objectStore, { now });
}

/** Opens the store of a server with the same settings. A wrong folder or database must not become an empty store. */
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
