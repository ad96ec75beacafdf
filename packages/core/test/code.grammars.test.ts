// Code cut along its syntax, by grammars of packages/core/peers. Skipped, saying so, where those are not installed.
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { cases } from '@grainline/testing/cases';
import { chunk, chunkSync, indexedText } from '../src/chunk.ts';
import type { ChunkSyncOptions } from '../src/chunk-options.ts';
import { type Fallback, GRAMMAR_LANGUAGES, loadGrammars } from '../src/grammars/index.ts';
import { LANGUAGES } from '../src/grammars/languages.ts';
import type { Chunk } from '../src/slice.ts';
import type { Grammars } from '../src/syntax.ts';
import { codeFiles, createJudge, type Judge, resolvePeer, type Verdict } from './code.judge.ts';
import { limits } from '@grainline/testing/documents';
import { describeLaws } from './laws.ts';

const SIZE = 1000;
const fallbacks: Fallback[] = [];
const loaded = await load();
const note = loaded === undefined ? ' (skipped: web-tree-sitter and its grammars are not installed)' : '';

async function load(): Promise<{ readonly grammars: Grammars; readonly judge: Judge } | undefined> {
  try {
    resolvePeer('web-tree-sitter');
    resolvePeer('@vscode/tree-sitter-wasm');
  } catch {
    console.warn(
      'The tests of the grammars are SKIPPED: npm ci --prefix packages/core/peers installs what they need.',
    );
    return undefined;
  }
  const onFallback = (fallback: Fallback): void => void fallbacks.push(fallback);
  const languages = GRAMMAR_LANGUAGES.filter((name) => name !== 'c');
  const grammars = await loadGrammars([...languages, 'c'], { resolve: resolvePeer, onFallback });
  return { grammars, judge: await createJudge() };
}

function cut(text: string, language: string, options: ChunkSyncOptions = {}): Chunk[] {
  return chunkSync(text, { tier: 'structure', language, grammars: loaded!.grammars, ...options });
}

const scopes = ({ context = [] }: Chunk): string => context.map(({ text }) => text).join(' › ');

/** Reports of code that was cut by its lines, since the last call. */
const takeFallbacks = (): string[] =>
  fallbacks.splice(0).map(({ language, reason }) => `${language}: ${reason}`);

interface Counted {
  readonly Parser: { readonly prototype: object };
  readonly Tree: { readonly prototype: object };
  readonly TreeCursor: { readonly prototype: object };
}

/** Has `told` hear what a method returns; undone by what it returns. */
function onCall(owner: object, name: string, reports: (result: unknown) => void): () => void {
  const methods = owner as Record<string, (...given: unknown[]) => unknown>;
  const original = methods[name]!;
  methods[name] = function (this: unknown, ...given: unknown[]): unknown {
    const result = original.apply(this, given);
    reports(result);
    return result;
  };
  return () => {
    methods[name] = original;
  };
}

/** A class with methods of about 60 units, in languages whose classes look alike. */
const SAMPLES: Readonly<
  Record<string, { readonly text: string; readonly scope: string; readonly start: RegExp }>
