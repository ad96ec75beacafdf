// One language: parses code, judges the quality of the tree, returns the outline and frees the tree. Every failure ends
// in `undefined` and a reason; the caller then cuts by lines.
import type * as TreeSitter from 'web-tree-sitter';
import type { Language, Parser, Tree, TreeCursor } from 'web-tree-sitter';
import type { CodeRange, Outline } from '../syntax.ts';
import { ERROR_TYPE, isDeclaration, type Traits, traitsOf, Walk } from './outline.ts';

/** The package web-tree-sitter. */
export type Runtime = typeof TreeSitter;

/** The reason why code was cut by its lines despite grammars. */
export type FallbackReason =
  /** No grammar of this language was loaded. */
  | 'not_loaded'
  /** The code is longer than `maxLength`. */
  | 'too_long'
  /** Parsing took too many steps for the length of the code. */
  | 'too_costly'
  /** Too much of the code is not valid in this language. */
  | 'invalid'
  /** The grammar itself has failed; it is not used again. */
  | 'broken';

/** A piece of code that was cut by its lines despite grammars. */
export interface Fallback {
  readonly language: string;
  readonly reason: FallbackReason;
  /** Length of the code in UTF-16 units. */
  readonly length: number;
}

/** Largest share of the code that may be invalid. */
const MOST_INVALID = 0.2;
/**
 * Most steps for each unit of the text, besides a fixed number that short texts may need. A step is a hundred
 * operations, after which the parser calls back. The limit counts steps rather than time, so that equal input gives
 * equal output.
 */
const MOST_STEPS = 0.1;
const FREE_STEPS = 1000;

/** The grammar of one language. */
export class Syntax {
  private readonly runtime: Runtime;
  private readonly language: Language;
  private readonly name: string;
  private readonly longest: number;
  private readonly report: (fallback: Fallback) => void;
  private parser: Parser | undefined;
  private traits: Traits | undefined;
  private broken = false;

  constructor(
    runtime: Runtime,
    language: Language,
    name: string,
    longest: number,
    report: (fallback: Fallback) => void,
  ) {
    this.runtime = runtime;
    this.language = language;
    this.name = name;
    this.longest = longest;
    this.report = report;
  }

  outline(range: CodeRange): Outline | undefined {
    const found = this.tryOutline(range);
    if (typeof found === 'object') return found;
    this.report({ language: this.name, reason: found, length: range.end - range.start });
    return undefined;
  }

  private tryOutline(range: CodeRange): Outline | FallbackReason {
    const code = range.text.slice(range.start, range.end);
    if (this.broken) return 'broken';
    if (code.length > this.longest) return 'too_long';
    let tree: Tree | undefined;
    let cursor: TreeCursor | undefined;
    try {
      tree = this.parse(code);
      if (tree === undefined) return 'too_costly';
      cursor = tree.walk();
      this.traits ??= traitsOf(this.language);
      if (invalidIn(cursor, this.traits) > MOST_INVALID * code.length) return 'invalid';
      return new Walk(range, code, cursor, this.traits).run();
    } catch {
      // A trap inside WebAssembly leaves its memory in an unknown state.
      this.broken = true;
      return 'broken';
    } finally {
      cursor?.delete();
      tree?.delete();
    }
  }

  /** Parses the code; `undefined` when that takes too many steps. */
  private parse(code: string): Tree | undefined {
    this.parser ??= new this.runtime.Parser().setLanguage(this.language);
    let steps = FREE_STEPS + code.length * MOST_STEPS;
    const tree = this.parser.parse(code, null, { progressCallback: () => --steps < 0 });
    if (tree !== null) return tree;
    this.parser.reset();
    return undefined;
  }
}

/**
 * Number of units in nodes that failed to parse, apart from whole declarations inside them: a single unclosed bracket
 * puts a whole file into such a node. Leaves the cursor at the root, where it was.
 */
function invalidIn(cursor: TreeCursor, traits: Traits): number {
  let invalid = 0;
  let depth = 0;
  for (;;) {
    if (cursor.nodeTypeId === ERROR_TYPE) invalid += lengthOf(cursor) - declaredIn(cursor, traits);
    else if (cursor.currentNode.hasError && cursor.gotoFirstChild()) {
      depth++;
      continue;
    }
    while (depth > 0 && !cursor.gotoNextSibling()) {
      cursor.gotoParent();
      depth--;
    }
    if (depth === 0) return invalid;
  }
}

/** Number of units in the declarations among the children of a node. */
function declaredIn(cursor: TreeCursor, traits: Traits): number {
  if (!cursor.gotoFirstChild()) return 0;
  let declared = 0;
  do if (isDeclaration(traits, cursor.nodeTypeId)) declared += lengthOf(cursor);
  while (cursor.gotoNextSibling());
  cursor.gotoParent();
  return declared;
}

function lengthOf({ startIndex, endIndex }: TreeCursor): number {
  return endIndex - startIndex;
}
