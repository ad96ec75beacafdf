// The codes of PostgreSQL's errors: a load must end, not fail document by document, when its role or its server does
// not allow it to write.
import { describe, expect, it } from 'vitest';
import { createCall } from '../../store/calls.ts';
import { pgvector } from './index.ts';

const url = 'postgres://***@db:5432/docs';

async function ending(code: string | undefined, message: string): Promise<unknown> {
  const retry = {
    now: () => 0,
    random: () => 0,
    wait: () => Promise.resolve(),
    attempts: 2,
    timeoutMs: 60_000,
  };
  const call = createCall({ adapter: pgvector, url, secrets: [] }, retry);
  return call(() => Promise.reject(Object.assign(new Error(message), { code }))).catch(
    (error: unknown) => error,
  );
}

describe('an error of PostgreSQL', () => {
  it.each([
    ['28P01', 'password authentication failed for user "reader"', 'unauthorized'],
    [undefined, 'SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string', 'unauthorized'],
    ['42501', 'permission denied for table my_extension', 'unauthorized'],
    ['42501', 'permission denied to create extension "vector"', 'missing_extension'],
    ['0A000', 'extension "vector" is not available', 'missing_extension'],
    ['58P01', 'could not open extension control file "/usr/share/vector.control"', 'missing_extension'],
    ['42704', 'type "vector" does not exist', 'missing_extension'],
    ['3D000', 'database "docs" does not exist', 'unavailable'],
    ['25006', 'cannot execute INSERT in a read-only transaction', 'unavailable'],
    ['53100', 'could not extend file "base/1/2": No space left on device', 'unavailable'],
    ['22021', 'invalid byte sequence for encoding "UTF8": 0x00', 'rejected'],
  ])('with the code %s (%s) ends as %s', async (code, message, kind) => {
    expect(await ending(code, message)).toMatchObject({
      code: kind,
      message: expect.stringContaining(message) as string,
    });
  });
});
