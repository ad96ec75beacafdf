// Turns a syntax tree into the outline of the code. It walks the tree by a cursor and enters only nodes that are too
// long to stay whole. It knows no language: the role of a node follows from its position, its fields, and words in its
// type.
import type { Language, TreeCursor } from 'web-tree-sitter';
import type { ContextPart } from '../cut.ts';
import { type CodeRange, GAP, type Outline, type ScopeContext } from '../syntax.ts';
import { isSettledBoundary } from '../unicode.ts';

/** The role of a node type in the outline. Traits are bits that add up. */
const TRAIT = {
  named: 1,
  /** A comment, decorator or attribute: belongs to the declaration below. */
  attached: 2,
  /** A closing bracket or a branch: belongs to the part above. */
  closing: 4,
  /** A declaration; its signature becomes the context of the parts inside it. */
  declaration: 8,
  /** The body of a declaration, which holds its parts. */
  body: 16,
  /** A separator of elements, or the end of a statement. */
  separator: 32,
  comment: 64,
  string: 128,
} as const;

const ATTACHED =
  /comment|^(?:attribute|attribute_item|inner_attribute_item|attribute_list|decorator|annotation|marker_annotation|modifiers)$/;
const CLOSING_TOKEN = /^(?:[)\]}>]+|<\/|end\w*|fi|done|esac|else|elsif|elif|then|do|catch|finally|while)$/;
const CLOSING_NODE = /^(?:else|elif|elsif|elseif|except|finally|catch|rescue|ensure)/;
const DECLARATION =
  /function|method|class|interface|struct|enum|union|impl|trait|mod_item|module|namespace|constructor|record|rule_set|definition|declaration|closure|lambda|^pair$|mapping_pair|media_statement/;
const BODY = /(?:_body|block|declaration_list|statement_list|enumerator_list)$/;
const STRING = /^(?:expression_statement|string)$/;
/** Longest signature in UTF-16 units; a longer one is cut behind its first line, or left out. */
const LONGEST_SIGNATURE = 240;
/** The most signatures in a context; the innermost stay. */
const MOST_SCOPES = 8;
/** Type id of the nodes that failed to parse. */
export const ERROR_TYPE = 65_535;

/** The traits of a language's node types. */
export interface Traits {
  readonly types: Uint8Array;
  /** Ids of the fields that hold the body of a declaration. */
  readonly bodies: readonly number[];
}

/** Reads the node types of a language. To be called once for each language. */
export function traitsOf(language: Language): Traits {
  const types = new Uint8Array(language.nodeTypeCount);
  for (let id = 0; id < types.length; id++)
    types[id] = traitsOfType(language.nodeTypeForId(id) ?? '', language.nodeTypeIsNamed(id));
  const fields = ['body', 'value', 'block'].map((name) => language.fieldIdForName(name));
  return { types, bodies: fields.filter((id) => id !== null) };
}

/** True for a node type that declares something. */
export function isDeclaration({ types }: Traits, type: number): boolean {
  return ((types[type] ?? 0) & TRAIT.declaration) !== 0;
}

function traitsOfType(type: string, named: boolean): number {
  if (!named) {
    if (CLOSING_TOKEN.test(type)) return TRAIT.closing;
    return /^[,;]$/.test(type) ? TRAIT.separator : 0;
  }
  let traits: number = TRAIT.named;
  if (ATTACHED.test(type)) traits |= TRAIT.attached;
  if (CLOSING_NODE.test(type)) traits |= TRAIT.closing;
  if (DECLARATION.test(type)) traits |= TRAIT.declaration;
  if (BODY.test(type)) traits |= TRAIT.body;
  if (type.includes('comment')) traits |= TRAIT.comment;
  if (STRING.test(type)) traits |= TRAIT.string;
  return traits;
}

/** A node whose children are being walked. */
interface Frame {
  /** Depth of the parts among the children. */
  readonly depth: number;
  /** Index of the part that the node belongs to. */
  readonly part: number;
  /** End of the node, and of the closing brackets behind it in the same part. */
  readonly end: number;
  readonly traits: number;
  /** True once a child has begun a part. */
  parted: boolean;
  /** True while comments or attributes wait for their declaration. */
  waiting: boolean;
  /** Traits of the previous child, 0 before the first. */
  previous: number;
  /** Start and end of the previous child. */
  from: number;
  to: number;
  /** End of the last child that is no comment or the like; 0 before the first. */
  head: number;
}

/** Walks one tree. */
export class Walk {
  readonly outline = {
    starts: [] as number[],
    depths: [] as number[],
    bodies: [] as number[],
    signatures: [] as number[],
    gaps: [] as number[],
  };
  private readonly code: string;
  private readonly cursor: TreeCursor;
  private readonly traits: Traits;
  private readonly range: CodeRange;
  private readonly frames: Frame[] = [];

  /**
   * @param code the text of the range; the cursor counts from its start
   */
  constructor(range: CodeRange, code: string, cursor: TreeCursor, traits: Traits) {
    this.range = range;
    this.code = code;
    this.cursor = cursor;
    this.traits = traits;
  }

