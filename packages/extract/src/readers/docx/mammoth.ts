// mammoth's door: parts in, its document tree out. The only file that knows how mammoth is called. We take the tree
// that it hands to `transformDocument`, before it makes HTML: writing HTML to read it again would cost time and lose
// page breaks and notes.
import mammoth from 'mammoth';
import { ExtractError } from '../../errors.ts';
import type { Parts } from './parts.ts';

/** What mammoth makes of a DOCX, as far as we look at it (mammoth's lib/documents.js). */
export type WordNode =
  | WordParagraph
  | WordRun
  | { readonly type: 'text'; readonly value: string }
  | { readonly type: 'tab' }
  | { readonly type: 'checkbox'; readonly checked: boolean }
  | { readonly type: 'hyperlink'; readonly children: readonly WordNode[]; readonly href?: string }
  | { readonly type: 'noteReference'; readonly noteType: string; readonly noteId: string }
  | { readonly type: 'image'; readonly altText?: string | null }
  | { readonly type: 'break'; readonly breakType: 'line' | 'page' | 'column' }
  | { readonly type: 'table'; readonly children: readonly WordNode[] }
  | { readonly type: 'tableRow'; readonly children: readonly WordNode[]; readonly isHeader: boolean }
  | {
      readonly type: 'tableCell';
      readonly children: readonly WordNode[];
      readonly colSpan: number;
      readonly rowSpan: number;
    }
  | { readonly type: 'bookmarkStart' | 'commentReference' };

export interface WordParagraph {
  readonly type: 'paragraph';
  readonly children: readonly WordNode[];
  readonly styleId: string | null;
  readonly styleName: string | null;
  /** `level` counts from 0. */
  readonly numbering: { readonly isOrdered: boolean; readonly level: string } | null;
}

export interface WordRun {
  readonly type: 'run';
  readonly children: readonly WordNode[];
  readonly styleName: string | null;
  readonly isBold: boolean;
  readonly isItalic: boolean;
  readonly isStrikethrough: boolean;
}

export interface WordDocument {
  readonly children: readonly WordNode[];
  readonly notes: {
    readonly resolve: (reference: {
      noteType: string;
      noteId: string;
    }) => { readonly body: readonly WordNode[] } | null;
  };
}

/** Reads the main document with its notes, styles and numbering. */
export async function readWord(parts: Parts): Promise<WordDocument> {
  let found: WordDocument | undefined;
  // Besides a path and a buffer mammoth takes an opened archive (lib/unzip.js), which its types leave out. With it
  // mammoth unpacks nothing itself and sees only what the guard lets through.
  const input = { file: archiveOf(parts) } as unknown as Parameters<typeof mammoth.convertToHtml>[0];
  try {
    await mammoth.convertToHtml(input, {
      externalFileAccess: false,
      includeEmbeddedStyleMap: false,
      transformDocument: (document: WordDocument) => {
        found = document;
        return { ...document, children: [], comments: [] };
      },
    });
  } catch (error) {
    throw asFault(error);
  }
  if (found === undefined) throw new ExtractError('corrupted', { detail: 'it holds no Word document' });
  return found;
}

/** An archive as mammoth expects it. */
function archiveOf({ has, read }: Parts): object {
  return {
    exists: has,
    read: (name: string): Promise<string> => new Promise((resolve) => resolve(read(name))),
  };
}

/** mammoth throws plain errors, also over what it does not expect: all of them are about the document. */
function asFault(error: unknown): ExtractError {
  if (error instanceof ExtractError) return error;
  if (error instanceof RangeError)
    return new ExtractError('too_complex', { detail: 'XML nested too deeply', cause: error });
  return new ExtractError('corrupted', { detail: 'its Word document cannot be read', cause: error });
}