> = {
  typescript: sample(
    'export class Parser<T> extends Base {',
    (i) => `  parse${i}(input: string): T {\n    return read(input, ${i});\n  }`,
    '}',
    'export class Parser<T> extends Base',
    /^ {2}parse/,
  ),
  tsx: sample(
    'export class View extends Base {',
    (i) => `  render${i}() {\n    return <p title="${i}">{this.x}</p>;\n  }`,
    '}',
    'export class View extends Base',
    /^ {2}render/,
  ),
  javascript: sample(
    'class Parser extends Base {',
    (i) => `  /** Doc. */\n  parse${i}(input) {\n    return read(input, ${i});\n  }`,
    '}',
    'class Parser extends Base',
    /^ {2}\/\*\* Doc/,
  ),
  python: sample(
    'class Parser(Base):',
    (i) => `    @cached\n    def parse${i}(self, text):\n        """Doc."""\n        return read(text, ${i})`,
    '',
    'class Parser(Base):',
    /^ {4}@cached/,
  ),
  java: sample(
    'class Parser {',
    (i) => `  // Comment.\n  int parse${i}(String text) {\n    return read(text, ${i});\n  }`,
    '}',
    'class Parser',
    /^ {2}\/\/ Comment/,
  ),
  csharp: sample(
    'class Parser : Base {',
    (i) => `  int Parse${i}(string text) {\n    return Read(text, ${i});\n  }`,
    '}',
    'class Parser : Base',
    /^ {2}int/,
  ),
  cpp: sample(
    'class Parser {',
    (i) => `  int parse${i}(char* text) {\n    return read(text, ${i} + 1);\n  }`,
    '};',
    'class Parser',
    /^ {2}int/,
  ),
  rust: sample(
    'impl Parser {',
    (i) => `    #[inline]\n    fn parse${i}(&self) -> u8 {\n        self.read(${i})\n    }`,
    '}',
    'impl Parser',
    /^ {4}#\[inline/,
  ),
  ruby: sample(
    'class Parser < Base',
    (i) => `  # Comment.\n  def parse${i}(text)\n    read(text, ${i}, 1, 2, 3)\n  end`,
    'end',
    'class Parser < Base',
    /^ {2}# Comment/,
  ),
  php: sample(
    '<?php\nclass Parser {',
    (i) => `  function parse${i}($text) {\n    return read($text, ${i} + 1);\n  }`,
    '}',
    'class Parser',
    /^ {2}function/,
  ),
  bash: sample(
    'main() {',
    (i) => `  for file in *.${i}; do\n    echo "reading $file now"\n  done`,
    '}',
    'main()',
    /^ {2}for/,
  ),
  go: sample(
    'func main() {',
    (i) => `\tfor i := range items {\n\t\tprintln(i, ${i}, "and more")\n\t}`,
    '}',
    'func main()',
    /^\tfor/,
  ),
  json: sample(
    '{\n  "scripts": {',
    (i) => `    "run${i}": [\n      "one value", "another value", ${i}\n    ]${i < 7 ? ',' : ''}`,
    '  }\n}',
    '"scripts":',
    /^ {4}"run/,
  ),
  yaml: sample(
    'jobs:',
    (i) => `  job${i}:\n    name: some name of it\n    steps: [one, two, ${i}]`,
    '',
    'jobs:',
    /^ {2}job/,
  ),
  css: sample(
    '@media print {',
    (i) => `  .a${i} {\n    color: red;\n    margin: 0 1px 2px 3px;\n  }`,
    '}',
    '@media print',
    /^ {2}\.a/,
  ),
};

function sample(
  head: string,
  member: (index: number) => string,
  end: string,
  scope: string,
  start: RegExp,
): { readonly text: string; readonly scope: string; readonly start: RegExp } {
  const members = Array.from({ length: 8 }, (_, index) => member(index)).join('\n\n');
  return { text: `${head}\n${members}\n${end}`.trimEnd(), scope, start };
}

describe.skipIf(loaded === undefined)(`code with grammars${note}`, () => {
  describe.each(Object.entries(SAMPLES))('of %s', (language, { text, scope, start }) => {
    it('is cut between declarations, with what is around them as context', () => {
      takeFallbacks();
      const chunks = cut(text, language, { size: 170 });
      expect(takeFallbacks()).toEqual([]);
      expect(chunks.length).toBeGreaterThan(3);
      for (const piece of chunks.slice(1)) {
        expect(piece.text).toMatch(start);
        expect(scopes(piece)).toBe(scope);
      }
    });
  });

  it('counts offsets in UTF-16 units, with astral and Chinese characters', () => {
    const functions = Array.from(
      { length: 9 },
      (_, i) => `function f${i}() {\n  return '😀漢字𝒳'.repeat(${i});\n}`,
    );
    const chunks = cut(functions.join('\n'), 'js', { size: 90, target: 60 });
    expect(chunks.length).toBeGreaterThan(4);
    for (const { text } of chunks) expect(text).toMatch(/^function f\d[\s\S]*\}$/);
  });

  it('names the whole path of scopes, the signature as it stands in the source', () => {
    const body = Array.from({ length: 12 }, (_, i) => `        total += await read(input, ${i});`).join('\n');
    const text = `namespace N {\n  export class Parser {\n    @log()\n    async parse(\n      input: string,\n    ): Promise<number> {\n${body}\n    }\n  }\n}`;
    const inner = cut(text, 'ts', { size: 400 }).filter((piece) =>
      piece.text.trimStart().startsWith('total'),
    );
    expect(inner.length).toBeGreaterThan(0);
    for (const piece of inner) {
      expect(scopes(piece)).toMatch(
        /^namespace N › export class Parser › async parse\(\n\s+input: string,\n\s+\): Promise<number>$/,
      );
      for (const { kind, start, end, text: part } of piece.context!) {
        expect(kind).toBe('scope');
        expect(text.slice(start, end)).toBe(part);
      }
    }
  });

  it('reads fences by their language tag, and files by their first line', () => {
    const { text } = SAMPLES['python']!;
    const fence = `# Title\n\nText.\n\n\`\`\`py\n${text}\n\`\`\`\n\nMore.`;
    const chunks = chunkSync(fence, { tier: 'structure', size: 170, grammars: loaded!.grammars });
    expect(chunks.map(scopes)).toContain('class Parser(Base):');
    const script = chunkSync(`#!/usr/bin/env python3\n${text}`, {
      tier: 'structure',
      size: 170,
      grammars: loaded!.grammars,
    });
    expect(script.map(scopes)).toContain('class Parser(Base):');
  });

  it('gives the same chunks by the promise', async () => {
    const { text } = SAMPLES['typescript']!;
    const options = { tier: 'structure', language: 'ts', size: 170, grammars: loaded!.grammars } as const;
    expect(await chunk(text, options)).toEqual(chunkSync(text, options));
  });

  it('keeps context and text inside the maximum, whatever the language and the limits', () => {
    const texts = Object.entries(SAMPLES).map(([language, { text }]) => ({ language, text }));
    fc.assert(
      fc.property(fc.constantFrom(...texts), limits, ({ language, text }, given) => {
        for (const piece of cut(text, language, given)) {
          if (piece.metadata.oversize !== true)
            expect(indexedText(piece).length).toBeLessThanOrEqual(given.size);
        }
      }),
      cases(300),
    );
  });

  it('frees every tree and cursor, also of code that it cannot read', async () => {
    const { Tree, TreeCursor, Parser } = (await import(resolvePeer('web-tree-sitter'))) as Counted;
    const counts = { made: 0, freed: 0 };
    const restore = [
      onCall(Parser.prototype, 'parse', (tree) => (counts.made += tree === null ? 0 : 1)),
      onCall(Tree.prototype, 'walk', () => counts.made++),
      onCall(Tree.prototype, 'delete', () => counts.freed++),
      onCall(TreeCursor.prototype, 'delete', () => counts.freed++),
    ];
    const { text } = SAMPLES['typescript']!;
    for (let round = 0; round < 1000; round++) {
      cut(text, 'ts', { size: 170 });
      cut('Not ((( code, at } all: no? '.repeat(20), 'ts', { size: 170 });
    }
    for (const undo of restore) undo();
    takeFallbacks();
    expect(counts.made).toBe(4000);
    expect(counts.freed).toBe(counts.made);
  });
});

