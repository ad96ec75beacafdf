// The manifest: the spec of the store and one entry for each loaded document, as small texts in a collection of its
// own. Some databases bound the size of a text, so an entry is cut into parts; each part names the hash of the whole,
// and an entry of which a part is missing counts as absent: its document is then read again.
import { hash } from 'node:crypto';
import type { ManifestEntry, StoreRun, StoreSpec } from '@grainline/core';
import type { Connection, Note, RequestLimits } from '../connection.ts';
import type { Call } from './calls.ts';
import { partsOf } from './records.ts';

/** Version of the layout of manifest and records. */
export const LAYOUT = 1;

/** The stored spec. */
export type SpecNote = StoreSpec & { readonly layout: number };

/** A part of an entry. */
interface EntryPart {
  readonly document: string;
  readonly part: number;
  readonly parts: number;
  readonly hash: string;
  readonly text: string;
}

/** Bytes of a note besides the text of its part: names, numbers, hash. */
const PART_BYTES = 512;
/** A quotation mark or backslash of an entry is escaped in the note, and again where the note is JSON in JSON. */
const MOST_CHAR_BYTES = 4;

/** The id of a note: the first 16 bytes of a SHA-256 as a UUID of version 8 (RFC 9562, section 5.8). */
export function noteId(...names: readonly (string | number)[]): string {
  const digits = hash('sha256', JSON.stringify(names));
  const variant = '89ab'.charAt(Number.parseInt(digits.charAt(16), 16) & 3);
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-8${digits.slice(13, 16)}-${variant}${digits.slice(17, 20)}-${digits.slice(20, 32)}`;
}

/** The group of a source: a hash, so that its length is bounded. */
export function groupOf(source: string): string {
  return hash('sha256', source).slice(0, 32);
}

/** Reads and writes the manifest of one store. */
export class Manifest {
  readonly #connection: Connection;
  readonly #call: Call;
  readonly #limits: RequestLimits;

  constructor(connection: Connection, call: Call, limits: RequestLimits) {
    this.#connection = connection;
    this.#call = call;
    this.#limits = limits;
  }

  /** The stored spec; undefined when there is none. */
  async readSpec(run: StoreRun | undefined): Promise<SpecNote | undefined> {
    const [note] = await this.#call(() => this.#connection.getNotes([noteId('spec')]), run);
    return note === undefined ? undefined : (JSON.parse(note.value) as SpecNote);
  }

  async writeSpec({ embedding, versions }: StoreSpec, run: StoreRun | undefined): Promise<void> {
    const spec: SpecNote = { layout: LAYOUT, embedding, versions };
    const note: Note = { id: noteId('spec'), kind: 'spec', group: '', value: JSON.stringify(spec) };
    await this.#call(() => this.#connection.putNotes([note]), run);
  }

  /** The complete entries of one source, or of all. */
  async *entries(source: string | undefined, run: StoreRun | undefined): AsyncGenerator<ManifestEntry> {
    const open = new Map<string, EntryPart[]>();
    const group = source === undefined ? undefined : groupOf(source);
    const seen = new Set<string>();
    let pages: AsyncIterator<readonly Note[]> | undefined;
    // A scan that has failed ends, and its next page would seem to be the end of all. So it begins again.
    const next = async (): Promise<IteratorResult<readonly Note[]>> => {
      pages ??= this.#connection.scanNotes('entry', group)[Symbol.asyncIterator]();
      try {
        return await pages.next();
      } catch (error) {
        pages = undefined;
        throw error;
      }
    };
    try {
      for (;;) {
        const page = await this.#call(next, run);
        if (page.done === true) return;
        for (const { id, value } of page.value) {
          if (seen.has(id)) continue;
          seen.add(id);
          const part = JSON.parse(value) as EntryPart;
          const key = `${part.document}\n${part.hash}`;
          const found = [...(open.get(key) ?? []), part];
          open.set(key, found);
          if (found.length < part.parts) continue;
          open.delete(key);
          const entry = entryFrom(found);
          if (entry !== undefined) yield entry;
        }
      }
    } finally {
      await pages?.return?.(undefined);
    }
  }

  async putEntries(entries: readonly ManifestEntry[], run: StoreRun | undefined): Promise<void> {
    const before = await this.#partCounts(
      entries.map(({ documentId }) => documentId),
      run,
    );
    const notes = entries.flatMap((entry) => this.#notesOf(entry));
    const kept = new Set(notes.map(({ id }) => id));
    for (const part of batchNotes(notes, this.#limits))
      await this.#call(() => this.#connection.putNotes(part), run);
    const surplus = before.flatMap(({ id, parts }) => partIds(id, parts)).filter((id) => !kept.has(id));
    await this.#removeNotes(surplus, run);
  }

  async removeEntries(documentIds: readonly string[], run: StoreRun | undefined): Promise<void> {
    const before = await this.#partCounts(documentIds, run);
    // The first part goes last: until then another call finds all of them.
    const ids = before.flatMap(({ id, parts }) => partIds(id, parts).toReversed());
    await this.#removeNotes(ids, run);
  }

  async #removeNotes(ids: readonly string[], run: StoreRun | undefined): Promise<void> {
    for (const part of partsOf(ids, this.#limits.maxIds))
      await this.#call(() => this.#connection.removeNotes(part), run);
  }

  /** The documents that have an entry, with the number of its parts. */
  async #partCounts(
    documentIds: readonly string[],
    run: StoreRun | undefined,
  ): Promise<{ readonly id: string; readonly parts: number }[]> {
    const counts: { id: string; parts: number }[] = [];
    for (const ids of partsOf(
      documentIds.map((id) => noteId('entry', id, 0)),
      this.#limits.maxIds,
    )) {
      const notes = await this.#call(() => this.#connection.getNotes(ids), run);
      for (const { value } of notes) {
        const { document, parts } = JSON.parse(value) as EntryPart;
        counts.push({ id: document, parts });
      }
    }
    return counts;
  }

  #notesOf(entry: ManifestEntry): Note[] {
    const text = JSON.stringify(entry);
    const digits = hash('sha256', text).slice(0, 32);
    const most = Math.max(1, Math.floor((this.#limits.maxNoteBytes - PART_BYTES) / MOST_CHAR_BYTES));
    const texts = splitText(text, most);
    return texts.map((piece, part) => {
      const value: EntryPart = {
        document: entry.documentId,
        part,
        parts: texts.length,
        hash: digits,
        text: piece,
      };
      return {
        id: noteId('entry', entry.documentId, part),
        kind: 'entry',
        group: groupOf(entry.source),
        value: JSON.stringify(value),
      };
    });
  }
}

const partIds = (documentId: string, parts: number): string[] =>
  Array.from({ length: parts }, (_, part) => noteId('entry', documentId, part));

function entryFrom(parts: readonly EntryPart[]): ManifestEntry | undefined {
  const text = parts
    .toSorted((one, other) => one.part - other.part)
    .map((part) => part.text)
    .join('');
  const digits = hash('sha256', text).slice(0, 32);
  return parts[0]?.hash === digits ? (JSON.parse(text) as ManifestEntry) : undefined;
}

/** A text in pieces of at most `most` UTF-16 units, none of which ends inside a surrogate pair. */
function splitText(text: string, most: number): string[] {
  const pieces: string[] = [];
  for (let start = 0; start < text.length;) {
    let end = Math.min(text.length, start + most);
    if (end < text.length && end > start + 1 && /[\uD800-\uDBFF]/.test(text.charAt(end - 1))) end--;
    pieces.push(text.slice(start, end));
    start = end;
  }
  return pieces;
}

/** Notes in batches by count and bytes; no note is larger than a request. */
function batchNotes(notes: readonly Note[], { maxRecords, maxBytes }: RequestLimits): Note[][] {
  const batches: Note[][] = [];
  let bytes = Infinity;
  for (const note of notes) {
    const added = Buffer.byteLength(JSON.stringify(note)) + PART_BYTES;
    const batch = batches.at(-1);
    if (batch === undefined || batch.length >= maxRecords || bytes + added > maxBytes / 2) {
      batches.push([note]);
      bytes = added;
    } else {
      batch.push(note);
      bytes += added;
    }
  }
  return batches;
}
