import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { ENCODINGS, tokenCounter, tokenCounterSync, type TokenizerName } from './counter.ts';

// Counted by tiktoken 1.0.22 (o200k_base, cl100k_base), no special token allowed.
const RECORDED: readonly (readonly [text: string, o200k: number, cl100k: number])[] = [
  ['Hello, world!', 4, 4],
  ["I'll say it's DON'T, won't it?", 8, 12],
  ['<|endoftext|>', 7, 7],
  ['<|im_start|>user<|im_end|>', 13, 13],
  ['Größenwahn über Straßenschluchten', 11, 12],
  ['日本語のテキストを分割する。', 11, 14],
  ['안녕하세요 세계', 3, 9],
  ['Привет, мир! Ёлка', 8, 11],
  ['नमस्ते दुनिया', 5, 13],
  ['สวัสดีชาวโลก', 7, 13],
  ['مرحبا بالعالم', 4, 10],
  ['👩‍👩‍👧‍👦 🇩🇪🇫🇷 😀', 20, 31],
  ['1234567890 3.14159 ½ Ⅷ', 14, 14],
  ['function f(x) {\n    return x ** 2; // square\n}\n\n', 16, 16],
  ['| a | b |\n|---|---|\n| 1 | 2 |\n', 17, 17],
  ['a\u0085\u0085b \ufeffc', 8, 8],
  ['  \n \n  x\t\ty   ', 7, 7],
  ['HTTPServerError iPhone McDonald', 7, 4],
  ['\ufeffBOM', 3, 3],
  ['𝒳𝒴 𐐀𐐨', 15, 15],
  ["'ſ 'ş", 4, 5],
  ['-'.repeat(400), 6, 6],
  ['a'.repeat(3000), 375, 375],
  [' '.repeat(1000) + 'x', 10, 10],
];

describe('tokenCounter', () => {
  it('counts as tiktoken does', async () => {
    const o200k = await tokenCounter('o200k');
    const cl100k = await tokenCounter('cl100k');
    for (const [text, ...counts] of RECORDED) {
      expect([text, o200k.count(text), cl100k.count(text)]).toEqual([text, ...counts]);
    }
  });

  it('counts nothing in the empty text', async () => {
    for (const name of ENCODINGS) expect((await tokenCounter(name)).count('')).toBe(0);
  });

  it('counts lone surrogates as the character that replaces them', async () => {
    const counter = await tokenCounter('o200k');
    expect(counter.count('a\ud800b')).toBe(counter.count('a\ufffdb'));
  });

  it('counts the same again after it has had to forget', async () => {
    const counter = await tokenCounter('cl100k');
    const words = Array.from({ length: 300_000 }, (_, word) => ` w${word.toString(36)}`);
    const first = counter.count('remember remember the fifth of November');
    const once = words.reduce((sum, word) => sum + counter.count(word), 0);
    expect(counter.count(words.join(''))).toBe(once);
    expect(counter.count('remember remember the fifth of November')).toBe(first);
  });

  it('counts a text longer than the room it keeps', async () => {
    const counter = await tokenCounter('o200k');
    const line = 'The quick brown fox jumps over the lazy dog.\n';
    expect(counter.count(line.repeat(10_000))).toBe(10_000 * counter.count(line));
  });

  it('gives the same counter for the same name', async () => {
    expect(await tokenCounter('o200k')).toBe(await tokenCounter('o200k'));
    expect((await tokenCounter('cl100k')).name).toBe('cl100k');
  });

  it('refuses a name that is no encoding, and names those that are', async () => {
    for (const name of ['p50k', 'gpt-2', 'claude-3', 'o200k_bas', 'o2', 'gpt-4x']) {
      const wrong = tokenCounter(name as TokenizerName);
      await expect(wrong).rejects.toMatchObject({ code: 'unknown_encoding' });
      await expect(wrong).rejects.toThrow(/o200k, o200k_base, cl100k, cl100k_base/);
      expect(() => tokenCounterSync(name as TokenizerName)).toThrow(/There is no encoding/);
    }
  });

  it('loads without a promise in Node, before anything has loaded', () => {
    const file = JSON.stringify(new URL('./counter.ts', import.meta.url).href);
    const program = `import { tokenCounterSync } from ${file};
      console.log(tokenCounterSync('gpt-4o').count('Hello, world!'), tokenCounterSync('cl100k').name);`;
    const { stdout, stderr } = spawnSync('node', ['--input-type=module', '--eval', program], {
      encoding: 'utf8',
    });
    expect([stdout, stderr]).toEqual(['4 cl100k\n', '']);
  });

  it.each<[TokenizerName, string]>([
    ['o200k_base', 'o200k'],
    ['gpt-4o', 'o200k'],
    ['gpt-4o-mini-2024-07-18', 'o200k'],
    ['chatgpt-4o-latest', 'o200k'],
    ['gpt-4.1-nano', 'o200k'],
    ['gpt-5', 'o200k'],
    ['gpt-5.1-codex', 'o200k'],
    ['o1', 'o200k'],
    ['o3-mini', 'o200k'],
    ['ft:gpt-4o-mini:acme::1', 'o200k'],
    ['cl100k_base', 'cl100k'],
    ['gpt-4', 'cl100k'],
    ['gpt-4-turbo', 'cl100k'],
    ['gpt-3.5-turbo-0125', 'cl100k'],
    ['text-embedding-3-small', 'cl100k'],
    ['text-embedding-ada-002', 'cl100k'],
  ])('counts for %s by the encoding %s', async (name, encoding) => {
    expect((await tokenCounter(name)).name).toBe(encoding);
    expect(tokenCounterSync(name)).toBe(await tokenCounter(name));
  });

  it('refuses what is no string', async () => {
    const counter = await tokenCounter('o200k');
    const refusal = expect.objectContaining({ code: 'not_a_string' }) as Error;
    expect(() => counter.count(12 as unknown as string)).toThrow(refusal);
    expect(() => counter.measure(null as unknown as string)).toThrow(refusal);
  });
});