describe.skipIf(loaded === undefined)(`what no grammar can read${note}`, () => {
  it('is cut by its lines, and the caller is told why', async () => {
    const prose = 'Once upon a time, there was: no code! At all? (None…)\n'.repeat(60);
    const reports: Fallback[] = [];
    const grammars = await loadGrammars(['js'], {
      resolve: resolvePeer,
      maxLength: 10_000,
      onFallback: (fallback) => void reports.push(fallback),
    });
    const options = { tier: 'structure', grammars, kind: 'code' } as const;
    const plain = chunkSync(prose, { tier: 'structure', kind: 'code' });
    expect(chunkSync(prose, { ...options, language: 'js' })).toEqual(plain);
    expect(chunkSync(prose, { ...options, language: 'sql' })).toEqual(plain);
    chunkSync('f();\n'.repeat(3000), { ...options, language: 'js' });
    expect(reports).toEqual([
      { language: 'javascript', reason: 'invalid', length: prose.length - 1 },
      { language: 'sql', reason: 'not_loaded', length: prose.length - 1 },
      { language: 'javascript', reason: 'too_long', length: 14_999 },
    ]);
  });

  it('is no whole file for one bracket that is never closed', () => {
    const { text } = SAMPLES['typescript']!;
    takeFallbacks();
    const chunks = cut(`${text}\n\n${text}\n\n${text}\n\nfunction broken( {`, 'ts', { size: 170 });
    expect(takeFallbacks()).toEqual([]);
    expect(chunks.map(scopes)).toContain('export class Parser<T> extends Base');
  });

  it('keeps a callback whole inside a call that is longer by its last brackets alone', () => {
    const inner = `  it('adds', () => {\n${'    expect(add(1, 2)).toBe(3);\n'.repeat(6)}  });`;
    const text = `describe('sums', () => {\n${inner}\n});\n`;
    for (let size = inner.length; size < text.length; size++)
      expect(
        cut(text, 'ts', { size }).some((piece) => piece.text.includes(inner)),
        String(size),
      ).toBe(true);
  });

  it('ends in an error that names the package, where a grammar is not to be had', async () => {
    const failing = (specifier: string): string => {
      if (specifier === 'web-tree-sitter') return resolvePeer(specifier);
      throw new Error('not found');
    };
    await expect(loadGrammars(['ts'], { resolve: failing })).rejects.toMatchObject({
      code: 'grammar_unavailable',
      message: expect.stringContaining('@vscode/tree-sitter-wasm') as string,
    });
    await expect(loadGrammars(['sql'], { resolve: resolvePeer })).rejects.toMatchObject({
      code: 'grammar_unavailable',
    });
    await expect(
      loadGrammars(['x'], { resolve: resolvePeer, wasm: { x: new Uint8Array([1, 2, 3]) } }),
    ).rejects.toMatchObject({ code: 'grammar_unavailable' });
  });

  const HOSTILE: Readonly<Record<string, string>> = {
    'open brackets': '['.repeat(300_000),
    'open parentheses': '('.repeat(300_000),
    'open braces': '{'.repeat(300_000),
    'nested arrays': `${'['.repeat(150_000)}${']'.repeat(150_000)}`,
    'nested blocks on lines': `${'{\n'.repeat(50_000)}${'}\n'.repeat(50_000)}`,
    'one endless sum': 'a+'.repeat(200_000) + 'a',
    'endless else if': 'if(a){}else '.repeat(30_000) + '{}',
    'closing brackets': ']'.repeat(300_000),
    'one line of statements': 'a=f(1);'.repeat(100_000),
    'one line of functions': 'function a(b){return b+1}'.repeat(20_000),
    'one line of 10 MB': 'let x=1;'.repeat(1_250_000),
    'a template that never ends': '`${'.repeat(100_000),
  };
  it.each(Object.entries(HOSTILE))('holds against %s', (_, text) => {
    const chunks = cut(text, 'js');
    let at = 0;
    for (const piece of chunks) {
      expect(text.slice(at, piece.start).trim()).toBe('');
      at = piece.end;
      expect(indexedText(piece).length).toBeLessThanOrEqual(SIZE);
    }
    expect(text.slice(at).trim()).toBe('');
    takeFallbacks();
  });

  it('cuts minified code between statements', () => {
    const chunks = cut('function a(b){return b+1}'.repeat(2000), 'js');
    for (const { text } of chunks) expect(text).toMatch(/^function[^]*\}$/);
  });
});

