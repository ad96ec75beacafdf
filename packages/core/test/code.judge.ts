// Judges where code was cut by its syntax tree: the tree and the rules are the test's own, not those of the entry
// ./grammars. A cut between two declarations of the top level or of a class is good. One inside a declaration or
// function that fits the maximum, from the start of its first line, is bad, so is one between a comment and what it
// stands over where both fit. One inside what is longer than the maximum had to be made, and does not count.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Chunk } from '../src/slice.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const peers = createRequire(path.join(ROOT, 'packages/core/peers/package.json'));

/** Finds a file of a package among the peers; throws where it is not installed. */
export function resolvePeer(specifier: string): string {
  return pathToFileURL(peers.resolve(specifier)).href;
}

/** Members of web-tree-sitter's node that the judge needs. */
interface Node {
  readonly type: string;
  readonly startIndex: number;
  readonly endIndex: number;
  readonly parent: Node | null;
  readonly previousSibling: Node | null;
  readonly hasError: boolean;
  descendantForIndex(at: number): Node | null;
}

interface Runtime {
  readonly Parser: {
    new (): {
      setLanguage(language: unknown): void;
      parse(text: string): { readonly rootNode: Node; delete(): void } | null;
      delete(): void;
    };
    init(): Promise<void>;
  };
  readonly Language: { load(wasm: Uint8Array): Promise<unknown> };
}

/** Languages that real files are judged in, by the endings of those files. */
const ENDINGS: Readonly<Record<string, string>> = {
  ts: 'typescript',
  mts: 'typescript',
  tsx: 'tsx',
  js: 'javascript',
  mjs: 'javascript',
  cjs: 'javascript',
  py: 'python',
  go: 'go',
  rs: 'rust',
  java: 'java',
  h: 'cpp',
  cpp: 'cpp',
  hpp: 'cpp',
  cc: 'cpp',
  rb: 'ruby',
  php: 'php',
  sh: 'bash',
  css: 'css',
};

/** Nodes whose children are declarations of the top level or of a class. */
const CONTAINER =
  /^(?:class_body|declaration_list|enum_body|interface_body|object_type|field_declaration_list|linkage_specification|preproc_\w+|namespace_\w+|annotation_type_body|enum_declaration_list|internal_module|export_statement|ambient_declaration|decorated_definition|template_declaration|class_declaration|abstract_class_declaration|class|module|class_definition|class_specifier|struct_specifier|interface_declaration|trait_item|impl_item|mod_item|enum_declaration|program|source_file|translation_unit|stylesheet)$/;
const FUNCTION =
  /function(?!_type)|method_(?:def|decl)|^method$|singleton_method|constructor_d|arrow_function|closure/;
const ATTACHED = /comment|attribute_item|decorator/;

function isContainer(node: Node): boolean {
  const around = node.parent?.type ?? '';
  if (node.type === 'block') return around === 'class_definition';
  if (node.type === 'body_statement') return /^(?:class|module|singleton_class)$/.test(around);
  if (node.type === 'statement_block') return /module|namespace/.test(around);
  return CONTAINER.test(node.type);
}

/** How the cuts of some files were judged. */
export interface Verdict {
  good: number;
  /** With what was cut and where. */
  readonly bad: string[];
  forced: number;
}

/** Judges cuts; one for all files. */
export interface Judge {
  /** `undefined` for what is no valid code of the language. */
  judge(text: string, language: string, chunks: readonly Chunk[], size: number): Verdict | undefined;
}

/** Rejects where the peers are not installed. */
export async function createJudge(): Promise<Judge> {
  const { Parser, Language } = (await import(resolvePeer('web-tree-sitter'))) as Runtime;
  await Parser.init();
  const languages = new Map<string, unknown>();
  for (const language of new Set(Object.values(ENDINGS))) {
    const wasm = resolvePeer(`@vscode/tree-sitter-wasm/wasm/tree-sitter-${language}.wasm`);
    languages.set(language, await Language.load(readFileSync(new URL(wasm))));
  }
  return {
    judge(text, language, chunks, size) {
      const parser = new Parser();
      parser.setLanguage(languages.get(language));
      const tree = parser.parse(text);
      try {
        if (tree === null || tree.rootNode.hasError) return undefined;
        const verdict: Verdict = { good: 0, bad: [], forced: 0 };
        for (const { start, text: own } of chunks.slice(1))
          judgeCut(tree.rootNode, text, start + own.length - own.trimStart().length, size, verdict);
        return verdict;
      } finally {
        tree?.delete();
        parser.delete();
      }
    },
  };
}

