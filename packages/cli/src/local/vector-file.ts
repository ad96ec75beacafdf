// Vectors of texts in a file that outlives a run, so that a service or a model embeds no text twice: not after an edit
// beside it, not for a second database, and not after a kill. SQLite keeps the file whole when processes share it or
// are killed. The file has hashes of texts, and no text.
import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync, StatementSync } from 'node:sqlite';

/** The part of an EmbeddingCache that `cachedEmbedder` uses. */
export interface VectorFile {
  readonly get: (model: string, text: string) => Float32Array | undefined;
  readonly set: (model: string, text: string, vector: ArrayLike<number>) => void;
  readonly close: () => void;
}

/** Options of {@link openVectorFile}. */
export interface VectorFileOptions {
  /** The embedder behind a model's name: another service of the same name may give other vectors. */
  readonly embedder: readonly unknown[];
  readonly maxBytes: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** The version of the table is in the name. */
const FILE_NAME = 'vectors-1.db';
const BUSY_TIMEOUT_MS = 2000;
const DAY_MS = 86_400_000;
/** Vectors between two checks of the size. */
const CHECK_INTERVAL = 500;
/** The share of its bound that a full file keeps; the vectors go that were not used for the longest time. */
const KEPT_SHARE = 0.8;

/**
 * Opens the file of a folder, and creates both. Rejects when that is impossible. An error of a later call, such as a
 * full disk, turns the file off and leaves the run alone.
 */
export async function openVectorFile(
  folder: string,
  { embedder, maxBytes, now }: VectorFileOptions,
): Promise<VectorFile> {
  const { DatabaseSync } = await import('node:sqlite');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = new DatabaseSync(join(folder, FILE_NAME), { timeout: BUSY_TIMEOUT_MS });
  file.exec(`pragma journal_mode = wal; pragma synchronous = normal;
    create table if not exists vectors (key blob primary key, day integer not null, vector blob not null) without rowid;
    create index if not exists by_day on vectors (day);`);
  const statements = prepare(file);
  let isOn = true;
  let untilCheck = 0;
  const attempt = <Result>(work: () => Result): Result | undefined => {
    if (!isOn) return undefined;
    try {
      return work();
    } catch {
      isOn = false;
      return undefined;
    }
  };
  const keyOf = (model: string, text: string): Uint8Array =>
    createHash('sha256')
      .update(JSON.stringify([...embedder, model, text]))
      .digest();
  const day = Math.floor(now() / DAY_MS);
  return {
    get: (model, text) =>
      attempt(() => {
        const key = keyOf(model, text);
        const row = statements.read.get(key);
        if (row === undefined) return undefined;
        if (Number(row['day']) < day) statements.touch.run(day, key);
        return Float32Array.from(new Float32Array(Uint8Array.from(row['vector'] as Uint8Array).buffer));
      }),
    set: (model, text, vector) =>
      attempt(() => {
        const { buffer } = Float32Array.from(vector);
        statements.write.run(keyOf(model, text), day, new Uint8Array(buffer));
        if (untilCheck-- > 0) return;
        untilCheck = CHECK_INTERVAL;
        evict(statements, maxBytes);
      }),
    close: () => {
      isOn = false;
      file.close();
    },
  };
}

type Statements = Readonly<Record<'read' | 'touch' | 'write' | 'size' | 'count' | 'evict', StatementSync>>;

function prepare(file: DatabaseSync): Statements {
  return {
    read: file.prepare('select day, vector from vectors where key = ?'),
    touch: file.prepare('update vectors set day = ? where key = ?'),
    write: file.prepare('insert or replace into vectors (key, day, vector) values (?, ?, ?)'),
    size: file.prepare(
      'select (page_count - freelist_count) * page_size as bytes from pragma_page_count, pragma_freelist_count, pragma_page_size',
    ),
    count: file.prepare('select count(*) as count from vectors'),
    evict: file.prepare('delete from vectors where key in (select key from vectors order by day limit ?)'),
  };
}

/** Freed pages are used again, so that the file does not grow beyond the bound. */
function evict({ size, count, evict: remove }: Statements, maxBytes: number): void {
  const bytes = Number(size.get()?.['bytes']);
  if (bytes <= maxBytes) return;
  remove.run(Math.ceil(Number(count.get()?.['count']) * (1 - (KEPT_SHARE * maxBytes) / bytes)));
}
