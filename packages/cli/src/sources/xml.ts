// The XML of listings: rows of an element, with the texts of the elements in it.
import { Parser } from 'htmlparser2';

/** A row, by the names of its elements. */
export type XmlRow = Readonly<Record<string, string>>;

/** The rows of a listing, and the texts outside of all rows. */
export interface XmlListing {
  /** Name of the outermost element. */
  readonly root: string;
  readonly rows: readonly XmlRow[];
  readonly head: XmlRow;
}

/**
 * Reads the elements of a name as rows. An element that stands several times in a row has its last text. Prefixes of
 * names are left out. Neither entities of a document type nor references outside of it are read. Linear.
 */
export function readListing(xml: string, rowName: string): XmlListing {
  const rows: XmlRow[] = [];
  const head: Record<string, string> = {};
  let root = '';
  let row: Record<string, string> | undefined;
  let text = '';
  const bare = (name: string): string => name.slice(name.indexOf(':') + 1);
  const parser = new Parser(
    {
      onopentag(name) {
        if (root === '') root = bare(name);
        text = '';
        if (bare(name) === rowName) row = {};
      },
      ontext: (piece) => void (text += piece),
      onclosetag(name) {
        if (bare(name) === rowName && row !== undefined) {
          rows.push(row);
          row = undefined;
        } else (row ?? head)[bare(name)] = text.trim();
        text = '';
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  parser.end(xml);
  return { root, rows, head };
}
