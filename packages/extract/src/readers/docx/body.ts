// The parts of a DOCX → a tree: style sheet and numbering first, then the notes, then the document itself, walked again
// when a field has no end. Embedded documents are read the same way.
import { ExtractError } from '../../errors.ts';
import { TreeBuilder } from '../../tree/builder.ts';
import type { LinkTargets } from '../../tree/links.ts';
import type { TreeNode } from '../../tree/node.ts';
import { type EmbeddedCallbacks, readEmbedded } from './embedded.ts';
import { readNotes } from './notes.ts';
import { readNumbering } from './numbering.ts';
import type { OfficePackage } from '../../package/office.ts';
import { readStyles } from './styles.ts';
import { WordWalk } from './walk.ts';
import type { Counts, Unended, WalkResult } from './word-source.ts';

/** A document with the parts that it was read from. */
interface Body extends WalkResult {
  /** Its blocks, and the notes behind them. */
  readonly nodes: readonly TreeNode[];
  readonly parts: OfficePackage;
}

/**
 * Each walk may reveal fields without an end that others have hidden, in text boxes; more than two walks mean a hostile
 * file.
 */
const MAX_WALKS = 3;

/** A document in a chunk of another document seldom has chunks of its own. Deeper ones are not read. */
const MAX_INSIDE = 3;

/** The state that a document shares with the documents around it. */
export interface EnclosingDocuments {
  readonly counts: Counts;
  readonly targets: LinkTargets;
  /** Names of parts of the text that were not read. */
  readonly leftOut: Set<string>;
  readonly addPage: EmbeddedCallbacks['addPage'];
  /** Number of documents around it. */
  readonly depth: number;
  /** True when the nodes are marked with the numbers of their paragraphs. */
  readonly isNumbered?: boolean;
}

/**
 * Reads a document. A field that never ends would hide the rest of its document or note; the next walk ignores the
 * field. That walk opens the parts anew, so that the bounds on bytes and tags are those of one walk.
 * @param opened the parts for the first walk
 */
export function readBody(open: () => OfficePackage, around: EnclosingDocuments, opened = open()): Body {
  const unended = new Map<string, Set<number>>();
  const before = { ...around.counts };
  for (let walks = 1; ; walks++) {
    Object.assign(around.counts, before);
    const body = walkDocument(walks === 1 ? opened : open(), unended, around);
    if (body.unended.length === 0 || walks === MAX_WALKS) return body;
    for (const { note, index } of body.unended)
      unended.set(note, (unended.get(note) ?? new Set()).add(index));
  }
}

function walkDocument(parts: OfficePackage, unended: Unended, around: EnclosingDocuments): Body {
  const { counts, targets, depth } = around;
  const builder = new TreeBuilder(targets);
  const source = {
    styles: readStyles((visitor) => parts.visit(parts.related('styles'), visitor)),
    numbering: readNumbering((visitor) => parts.visit(parts.related('numbering'), visitor)),
    embedded: readEmbedded(parts, {
      readDocument: (bytes) =>
        depth < MAX_INSIDE
          ? readBody(() => parts.inside(bytes), { ...around, depth: depth + 1, isNumbered: false }).nodes
          : undefined,
      addPage: around.addPage,
      leaveOut: (name) => around.leftOut.add(name),
    }),
    unended,
    counts,
    targets,
    inNote: '',
  };
  const notes = readNotes(parts, source);
  const relationships = parts.relationshipsOf(parts.main);
  const walk = new WordWalk({ ...source, relationships, note: (key) => notes.content.get(key) }, builder);
  const { visitor } = walk;
  let root = '';
  let [paragraphs, boxes] = [0, 0];
  parts.visit(parts.main, {
    open: (name, written) => {
      if (root === '') root = name;
      if (name === 'w:txbxContent') boxes++;
      else if (name === 'w:p' && boxes === 0 && around.isNumbered === true) builder.paragraph = ++paragraphs;
      visitor.open(name, written);
    },
    close: (name) => {
      if (name === 'w:txbxContent') boxes--;
      visitor.close(name);
    },
    text: (text) => visitor.text(text),
  });
  if (root !== 'w:document') throw new ExtractError('corrupted', { detail: 'it holds no Word document' });
  const walked = walk.end();
  return { ...walked, unended: [...walked.unended, ...notes.unended], nodes: builder.finish(), parts };
}
