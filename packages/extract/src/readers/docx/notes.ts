// Footnotes and endnotes of a DOCX: each is read into blocks of its own, for the walk to put where they are referred to.
import { TreeBuilder } from '../../tree/builder.ts';
import type { TreeNode } from '../../tree/node.ts';
import type { Parts } from './parts.ts';
import { WordWalk, type WordSource } from './walk.ts';
import { attributesOf } from './xml.ts';

/** Notes by `footnote 2`, `endnote 1`. What separates them from the text is none. */
export function readNotes(
  parts: Parts,
  source: Pick<WordSource, 'styles' | 'numbering' | 'embedded'>,
): ReadonlyMap<string, readonly TreeNode[]> {
  const notes = new Map<string, readonly TreeNode[]>();
  for (const kind of ['footnote', 'endnote']) {
    const name = parts.related(`${kind}s`);
    if (name === undefined) continue;
    const relationships = parts.relationshipsOf(name);
    let builder = new TreeBuilder();
    let walk: WordWalk | undefined;
    let key = '';
    parts.visit(name, {
      open: (element, written) => {
        if (walk !== undefined) walk.open(element, written);
        else if (element === `w:${kind}`) {
          const attributes = attributesOf(written);
          if (/separator|notice/i.test(attributes.get('type') ?? '')) return;
          key = `${kind} ${attributes.get('id') ?? ''}`;
          builder = new TreeBuilder();
          walk = new WordWalk({ ...source, relationships, note: () => undefined }, builder);
        }
      },
      close: (element) => {
        if (walk === undefined) return;
        if (element === `w:${kind}`) {
          walk.end();
          notes.set(key, builder.finish());
          walk = undefined;
        } else walk.close();
      },
      text: (text) => walk?.text(text),
    });
  }
  return notes;
}
