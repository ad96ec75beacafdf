// Writes tagged PDFs for tests: a structure tree with the text that belongs to each element.
import { setText, type PdfSpec, type SetText } from './pdf-writer.ts';

/** Text on a page, from 0; `order` moves it in the content stream, which otherwise has the order of the tree. */
export interface TaggedText extends SetText {
  readonly page?: number;
  readonly order?: number;
}

/** An element of the tree. */
export interface Tag {
  readonly type: string;
  readonly children?: readonly (Tag | TaggedText)[];
  /** Entries of its dictionary: `/Alt(…)`, `/A<</O/Table/ColSpan 2>>`. */
  readonly entries?: string;
}

/** A tagged document to write. */
export interface TaggedSpec {
  readonly tags: readonly Tag[];
  /** Texts outside the tree, and texts that are marked as artifacts. */
  readonly loose?: readonly TaggedText[];
  readonly artifacts?: readonly TaggedText[];
  /** Role names of the file's own types: `/Kapitel/H1`. */
  readonly roles?: string;
}

/** The numbers of the objects of the tree: its root, its parent tree, the first element. */
const ROOT = 5000;
const PARENTS = 5001;
const FIRST = 5002;

interface Marked {
  readonly text: TaggedText;
  readonly begin: string;
}

/** The document for `writePdf`. */
export function taggedPdf({ tags, loose = [], artifacts = [], roles = '' }: TaggedSpec): PdfSpec {
  const objects: Record<number, string> = {};
  const pages: Marked[][] = [];
  const parents: number[][] = [];
  const pageOf = ({ page = 0 }: TaggedText): Marked[] => {
    while (pages.length <= page) {
      pages.push([]);
      parents.push([]);
    }
    return pages[page] ?? [];
  };
  let next = FIRST;
  const write = ({ type, children = [], entries = '' }: Tag, parent: number): number => {
    const number = next++;
    const kids = children.map((child): string => {
      if ('type' in child) return `${write(child, number)} 0 R`;
      const marked = pageOf(child);
      const content = parents[child.page ?? 0] ?? [];
      marked.push({ text: child, begin: `/${type} <</MCID ${content.length}>> BDC` });
      content.push(number);
      return `<</Type/MCR/Pg ${10 + 10 * (child.page ?? 0)} 0 R/MCID ${content.length - 1}>>`;
    });
    objects[number] = `<</Type/StructElem/S/${type}/P ${parent} 0 R/K[${kids.join(' ')}]${entries}>>`;
    return number;
  };
  const top = tags.map((tag) => write(tag, ROOT));
  for (const text of artifacts) pageOf(text).push({ text, begin: '/Artifact <</Type/Pagination>> BDC' });
  for (const text of loose) pageOf(text).push({ text, begin: '' });
  const references = (numbers: readonly number[]): string =>
    numbers.map((number) => `${number} 0 R`).join(' ');
  objects[ROOT] =
    `<</Type/StructTreeRoot/K[${references(top)}]/ParentTree ${PARENTS} 0 R/RoleMap<<${roles}>>>>`;
  objects[PARENTS] = `<</Nums[${parents.map((some, page) => `${page} [${references(some)}]`).join(' ')}]>>`;
  return {
    pages: pages.map((marked, page) => ({
      entries: `/StructParents ${page}`,
      content: marked
        .map((one, index) => ({ ...one, order: one.text.order ?? index }))
        .sort((a, b) => a.order - b.order)
        .map(({ text, begin }) => (begin === '' ? setText([text]) : `${begin}\n${setText([text])}\nEMC`))
        .join('\n'),
    })),
    catalog: `/MarkInfo<</Marked true>>/StructTreeRoot ${ROOT} 0 R`,
    objects,
  };
}
