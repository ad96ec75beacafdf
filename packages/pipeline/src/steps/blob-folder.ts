// Values as files of a folder, which several machines may share. A file is complete as soon as it has its name: it is
// written under another one and linked, and a link is made once.
import { randomUUID } from 'node:crypto';
import { link, mkdir, open, readFile, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { BlobStore } from './blobs.ts';

/**
 * Values in a folder, which is made when it is not there. The file system must have hard links, as local ones and NFS
 * do. Old files may be deleted at any time: a later run of a step makes its result again from the document's bytes,
 * whose files begin with `source`.
 */
export function createBlobFolder(folder: string): BlobStore {
  const pathOf = (key: string): string => join(folder, `${assertKey(key)}.blob`);
  return {
    get: async (key) => readFile(pathOf(key)).catch(ignoring('ENOENT')),
    has: async (key) => (await stat(pathOf(key)).catch(ignoring('ENOENT'))) !== undefined,
    async put(key, value) {
      const path = pathOf(key);
      const partial = `${path}.${randomUUID()}`;
      await mkdir(dirname(path), { recursive: true });
      const file = await open(partial, 'wx');
      try {
        await file.writeFile(value);
        await file.sync();
      } finally {
        await file.close();
      }
      await link(partial, path).catch(ignoring('EEXIST'));
      await rm(partial);
    },
  };
}

const KEY = /^[a-z0-9-]{1,100}(?:\/[a-z0-9-]{1,100})?$/;

function assertKey(key: string): string {
  if (KEY.test(key)) return key;
  throw new RangeError(`A key consists of small letters, digits, "-" and one "/"; it is ${key}.`);
}

/** A handler that ignores errors of one code. */
function ignoring(code: string): (error: unknown) => undefined {
  return (error) => {
    if ((Object(error) as { readonly code?: unknown }).code !== code) throw error;
  };
}
