// Lint rules. Besides the usual ones: which package may import which, and which layer may import which.
import { readFileSync } from 'node:fs';
import js from '@eslint/js';
import ts from 'typescript-eslint';
import { layersRule, MAY_IMPORT } from './.ci/layers.mjs';

/** Core has no dependency and runs in browsers, its formats and adapters included. */
const NO_PACKAGE = { regex: '^[^.#]', message: 'core imports nothing.' };

/** The entries of core that need packages: optional peers, which whoever imports them has. */
const PEERS = [
  { files: ['packages/core/src/langchain.ts'], regex: '^(?!\\.|@langchain/(?:core|textsplitters)(?:/|$))' },
  { files: ['packages/core/src/grammars/*.ts'], regex: '^(?!\\.|web-tree-sitter$)' },
];

const packageName = (folder) => JSON.parse(readFileSync(`packages/${folder}/package.json`, 'utf8')).name;

/** Comments are as wide as the eye reads; no formatter wraps them. A directive, or a word that is wider, is let be. */
const MOST_COLUMNS = 120;
const commentWidth = {
  meta: { type: 'layout', messages: { wide: `A line of a comment has at most ${MOST_COLUMNS} columns.` } },
  create: ({ sourceCode, report }) => ({
    Program() {
      for (const { loc, value } of sourceCode.getAllComments()) {
        if (/^\s*eslint-/.test(value)) continue;
        for (let line = loc.start.line; line <= loc.end.line; line++) {
          const text = sourceCode.lines[line - 1];
          // Behind code stands what the formatter leaves there.
          if (text.length > MOST_COLUMNS && /^\s*(?:\/\/|\/?\*).*\S\s+\S/.test(text))
            report({ loc: { line, column: MOST_COLUMNS }, messageId: 'wide' });
        }
      }
    },
  }),
};

const packageRules = Object.entries(MAY_IMPORT).map(([folder, allowed]) => {
  const forbidden = Object.keys(MAY_IMPORT)
    .filter((other) => !allowed.includes(other))
    .map(packageName);
  const message = `${folder} may import only: ${allowed.join(', ') || 'nothing'}.`;
  return {
    files: [`packages/${folder}/src/**/*.{ts,tsx}`],
    ignores: ['**/*.test.ts'],
    rules: {
      // `import()` too, which the other rule lets pass.
      'no-restricted-syntax': [
        'error',
        {
          selector: `ImportExpression[source.value=/^(?:${forbidden.join('|').replaceAll('/', '\\/')})(?:\\/|$)/]`,
          message,
        },
      ],
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            folder === 'core'
              ? NO_PACKAGE
              : {
                  group: forbidden.flatMap((name) => [name, `${name}/*`]),
                  message,
                },
            {
              regex: '^\\.\\.?/(?:\\.\\./)*index\\.ts$',
              message: "A file never imports its own package's index.",
            },
          ],
        },
      ],
    },
  };
});

export default ts.config(
  { ignores: ['**/dist/**', '**/node_modules/**', '**/peers/**', '**/data/**', '**/fixtures/**'] },
  js.configs.recommended,
  ...ts.configs.strictTypeChecked,
  ...ts.configs.stylisticTypeChecked,
  {
    languageOptions: {
      parserOptions: {
        projectService: {
          allowDefaultProject: [
            'eslint.config.js',
            '.ci/*.mjs',
            'packages/*/scripts/*.mjs',
            'examples/*.mjs',
          ],
        },
        tsconfigRootDir: import.meta.dirname,
      },
    },
    plugins: {
      grainline: { rules: { 'comment-width': commentWidth, layers: layersRule(import.meta.dirname) } },
    },
    rules: {
      'grainline/comment-width': 'error',
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'max-lines': ['error', { max: 600, skipBlankLines: true, skipComments: true }],
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/no-unnecessary-condition': ['error', { allowConstantLoopConditions: true }],
    },
  },
  ...packageRules,
  {
    files: ['packages/*/src/**/*.{ts,tsx}'],
    ignores: ['**/*.test.ts'],
    rules: { 'grainline/layers': 'error' },
  },
  ...PEERS.map(({ files, regex }) => ({
    files,
    ignores: ['**/*.test.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        { patterns: [{ regex, message: 'An entry imports its peers alone.' }] },
      ],
    },
  })),
  {
    // What pages of browsers run as well; the files for Node alone say so in their names.
    files: ['packages/{core,extract}/src/**/*.ts'],
    ignores: ['**/*.test.ts', '**/*.node.ts'],
    rules: { 'no-restricted-globals': ['error', 'Buffer', 'process', 'setImmediate', 'global'] },
  },
  {
    files: ['**/*.{js,mjs}'],
    extends: [ts.configs.disableTypeChecked],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        URL: 'readonly',
        fetch: 'readonly',
        setTimeout: 'readonly',
        AbortController: 'readonly',
        AbortSignal: 'readonly',
        FormData: 'readonly',
        Blob: 'readonly',
        performance: 'readonly',
        structuredClone: 'readonly',
      },
    },
  },
  {
    files: ['**/*.test.ts', '**/test/**/*.ts', 'packages/testing/**/*.ts'],
    rules: { 'max-lines': 'off', '@typescript-eslint/no-non-null-assertion': 'off' },
  },
);
