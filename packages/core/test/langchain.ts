// The oracle of the free tier: LangChain's own RecursiveCharacterTextSplitter, made to say where its chunks stand.
// Its methods run unchanged on strings that carry their offset; `whole` replaces the three things in which the free
// tier means to differ, each at the one method that decides it.
import { RecursiveCharacterTextSplitter } from '@langchain/textsplitters';
import type { Span } from '../src/document.ts';

export interface OracleOptions {
  readonly size: number;
  readonly overlap: number;
  readonly separators: readonly string[] | undefined;
  /** Measures lengths; UTF-16 units if absent. */
  readonly count?: (text: string) => number;
}

/** LangChain's own result. */
export async function splitByLangChain(text: string, options: OracleOptions): Promise<string[]> {
  return new RecursiveCharacterTextSplitter(fieldsOf(options)).splitText(text);
}

/** Where the chunks stand that LangChain returns. */
export async function locateByLangChain(text: string, options: OracleOptions): Promise<Span[]> {
  return spansOf(await new LocatingSplitter(options).splitText(new Piece(text, 0)));
}

/** Where LangChain's chunks would stand if its last level went by graphemes and nothing exceeded the size. */
export async function locateWhole(text: string, options: OracleOptions): Promise<Span[]> {
  return spansOf(await new WholeSplitter(options).splitText(new Piece(text, 0)));
}

/** The spans that lie in no other one; of equal ones the first. Starts and ends must not decrease. */
export function withoutContained(spans: readonly Span[]): Span[] {
  return spans.filter((span, index) => {
    const inEarlier = spans.slice(0, index).some((other) => other.end >= span.end);
    const inLater = spans.slice(index + 1).some((other) => other.start <= span.start && other.end > span.end);
    return !inEarlier && !inLater;
  });
}

/** A string that knows its offset in the text. LangChain's code cannot tell it from a plain one. */
class Piece extends String {
  readonly start: number;

  constructor(text: string, start: number) {
    super(text);
    this.start = start;
  }

  get end(): number {
    return this.start + this.length;
  }
}

/** Members of LangChain's class that the subclasses use; its declarations call some of them private. */
interface SplitterInside {
  readonly chunkSize: number;
  splitText(text: Piece): Promise<Piece[]>;
  splitOnSeparator(text: unknown, separator: string | undefined): string[];
  joinDocs(pieces: Piece[], separator: string): Piece | null;
  _splitText(text: Piece, separators: readonly string[]): Promise<Piece[]>;
}

const Base = RecursiveCharacterTextSplitter as unknown as new (fields: object) => SplitterInside;

class LocatingSplitter extends Base {
  constructor(options: OracleOptions) {
    super(fieldsOf(options));
  }

  override splitOnSeparator(text: Piece, separator: string | undefined): never[] {
    const pieces: Piece[] = [];
    let at = text.start;
    for (const part of this.partsOf(text, separator)) {
      pieces.push(new Piece(part, at));
      at += part.length;
    }
    return pieces as never[];
  }

  override joinDocs(pieces: Piece[]): Piece | null {
    const joined = pieces.join('');
    const trimmed = joined.trim();
    if (trimmed === '') return null;
    const leading = joined.length - joined.trimStart().length;
    const kept = leading > 0 && this.joinsBlank(joined.slice(leading - 1)) ? leading - 1 : leading;
    return new Piece(joined.slice(kept, leading) + trimmed, (pieces[0]?.start ?? 0) + kept);
  }

  partsOf(text: Piece, separator: string | undefined): string[] {
    return super.splitOnSeparator(text.toString(), separator);
  }

  /** True when the blank at the beginning stays with the following text; in LangChain it never does. */
  joinsBlank(text: string): boolean {
    return text === '';
  }
}

/** Stands in the list of separators for the level below graphemes. */
const CODE_POINTS = 'code points';

class WholeSplitter extends LocatingSplitter {
  override partsOf(text: Piece, separator: string | undefined): string[] {
    if (separator === CODE_POINTS) return Array.from(text.toString());
    return separator ? super.partsOf(text, separator) : graphemesOf(text.toString());
  }

  override joinsBlank(text: string): boolean {
    return (graphemesOf(text)[0]?.length ?? 0) > 1;
  }

  override async _splitText(text: Piece, separators: readonly string[]): Promise<Piece[]> {
    const chunks: Piece[] = [];
    for (const piece of await super._splitText(text, separators)) {
      if (piece.length <= this.chunkSize) chunks.push(piece);
      else if (graphemesOf(piece.toString()).length > 1) chunks.push(...(await this._splitText(piece, [''])));
      else chunks.push(...(await super._splitText(piece, [CODE_POINTS])));
    }
    return chunks;
  }
}

/** Graphemes, CR LF as two: LangChain trims both wherever it cuts between them, so no cut shows. */
function graphemesOf(text: string): string[] {
  const segments = new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(text);
  return [...segments].flatMap(({ segment }) => (segment === '\r\n' ? ['\r', '\n'] : [segment]));
}

function fieldsOf({ size, overlap, separators, count }: OracleOptions): object {
  return {
    chunkSize: size,
    chunkOverlap: overlap,
    ...(separators === undefined ? {} : { separators: [...separators] }),
    ...(count === undefined
      ? {}
      : { lengthFunction: (text: string | Piece) => count(text.toString().toWellFormed()) }),
  };
}

function spansOf(pieces: readonly Piece[]): Span[] {
  return pieces.map(({ start, end }) => ({ start, end }));
}
