// The registry of languages: one line for each, with its names and the files of npm packages that hold its grammar. To
// add a language, add a line.

/** A language that can be loaded. */
export interface LanguageEntry {
  /** Other names, file endings among them, in lower case. */
  readonly names: readonly string[];
  /** WebAssembly files of the grammar as `package/path`; the first installed file is loaded. */
  readonly files: readonly string[];
}

/**
 * The files of an official grammar: @vscode/tree-sitter-wasm holds them built for the browser; each also comes in a
 * package of its own.
 */
function official(name: string, file = name): readonly string[] {
  const wasm = `tree-sitter-${file.replaceAll('-', '_')}.wasm`;
  return [`@vscode/tree-sitter-wasm/wasm/tree-sitter-${file}.wasm`, `tree-sitter-${name}/${wasm}`];
}

/** Every language with a known grammar. SQL has none on npm that is built for WebAssembly. */
export const LANGUAGES = {
  bash: { names: ['sh', 'shell', 'zsh', 'ksh', 'dash'], files: official('bash') },
  c: { names: ['h'], files: [...official('c').slice(1), ...official('cpp')] },
  cpp: { names: ['c++', 'cc', 'cxx', 'hpp', 'hh', 'hxx', 'h++'], files: official('cpp') },
  csharp: { names: ['c#', 'cs'], files: official('c-sharp') },
  css: { names: [], files: official('css') },
  go: { names: ['golang'], files: official('go') },
  java: { names: [], files: official('java') },
  javascript: {
    names: ['js', 'jsx', 'mjs', 'cjs', 'ecmascript', 'node', 'nodejs'],
    files: official('javascript'),
  },
  json: { names: ['jsonc', 'json5', 'webmanifest'], files: official('json').slice(1) },
  php: { names: ['php5', 'phtml'], files: official('php') },
  powershell: { names: ['ps1', 'psm1', 'pwsh'], files: official('powershell') },
  python: { names: ['py', 'pyi', 'pyw', 'python2', 'python3', 'py3'], files: official('python') },
  ruby: { names: ['rb', 'rake', 'gemspec', 'jruby'], files: official('ruby') },
  rust: { names: ['rs'], files: official('rust') },
  tsx: { names: [], files: official('typescript', 'tsx') },
  typescript: { names: ['ts', 'mts', 'cts'], files: official('typescript') },
  yaml: { names: ['yml'], files: ['@tree-sitter-grammars/tree-sitter-yaml/tree-sitter-yaml.wasm'] },
} as const satisfies Readonly<Record<string, LanguageEntry>>;

/** Names of the languages of {@link LANGUAGES}. */
export type GrammarLanguage = keyof typeof LANGUAGES;

const NAMES = new Map<string, string>();

/** The registry's name of a language; an unknown name stays unchanged. */
export function languageNamed(name: string): string {
  if (NAMES.size === 0)
    for (const [id, { names }] of Object.entries(LANGUAGES)) for (const other of names) NAMES.set(other, id);
  const lower = name.toLowerCase();
  return NAMES.get(lower) ?? lower;
}

/** Matches beginnings of code that name its language: `#!/usr/bin/env python3`, `<?php`. */
const SHEBANG = /^(?:#![^\n]{0,99}?[/ ](?!env\b)(\w+)(?:[ \n]|$)|<\?(php))/;

/** The language that the first line of code names; empty without a name. */
export function languageOfCode(code: string): string {
  const [, interpreter, php] = SHEBANG.exec(code) ?? [];
  return interpreter ?? php ?? '';
}
