// The part of web-tree-sitter's types that this package uses. It is an optional peer and not installed in this
// repository's root.
declare module 'web-tree-sitter' {
  export class Parser {
    static init(options?: object): Promise<void>;
    setLanguage(language: Language): this;
    /** `null` when the callback has returned true. */
    parse(text: string, oldTree: null, options: { progressCallback: () => boolean }): Tree | null;
    reset(): void;
    delete(): void;
  }
  export class Language {
    static load(source: URL | Uint8Array): Promise<Language>;
    get nodeTypeCount(): number;
    nodeTypeForId(id: number): string | null;
    nodeTypeIsNamed(id: number): boolean;
    fieldIdForName(name: string): number | null;
  }
  export class Tree {
    get rootNode(): Node;
    walk(): TreeCursor;
    delete(): void;
  }
  export class Node {
    get hasError(): boolean;
  }
  /** Indexes count UTF-16 units of the text that was parsed. */
  export class TreeCursor {
    get currentNode(): Node;
    get currentFieldId(): number;
    get nodeTypeId(): number;
    get startIndex(): number;
    get endIndex(): number;
    gotoFirstChild(): boolean;
    gotoNextSibling(): boolean;
    gotoParent(): boolean;
    delete(): void;
  }
}
