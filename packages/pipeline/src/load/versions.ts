// The versions of the programs that make the chunks of a document. A manifest names them, so that a change leads to
// another reading of exactly the documents that it concerns.
import { CUTTER_VERSION } from '@grainline/core';
import { hex, sha256 } from '@grainline/core/formats';
import { IMAGES, READERS } from '@grainline/extract';

/** Versions by name: `{ cutter: '1', settings: 'structure-6b1f0c2a', pdf: '4', … }`. */
export type Versions = Readonly<Record<string, string>>;

/**
 * The versions of every reader, of the cutter, and of the settings of both.
 *
 * @param settings what changes texts or cuts besides the programs, as plain data; the order of keys plays no part
 */
export async function currentVersions(
  settings: { readonly tier: string } & Readonly<Record<string, unknown>>,
): Promise<Versions> {
  const readers = await Promise.all([...READERS, IMAGES].map((entry) => entry.load()));
  const given = Object.entries(settings).filter(([, value]) => value !== undefined);
  const sorted = JSON.stringify(given.toSorted(([one], [other]) => (one < other ? -1 : 1)));
  return {
    cutter: String(CUTTER_VERSION),
    settings: `${settings.tier}-${hex(sha256(sorted)).slice(0, 8)}`,
    ...Object.fromEntries(readers.map(({ kind, version }) => [kind, String(version)])),
  };
}

/**
 * Those of the versions that a document depends on: all but the readers of other kinds. A document without text has no
 * reader, and the next version of any may find text in it.
 */
export function versionsOf(current: Versions, reader: string | undefined): Versions {
  if (reader === undefined) return current;
  const [kind = '', version = ''] = reader.split(/-(?=\d+$)/);
  const { cutter = '', settings = '' } = current;
  return { cutter, settings, ...(kind === '' ? {} : { [kind]: version }) };
}

/** The names whose version is not the current one. */
export function outdatedNames(versions: Versions, current: Versions): string[] {
  return Object.keys(versions).filter((name) => versions[name] !== (current[name] ?? versions[name]));
}
