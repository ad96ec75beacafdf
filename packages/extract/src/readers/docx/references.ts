// References of a Word document to other places: the targets of its links, and the labels of its notes.
import type { TreeBuilder } from '../../tree/builder.ts';
import { linkTarget } from '../../tree/links.ts';
import type { WordSource } from './word-source.ts';

/** Most units of targets: 100,000 of the usual length. Further links keep only their text. */
const MAX_TARGETS = 10_000_000;

/** The references of a part. */
export class References {
  readonly #source: WordSource;
  readonly #builder: TreeBuilder;
  /** Labels of the notes by their keys, in the order of the references. */
  readonly #labels = new Map<string, string>();

  constructor(source: WordSource, builder: TreeBuilder) {
    this.#source = source;
    this.#builder = builder;
  }

  /** The address of a `w:hyperlink`, '' when it has none. */
  addressOf(attributes: ReadonlyMap<string, string>): string {
    const relationship = this.#source.relationships.get(attributes.get('id') ?? '');
    const anchor = attributes.get('anchor') ?? '';
    const address = relationship?.isExternal === true ? relationship.target : '';
    return anchor === '' ? address : `${address}#${anchor}`;
  }

  /** The target of a link; '' beyond {@link MAX_TARGETS}. */
  linkTarget(address: string): string {
    const target = linkTarget(address);
    const { counts } = this.#source;
    counts.targets += target.length;
    return counts.targets > MAX_TARGETS ? '' : target;
  }

  /** The label of a note, which its first reference adds to the document; `undefined` for a note without content. */
  noteLabel(key: string): string | undefined {
    const note = this.#source.note(key) ?? [];
    if (note.length === 0) return undefined;
    let label = this.#labels.get(key);
    if (label === undefined) {
      label = String(++this.#source.counts.notes);
      this.#labels.set(key, label);
      this.#builder.footnote(label, note);
    }
    return label;
  }
}
