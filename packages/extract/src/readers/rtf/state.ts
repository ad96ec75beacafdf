// The state of a group of RTF: it begins as that of the group around it and ends with the group.
import type { MarkKind } from '../../tree/inline.ts';

/**
 * The use of a group's text: of the document, none, or one of the lists and instructions that the reader needs.
 */
export type Destination = 'text' | 'none' | 'fonts' | 'styles' | 'title' | 'instruction' | 'label' | 'html';

/** The state of one group. */
export interface GroupState {
  destination: Destination;
  /** Characters that stand for a `\u` in programs without Unicode, and are skipped here. */
  skipped: number;
  /** Number of the font. */
  font: number;
  /** Size of the letters in half-points. */
  size: number;
  marks: ReadonlySet<MarkKind>;
  isHidden: boolean;
  /** Target of the link around it; '' for none. */
  link: string;
  /** Number of the paragraph's style. */
  style: number;
  /** Level of the paragraph in the outline, from 0; -1 for text. */
  outline: number;
  /** Level of the paragraph's list, from 0. */
  listLevel: number;
  /** Left indent of the paragraph in twips, which shows the depth of lists that are not one. */
  indent: number;
  /** Indent of the paragraph's first line against the others; below 0 where it hangs out for a label. */
  firstIndent: number;
  isInTable: boolean;
  /** Depth of the paragraph's table, when the file says it; else undefined. */
  tableDepth: number | undefined;
  /** Text of the document that only programs without HTML show. */
  isForRtf: boolean;
  /** Runs at the end of the group. */
  atEnd: (() => void) | undefined;
}

/** Size of letters in half-points where the file has none. */
export const DEFAULT_SIZE = 24;

/** The state of a paragraph without any formatting. */
export const NEW_PARAGRAPH = {
  style: 0,
  outline: -1,
  listLevel: 0,
  indent: 0,
  firstIndent: 0,
  isInTable: false,
  tableDepth: undefined,
} satisfies Partial<GroupState>;

/** The state at the start of a file. */
export function initialState(): GroupState {
  return {
    destination: 'text',
    skipped: 1,
    font: -1,
    size: DEFAULT_SIZE,
    marks: new Set(),
    isHidden: false,
    link: '',
    ...NEW_PARAGRAPH,
    isForRtf: false,
    atEnd: undefined,
  };
}

export function withMark(marks: ReadonlySet<MarkKind>, mark: MarkKind, isOn: boolean): ReadonlySet<MarkKind> {
  const others = [...marks].filter((kind) => kind !== mark);
  return new Set(isOn ? [...others, mark] : others);
}

/** Control words whose groups hold no text of the document. */
export const WITHOUT_TEXT: ReadonlySet<string> = new Set(
  (
    'colortbl pict header headerl headerr headerf footer footerl footerr footerf ftnsep ftnsepc ftncn aftnsep aftnsepc ' +
    'aftncn xe tc txe rxe nonshppict pntxta pntxtb objdata bkmkstart bkmkend annotation atnid atnauthor filetbl ' +
    'revtbl listtable listoverridetable rsidtbl themedata datastore latentstyles generator pgdsctbl userprops ' +
    'xmlnstbl mmathPr wgrffmtfilter colorschememapping passwordhash protusertbl'
  ).split(' '),
);

/** Control words that are a character. */
export const CHARACTERS: Readonly<Record<string, string>> = {
  tab: '\t',
  emdash: '—',
  endash: '–',
  emspace: ' ',
  enspace: ' ',
  qmspace: ' ',
  bullet: '•',
  lquote: '‘',
  rquote: '’',
  ldblquote: '“',
  rdblquote: '”',
};

/** Control words that switch a mark on, and off with the number 0. */
export const MARKS: Readonly<Record<string, MarkKind>> = {
  b: 'strong',
  i: 'emphasis',
  strike: 'strike',
  striked: 'strike',
  super: 'raised',
};

/** Code pages of files from other systems than Windows. */
export const CODE_PAGES = { mac: 10000, pc: 437, pca: 850 } as const;

/** Code pages of fonts by `\fcharset` (specification, "Font Table"). */
const CHARSETS: Readonly<Record<number, number>> = {
  77: 10000,
  128: 932,
  129: 949,
  130: 1361,
  134: 936,
  136: 950,
  161: 1253,
  162: 1254,
  163: 1258,
  177: 1255,
  178: 1256,
  186: 1257,
  204: 1251,
  222: 874,
  238: 1250,
  254: 437,
  255: 850,
};

/** The code page of a charset; undefined for the one of the file. */
export function codePageOf(charset: number): number | undefined {
  return CHARSETS[charset];
}

/** Names in the Encoding standard of the code pages whose number is not their name. */
const ENCODINGS: Readonly<Record<number, string>> = {
  932: 'shift_jis',
  936: 'gbk',
  949: 'euc-kr',
  1361: 'euc-kr',
  950: 'big5',
  10000: 'macintosh',
  10007: 'x-mac-cyrillic',
  65001: 'utf-8',
};

/** The label of a code page. */
export function encodingOfPage(page: number): string {
  return ENCODINGS[page] ?? (page >= 874 && page < 1300 ? `windows-${page}` : `cp${page}`);
}
