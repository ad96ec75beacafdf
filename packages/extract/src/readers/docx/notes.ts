// Footnotes and endnotes of a DOCX: each is read into blocks of its own, which the walk puts at their reference.
import { TreeBuilder } from '../../tree/builder.ts';
import type { TreeNode } from '../../tree/node.ts';
import type { OfficePackage } from '../../package/office.ts';
import { WordWalk } from './walk.ts';
import type { WalkResult, WordSource } from './word-source.ts';
import { attributesOf } from '../../package/xml.ts';

/** The content of all notes of a document. */
interface Notes {
  /** Their blocks by `footnote 2`, `endnote 1`. */
  readonly content: ReadonlyMap<string, readonly TreeNode[]>;
  /** Fields in the notes that began and never ended. */
  readonly unended: WalkResult['unended'];
}

/** Reads the notes of a document. The separators between notes and text are skipped. */
export function readNotes(
  parts: OfficePackage,
  source: Pick<WordSource, 'styles' | 'numbering' | 'embedded' | 'unended' | 'counts' | 'targets'>,
): Notes {
  const content = new Map<string, readonly TreeNode[]>();
  const unended: WalkResult['unended'][number][] = [];
  for (const kind of ['footnote', 'endnote']) {
    const name = parts.related(`${kind}s`);
    if (name === undefined) continue;
    const relationships = parts.relationshipsOf(name);
    let builder = new TreeBuilder(source.targets);
    let walk: WordWalk | undefined;
    let key = '';
    parts.visit(name, {
      open: (element, written) => {
        if (walk !== undefined) walk.visitor.open(element, written);
        else if (element === `w:${kind}`) {
          const attributes = attributesOf(written);
          if (/separator|notice/i.test(attributes.get('type') ?? '')) return;
          key = `${kind} ${attributes.get('id') ?? ''}`;
          builder = new TreeBuilder(source.targets);
          walk = new WordWalk({ ...source, relationships, inNote: key, note: () => undefined }, builder);
        }
      },
      close: (element) => {
        if (walk === undefined) return;
        if (element === `w:${kind}`) {
          for (const field of walk.end().unended) unended.push(field);
          content.set(key, builder.finish());
          walk = undefined;
        } else walk.visitor.close(element);
      },
      text: (text) => walk?.visitor.text(text),
    });
  }
  return { content, unended };
}
