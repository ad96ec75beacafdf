/**
 * Grammars that cut code along its syntax: tree-sitter's, loaded from optional peers. A separate entry, so that callers
 * without code load none of it.
 */
import { ChunkError, assertNoIssues, assertObject, unknownOptionIssues } from '../errors.ts';
import type { CodeRange, Grammars, Outline } from '../syntax.ts';
import {
  type GrammarLanguage,
  languageNamed,
  languageOfCode,
  type LanguageEntry,
  LANGUAGES,
} from './languages.ts';
import { type Fallback, type Runtime, Syntax } from './syntax.ts';

export type { CodeRange, Grammars, Outline } from '../syntax.ts';
export type { GrammarLanguage } from './languages.ts';
export type { Fallback, FallbackReason } from './syntax.ts';

/** Options of {@link loadGrammars}. */
export interface GrammarOptions {
  /**
   * The source of a grammar's WebAssembly by language, when no installed package has it: in a browser, or for a
   * language of your own. An address, or the bytes themselves.
   */
  readonly wasm?: Readonly<Record<string, string | URL | Uint8Array>>;
  /** The source of web-tree-sitter's own WebAssembly, when it is not beside its script. */
  readonly runtimeWasm?: string | URL;
  /** Turns `package/file` into an address. Default `import.meta.resolve`. */
  readonly resolve?: (specifier: string) => string;
  /**
   * Longest code, in UTF-16 units, that is parsed; longer code is cut by its lines, because a tree takes about fifty
   * times the memory of its text. Default 2,000,000.
   */
  readonly maxLength?: number;
  /** Called for each piece of code that is cut by its lines, with the reason. */
  readonly onFallback?: (fallback: Fallback) => void;
}

/** Names of all languages that {@link loadGrammars} finds by itself. */
export const GRAMMAR_LANGUAGES = Object.keys(LANGUAGES) as readonly GrammarLanguage[];

/**
 * Loads the grammars of some languages, to be passed as the option `grammars` from the tier `structure` up. Needs the
 * packages `web-tree-sitter` and `@vscode/tree-sitter-wasm`. JSON, YAML and C have packages of their own
 * (`tree-sitter-json`, `@tree-sitter-grammars/tree-sitter-yaml`, `tree-sitter-c`); without the last, C is read by the
 * grammar of C++.
 *
 * @param languages common names: `ts`, `python`, `c++`
 * @throws ChunkError `grammar_unavailable`, naming what to install; `invalid_options` for unknown options
 * @example
 * const grammars = await loadGrammars(['typescript', 'python']);
 * const chunks = chunkSync(source, { tier: 'structure', language: 'typescript', grammars });
 */
export async function loadGrammars(
  languages: readonly (GrammarLanguage | (string & {}))[],
  options: GrammarOptions = {},
): Promise<Grammars> {
  assertObject(options);
  assertNoIssues(unknownOptionIssues(options, OPTIONS, 'loadGrammars'));
  const resolve = options.resolve ?? ((specifier: string) => import.meta.resolve(specifier));
  const runtime = await loadRuntime(options);
  const syntaxes = new Map<string, Syntax>();
  const report = (fallback: Fallback): void => options.onFallback?.(fallback);
  const longest = options.maxLength ?? LONGEST;
  for (const name of languages) {
    const id = languageNamed(name);
    if (syntaxes.has(id)) continue;
    const language = await loadLanguage(runtime, id, options.wasm?.[name] ?? options.wasm?.[id], resolve);
    syntaxes.set(id, new Syntax(runtime, language, id, longest, report));
  }
  return {
    outline(code: CodeRange): Outline | undefined {
      const { text, start, end, language } = code;
      const id = languageNamed(language === '' ? languageOfCode(text.slice(start, end)) : language);
      const syntax = syntaxes.get(id);
      if (syntax === undefined) report({ language: id, reason: 'not_loaded', length: end - start });
      return syntax?.outline(code);
    },
  };
}

const LONGEST = 2_000_000;
const OPTIONS: readonly string[] = [
  'wasm',
  'runtimeWasm',
  'resolve',
  'maxLength',
  'onFallback',
] satisfies (keyof GrammarOptions)[];

async function loadRuntime({ runtimeWasm, resolve }: GrammarOptions): Promise<Runtime> {
  try {
    const runtime =
      resolve === undefined
        ? await import('web-tree-sitter')
        : ((await import(resolve('web-tree-sitter'))) as Runtime);
    await runtime.Parser.init(
      runtimeWasm === undefined ? undefined : { locateFile: () => String(runtimeWasm) },
    );
    return runtime;
  } catch (cause) {
    throw unavailable('The runtime of the grammars', 'web-tree-sitter', cause);
  }
}

async function loadLanguage(
  { Language }: Runtime,
  id: string,
  given: string | URL | Uint8Array | undefined,
  resolve: (specifier: string) => string,
): Promise<InstanceType<Runtime['Language']>> {
  const entry: LanguageEntry | undefined = Object.hasOwn(LANGUAGES, id)
    ? LANGUAGES[id as GrammarLanguage]
    : undefined;
  let cause: unknown;
  for (const source of given === undefined ? (entry?.files ?? []) : [given]) {
    try {
      if (source instanceof Uint8Array) return await Language.load(source);
      return await Language.load(new URL(given === undefined ? resolve(String(source)) : source));
    } catch (error) {
      cause ??= error;
    }
  }
  const [file] = entry?.files ?? [];
  throw unavailable(`The grammar of ${id}`, /^(?:@[^/]+\/)?[^/]+/.exec(file ?? '')?.[0], cause);
}

function unavailable(what: string, name: string | undefined, cause: unknown): ChunkError {
  const remedy =
    name === undefined
      ? 'give its WebAssembly as the option wasm, or leave it out: its code is then cut by lines'
      : `install the package ${name}`;
  return new ChunkError('grammar_unavailable', `${what} could not be loaded; ${remedy}.`, { cause });
}