describe.skipIf(loaded === undefined)(`real files${note}`, () => {
  const files = loaded === undefined ? [] : codeFiles(80);
  const verdicts = { with: emptyVerdict(), without: emptyVerdict(), files: 0 };
  for (const { file, language, text } of files) {
    const verdictOn = (chunks: readonly Chunk[]): Verdict | undefined =>
      loaded?.judge.judge(text, language, chunks, SIZE);
    const withGrammar = verdictOn(cut(text, language));
    if (withGrammar === undefined) continue;
    const without = verdictOn(chunkSync(text, { tier: 'structure', kind: 'code', size: SIZE }));
    verdicts.files++;
    add(verdicts.with, withGrammar, file);
    if (without !== undefined) add(verdicts.without, without, file);
  }

  it('are at least 200', () => {
    expect(verdicts.files).toBeGreaterThanOrEqual(200);
  });

  it('are cut between declarations in 99 of 100 cases with grammars', () => {
    expect(shareOf(verdicts.with), verdicts.with.bad.join('\n')).toBeGreaterThanOrEqual(0.99);
  });

  it('are never cut inside a function that fits the maximum, with grammars', () => {
    expect(
      verdicts.with.bad.filter((reason) => / (?:function|method|arrow|constructor)/.test(reason)),
    ).toEqual([]);
  });

  it('are cut between declarations in 95 of 100 cases by their lines alone', () => {
    expect(shareOf(verdicts.without), verdicts.without.bad.join('\n')).toBeGreaterThanOrEqual(0.95);
  });

  afterAll(() => {
    const line = (name: string, verdict: Verdict): string =>
      `${name}: ${verdict.good} good, ${verdict.bad.length} bad, ${verdict.forced} forced, ${(100 * shareOf(verdict)).toFixed(2)} %`;
    if (loaded !== undefined)
      console.info(
        `${verdicts.files} files; ${line('grammars', verdicts.with)}; ${line('lines', verdicts.without)}`,
      );
  });
});

function emptyVerdict(): Verdict {
  return { good: 0, bad: [], forced: 0 };
}

function add(sum: Verdict, { good, bad, forced }: Verdict, file: string): void {
  sum.good += good;
  sum.forced += forced;
  sum.bad.push(...bad.map((reason) => `${file}: ${reason}`));
}

function shareOf({ good, bad }: Verdict): number {
  return good / (good + bad.length);
}

it('knows no name of a language twice', () => {
  const names = Object.entries(LANGUAGES).flatMap(([id, { names: others }]) => [id, ...others]);
  expect(names.toSorted()).toEqual([...new Set(names)].toSorted());
});

if (loaded !== undefined) {
  describeLaws('structure with grammars', (text, given) => cut(text, 'js', given), { perKind: 15 });
}