  /**
   * Returns the outline of the whole tree. Takes time in proportion to the nodes that are too long, and to their
   * children.
   */
  run(): Outline {
    this.walk();
    const { starts, depths, bodies, gaps } = this.outline;
    const contexts = this.contexts();
    const { start } = this.range;
    if (start === 0) return { starts, depths, bodies, gaps, contexts };
    const shifted = (offsets: readonly number[]): number[] => offsets.map((at) => at + start);
    return { starts: shifted(starts), depths, bodies: shifted(bodies), gaps, contexts };
  }

  private walk(): void {
    const { cursor, frames } = this;
    if (!cursor.gotoFirstChild()) return;
    let frame = frameOf(0, -1, 0, cursor.startIndex, this.code.length);
    frames.push(frame);
    for (;;) {
      const inner = this.visit(frame);
      if (inner !== undefined && cursor.gotoFirstChild()) {
        frames.push((frame = inner));
        continue;
      }
      while (!cursor.gotoNextSibling()) {
        frames.pop();
        const outer = frames.at(-1);
        if (outer === undefined || !cursor.gotoParent()) return;
        frame = outer;
      }
    }
  }

  /** Reads the node under the cursor; returns a frame for its children when it is too long to stay whole. */
  private visit(frame: Frame): Frame | undefined {
    const { cursor, outline } = this;
    const start = cursor.startIndex;
    const end = cursor.endIndex;
    if (start === end) return undefined;
    const traits = this.traits.types[cursor.nodeTypeId] ?? TRAIT.named;
    const count = outline.starts.length;
    this.begin(frame, traits, start, end);
    const part =
      outline.starts.length > count || outline.bodies.at(-1) === start
        ? outline.starts.length - 1
        : frame.part;
    this.sign(frame, traits, start);
    frame.previous = traits;
    frame.from = start;
    frame.to = end;
    if ((traits & TRAIT.attached) === 0) frame.head = end;
    // A node that begins no part of its own lengthens the one before it.
    const own = part !== frame.part;
    const from = own ? start : (outline.bodies.at(-1) ?? start);
    const stop = own ? end : this.closedEnd(end, frame.end);
    if ((traits & TRAIT.attached) !== 0 || this.fits(this.lineStart(from) ?? from, stop)) return undefined;
    if (!own && !this.isBody(traits) && this.beginLine(frame, start, end)) return undefined;
    return frameOf(own ? (outline.depths[part] ?? 0) + 1 : frame.depth, part, traits, start, stop);
  }