function judgeCut(root: Node, text: string, cut: number, size: number, verdict: Verdict): void {
  const found = root.descendantForIndex(cut) ?? root;
  let item: Node | undefined;
  let whole: Node | undefined;
  for (let node = found; node.parent !== null; node = node.parent) {
    if (node.startIndex >= cut || cut >= node.endIndex) continue;
    const isItem = !isContainer(node) && (isContainer(node.parent) || node.parent.parent === null);
    if (isItem) item ??= node;
    if (
      (FUNCTION.test(node.type) || node === item) &&
      lengthOf(text, text.lastIndexOf('\n', node.startIndex - 1) + 1, node) <= size
    )
      whole = node;
  }
  if (whole !== undefined) verdict.bad.push(`${whole.type} at ${cut}: ${text.slice(cut, cut + 40)}`);
  else if (item !== undefined) verdict.forced++;
  else judgeComment(text, outermostAt(found), cut, size, verdict);
}

/** A cut between declarations: good, unless the comment of the second is torn off. */
function judgeComment(text: string, node: Node, cut: number, size: number, verdict: Verdict): void {
  let first: Node = node;
  while (first.previousSibling !== null && isOver(text, first.previousSibling, first.startIndex))
    first = first.previousSibling;
  if (ATTACHED.test(node.type) || first === node) verdict.good++;
  else if (lengthOf(text, first.startIndex, node) > size) verdict.forced++;
  else verdict.bad.push(`comment at ${cut}: ${text.slice(cut, cut + 40)}`);
}

/** True of a comment that has a line for itself, just above an offset. */
function isOver(text: string, node: Node, start: number): boolean {
  if (!ATTACHED.test(node.type) || lineStart(text, node.startIndex) === undefined) return false;
  const end = node.startIndex + text.slice(node.startIndex, node.endIndex).trimEnd().length;
  return /^[ \t]*\n[ \t]*$/.test(text.slice(end, start));
}

function outermostAt(node: Node): Node {
  let outer = node;
  while (outer.parent?.parent != null && outer.parent.startIndex === outer.startIndex) outer = outer.parent;
  return outer;
}

/** With the indentation before it and the marks that end it. */
function lengthOf(text: string, start: number, { endIndex }: Node): number {
  let end = endIndex;
  while (/[,;)]/.test(text.charAt(end))) end++;
  return end - (lineStart(text, start) ?? start);
}

function lineStart(text: string, at: number): number | undefined {
  let from = at;
  while (from > 0 && /[ \t]/.test(text.charAt(from - 1))) from--;
  return from === 0 || text.charAt(from - 1) === '\n' ? from : undefined;
}

/** Folders with code on any machine that runs this, and on Debian. */
const FOLDERS = [
  'packages',
  'node_modules',
  '/usr/lib/python3',
  '/usr/lib/python3.11',
  '/usr/include',
  '/usr/share/doc',
];
const LEAST_BYTES = 2500;
const MOST_BYTES = 60_000;
/** Longer lines are written by programs, and judged elsewhere. */
const LONGEST_LINE = 1000;

/** A file of code. */
export interface CodeFile {
  readonly file: string;
  readonly language: string;
  readonly text: string;
}

/** At most `most` files of every language, evenly from all that are there. */
export function codeFiles(most: number): readonly CodeFile[] {
  const byLanguage = new Map<string, string[]>();
  for (const folder of FOLDERS) {
    for (const file of filesIn(path.resolve(ROOT, folder), 7)) {
      const language = ENDINGS[path.extname(file).slice(1)];
      if (language === undefined) continue;
      byLanguage.set(language, [...(byLanguage.get(language) ?? []), file]);
    }
  }
  return [...byLanguage].flatMap(([language, files]) => {
    const step = Math.max(1, files.length / most);
    const chosen = Array.from(
      { length: Math.min(most, files.length) },
      (_, index) => files[Math.floor(index * step)],
    );
    return chosen.flatMap((file = '') => {
      const text = readFileSync(file, 'utf8').toWellFormed();
      return text.split('\n').some((line) => line.length > LONGEST_LINE) ? [] : [{ file, language, text }];
    });
  });
}

function* filesIn(folder: string, depth: number): Generator<string> {
  let entries;
  try {
    entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return;
  }
  for (const entry of entries) {
    const name = path.join(folder, entry.name);
    if (entry.isDirectory() && depth > 0 && !/^(?:peers|dist|fixtures)$/.test(entry.name))
      yield* filesIn(name, depth - 1);
    else if (entry.isFile() && path.extname(name).slice(1) in ENDINGS) {
      const { size } = statSync(name);
      if (size >= LEAST_BYTES && size <= MOST_BYTES) yield name;
    }
  }
}
