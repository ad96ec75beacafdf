// Checks of the structure's measures on small inputs of their own.
import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { test } from 'node:test';
import ts from 'typescript';
import { importAgainstLayers, unlayeredIn } from './layers.mjs';
import { commentsOf, cyclesOf, isAbolished, opensBadly, sentencesOf, wordsOf } from './structure.mjs';

const parse = (text) => ts.createSourceFile('a.ts', text, ts.ScriptTarget.Latest, true);

test('a name is read as words', () => {
  assert.deepEqual(wordsOf('toldOf2HTTPErrors'), ['told', 'of', '2', 'http', 'errors']);
  assert.deepEqual(wordsOf('SHUTDOWN_MS'), ['shutdown', 'ms']);
});

test('an abolished word is found inside a name, and a whole name only as a whole', () => {
  assert.equal(isAbolished('asTold'), true);
  assert.equal(isAbolished('StoreParts'), true);
  assert.equal(isAbolished('Line'), true);
  assert.equal(isAbolished('LineReader'), false);
  assert.equal(isAbolished('retold'), false);
});

test('a comment that opens with a noun clause is found in each form of comment', () => {
  assert.equal(opensBadly('// What it does.'), true);
  assert.equal(opensBadly('/** Whether it holds. */'), true);
  assert.equal(opensBadly('/**\n * Reads.\n * Nobody waits.\n */'), true);
  assert.equal(opensBadly('// Whole numbers.'), false);
});

test('lines of comments that follow each other are one comment, and strings hold none', () => {
  const source = parse(
    '// One,\n// two.\nconst a = "// none"; // three\n\n/** Four. */\nlet b;\n// eslint-disable-next-line\n',
  );
  assert.deepEqual(commentsOf(source), ['// One,\n// two.', '// three', '/** Four. */']);
});

test('a cycle is found once, with all of its files', () => {
  const graph = new Map([
    ['a', ['b']],
    ['b', ['c', 'd']],
    ['c', ['a']],
    ['d', []],
  ]);
  assert.deepEqual(
    cyclesOf(graph).map((cycle) => cycle.sort()),
    [['a', 'b', 'c']],
  );
});

test('an import of a higher layer, or of one beside, is against the layers', () => {
  const core = (file) => resolve('/r/packages/core/src', file);
  const against = (from, to) => importAgainstLayers('/r', core(from), core(to));
  assert.deepEqual(against('pack/pack.ts', 'tiers/index.ts'), { from: 'pack', to: 'tiers' });
  assert.deepEqual(against('langchain.ts', 'ai-sdk.ts'), { from: 'langchain', to: 'ai-sdk' });
  assert.equal(against('tiers/index.ts', 'pack/pack.ts'), undefined);
  assert.equal(against('pack/pack.ts', 'pack/tiers.ts'), undefined);
  assert.deepEqual(unlayeredIn('/r', core('extra.ts')), ['packages/core/src']);
  assert.deepEqual(unlayeredIn('/r', resolve('/r/packages/testing/src/extra.ts')), []);
});

test('a page gives its sentences, without code and headings', () => {
  const page =
    '# A heading of more than six words here\n\nOne sentence has six words here. `B` is the second of the two.\n\n```js\nlet a = 1; let b = 2; let c = 3;\n```\n';
  assert.deepEqual(sentencesOf(page), ['One sentence has six words here.', '`B` is the second of the two.']);
});