  /** The end of a nested node together with closing brackets, when only those stand before the end of its part. */
  private closedEnd(end: number, partEnd: number): number {
    return partEnd - end <= LONGEST_CLOSING && /^[\s)\]};,]*$/.test(this.code.slice(end, partEnd))
      ? partEnd
      : end;
  }

  /** Begins a part at the line of a nested node, such as a callback, when the part then fits. */
  private beginLine(frame: Frame, start: number, end: number): boolean {
    const least = Math.max(start - LONGEST_LINE, (this.outline.bodies.at(-1) ?? 0) + 1);
    const line = this.code.slice(least, start).lastIndexOf('\n') + 1 + least;
    if (line === least) return false;
    // The end of the previous callback stays with that callback: of `}).then(() => {` the part begins with `.then`.
    const first = line + this.code.slice(line, start).search(/[^\s)\]};,]/);
    if (first < line || !this.fits(this.lineStart(first) ?? first, end)) return false;
    this.addPart(frame, first, GAP.near);
    return true;
  }

  /** True when the node under the cursor is the body of a declaration. */
  private isBody(traits: number): boolean {
    return (traits & TRAIT.body) !== 0 || this.traits.bodies.includes(this.cursor.currentFieldId);
  }

  /** Begins a part with the node if the node is a part. */
  private begin(frame: Frame, traits: number, start: number, end: number): void {
    const { outline } = this;
    const atLine = this.lineStart(start) !== undefined;
    const blank = frame.previous === 0 ? 0 : this.linesBetween(frame.to, start);
    const attached = (traits & TRAIT.attached) !== 0;
    if (frame.waiting) {
      const tied = blank <= 1 && outline.starts.length > 0;
      if (attached && tied) return;
      frame.waiting = false;
      if (tied && !attached && outline.starts.at(-1) !== start) {
        outline.bodies[outline.bodies.length - 1] = start;
        return;
      }
    }
    if ((traits & TRAIT.comment) !== 0 && !atLine) return;
    if ((traits & TRAIT.closing) !== 0) {
      if (frame.parted || (traits & TRAIT.named) !== 0) this.addPart(frame, start, GAP.tied);
      return;
    }
    if (atLine) {
      this.addPart(frame, start, this.gapOf(frame, traits, blank, start, end));
      frame.waiting = attached;
      return;
    }
    if ((traits & TRAIT.named) === 0) return;
    if ((frame.previous & TRAIT.separator) !== 0) this.addPart(frame, start, GAP.inline);
    else if ((frame.previous & (TRAIT.named | TRAIT.comment)) === TRAIT.named && this.isList(frame))
      this.addPart(frame, start, GAP.inline);
  }

  /** True for a node whose children are statements or members. */
  private isList({ traits, part }: Frame): boolean {
    return part === -1 || (traits & TRAIT.body) !== 0;
  }

  private gapOf(frame: Frame, traits: number, blank: number, start: number, end: number): number {
    if (!frame.parted && frame.part !== -1) {
      const isDocString =
        (traits & TRAIT.string) !== 0 && /^[a-z]{0,2}["']/i.test(this.code.slice(start, start + 3));
      return isDocString ? GAP.tied : GAP.near;
    }
    if (blank > 1 || this.isLong(frame.from, frame.to) || this.isLong(start, end)) return GAP.apart;
    return GAP.near;
  }

  /** True when [start, end) has several lines. Looks at a bounded number of units. */
  private isLong(start: number, end: number): boolean {
    return this.code.slice(start, Math.min(end - 1, start + LONGEST_LINE)).includes('\n');
  }

  /** Records where the signature of a declaration ends: at the start of its body. */
  private sign(frame: Frame, traits: number, start: number): void {
    const { outline } = this;
    const { part } = frame;
    if (part === -1 || (frame.traits & TRAIT.declaration) === 0 || outline.signatures[part] !== 0) return;
    if ((traits & TRAIT.attached) !== 0 || !this.isBody(traits)) return;
    const from = outline.bodies[part] ?? 0;
    const end = frame.head === 0 ? start : frame.head;
    const whole = this.code.slice(from, Math.min(end, from + LONGEST_SIGNATURE + 1));
    const line = whole.length <= LONGEST_SIGNATURE ? whole : (/^[^\n]*(?=\n)/.exec(whole)?.[0] ?? '');
    outline.signatures[part] = from + line.trimEnd().length;
  }

  /**
   * The contexts of all parts. A part directly inside a declaration gets its signature and the signatures around that.
   */
  private contexts(): (ScopeContext | undefined)[] {
    const { depths, bodies, signatures } = this.outline;
    const around: (ScopeContext | undefined)[] = [];
    return depths.map((depth, index) => {
      const own = around[depth];
      const start = bodies[index] ?? 0;
      const end = signatures[index] ?? 0;
      around[depth + 1] = end > start ? this.contextIn(own, start, end) : own;
      return own;
    });
  }

  /**
   * The context inside a declaration: the context around it, then its own signature. The outermost signatures are left
   * out when they do not fit.
   */
  private contextIn(around: ScopeContext | undefined, from: number, to: number): ScopeContext | undefined {
    const { start, length, contextLength } = this.range;
    const span = { start: start + from, end: start + to };
    const own: ContextPart = { kind: 'scope', ...span, text: this.code.slice(from, to) };
    const parts = [...(around?.parts ?? []), own].slice(-MOST_SCOPES);
    const lengthOf = (): number => parts.reduce((sum, part) => sum + length(part.start, part.end) + 1, 1);
    while (parts.length > 0 && lengthOf() > contextLength) parts.shift();
    return parts.length === 0 ? undefined : { parts, length: lengthOf() };
  }

  /** True when a range may stay whole. */
  private fits(start: number, end: number): boolean {
    return this.range.fits(this.range.start + start, this.range.start + end);
  }

  private addPart(frame: Frame, start: number, gap: number): void {
    const { starts, depths, bodies, signatures, gaps } = this.outline;
    if (start <= (starts.at(-1) ?? -1) || (start > 0 && !isSettledBoundary(this.code, start))) return;
    frame.parted = true;
    starts.push(start);
    depths.push(frame.depth);
    bodies.push(start);
    signatures.push(0);
    gaps.push(gap);
  }

  /** The start of the line that begins with a node; `undefined` when another node precedes it on the line. */
  private lineStart(start: number): number | undefined {
    let at = start;
    while (at > 0 && isSpace(this.code.charCodeAt(at - 1))) at--;
    return at === 0 || this.code.charCodeAt(at - 1) === NEWLINE ? at : undefined;
  }

  /** Number of line ends between two nodes, including those that the first node ends with, as nodes of YAML do. */
  private linesBetween(end: number, start: number): number {
    let lines = 0;
    for (let at = start - 1; at >= 0 && lines < 2; at--) {
      const unit = this.code.charCodeAt(at);
      if (unit === NEWLINE) lines++;
      else if (!isSpace(unit) && (at < end || unit !== SEMICOLON)) break;
    }
    return lines;
  }
}

function frameOf(depth: number, part: number, traits: number, start: number, end: number): Frame {
  return {
    depth,
    part,
    end,
    traits,
    parted: false,
    waiting: false,
    previous: 0,
    from: start,
    to: start,
    head: 0,
  };
}

const LONGEST_LINE = 400;
const LONGEST_CLOSING = 40;
const NEWLINE = 0x0a;
const SEMICOLON = 0x3b;

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0d;
}
