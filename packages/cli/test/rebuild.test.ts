// The two clients of docs/checking-answers.md rebuild a text from an answer. The test runs the code of the page.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chunkSync } from '@grainline/core';
import { coverageOf, type SourceCoverage, toRecords } from '@grainline/core/formats';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anyDocument } from '@grainline/testing/documents';
import { SYNCHRONOUS_TIERS } from '@grainline/testing/tiers';

interface ChunkMetadata {
  start_offset: number;
  end_offset: number;
  overlap_chars?: number;
  content_start?: number;
}
interface Answer {
  source: SourceCoverage & { gaps: string[]; sha256: string };
  chunks: { text: string; metadata: ChunkMetadata }[];
}

const PAGE = readFileSync(join(import.meta.dirname, '../../../docs/checking-answers.md'), 'utf8');
const PYTHON = spawnSync('python3', ['--version']).status === 0;

/** The code of a language that defines `rebuild`, without its use. */
function port(language: string, use: string): string {
  const blocks = [...PAGE.matchAll(/^```(\w+)\n(.*?)^```$/gms)];
  const [, , code = ''] =
    blocks.find(([, name, text]) => name === language && text?.includes('rebuild(')) ?? [];
  return code.slice(0, code.indexOf(use));
}

let folder: string;
let rebuild: (answer: Answer) => string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'grainline-rebuild-'));
  writeFileSync(join(folder, 'port.ts'), port('ts', '\nconst text = '));
  const lines = [
    'import sys',
    'for line in sys.stdin:',
    '    try: print(json.dumps(rebuild(json.loads(line))))',
  ];
  const rest = ['    except Exception as error: print("refused:", str(error).replace("\\n", " "))', ''];
  writeFileSync(join(folder, 'port.py'), [port('python', '\ntext = '), ...lines, ...rest].join('\n'));
  ({ rebuild } = (await import(pathToFileURL(join(folder, 'port.ts')).href)) as { rebuild: typeof rebuild });
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The result of each answer in Python: the text, or the reason of the rejection. */
function inPython(answers: readonly Answer[]): string[] {
  const input = answers.map((answer) => `${JSON.stringify(answer)}\n`).join('');
  const { stdout } = spawnSync('python3', ['-X', 'utf8', join(folder, 'port.py')], {
    input,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  return stdout.trimEnd().split('\n');
}

/** The tiers without a model; the origin of a chunk makes no difference here. */

const answers = fc
  .record({
    text: anyDocument.map((text) => `${text.replaceAll('\0', '')}. A last word.`),
    tier: fc.constantFrom(...SYNCHRONOUS_TIERS),
    size: fc.integer({ min: 8, max: 200 }),
    share: fc.double({ min: 0, max: 0.6, noNaN: true }),
  })
  .map(({ text, tier, size, share }) => {
    const chunks = chunkSync(text, { tier, size, overlap: Math.floor(size * share) });
    const records = toRecords(chunks, 'raw', { documentId: 'd' });
    return { text, answer: { source: coverageOf(text, chunks), chunks: records } as unknown as Answer };
  });

/** A single change of an answer. */
const CHANGES: readonly ((answer: Answer, at: number, other: number) => void)[] = [
  ({ chunks }, at) => void chunks.splice(at, 1),
  ({ chunks }, at) => void (chunks[at]!.metadata.start_offset += 1),
  ({ chunks }, at) => void (chunks[at]!.metadata.end_offset -= 1),
  ({ chunks }, at) =>
    void (chunks[at]!.metadata.overlap_chars = (chunks[at]!.metadata.overlap_chars ?? 0) + 1),
  ({ chunks }, at, other) => {
    const { text, metadata } = chunks[at]!;
    // The context before a chunk is no part of the document.
    const own = metadata.content_start ?? 0;
    const offset = own + (other % (text.length - own));
    chunks[at]!.text = text.slice(0, offset) + (text[offset] === 'x' ? 'y' : 'x') + text.slice(offset + 1);
  },
  ({ source }, at) => void (source.gaps[at] = `${source.gaps[at]!} `),
  ({ source }, at) => void source.gaps.splice(at, 1),
  ({ source }) => void (source.sha256 = source.sha256.replace(/^./, (digit) => (digit === '0' ? '1' : '0'))),
];

describe('the clients of docs/checking-answers.md', () => {
  const sample = () => fc.sample(answers, 150);

  it('make the text again, in TypeScript', () => {
    for (const { text, answer } of sample()) expect(rebuild(answer)).toBe(text);
  });

  it.skipIf(!PYTHON)('make the text again, in Python', () => {
    const given = sample();
    const made = inPython(given.map(({ answer }) => answer));
    expect(made.map((line) => JSON.parse(line) as unknown)).toEqual(given.map(({ text }) => text));
  });

  it('refuse an answer in which one thing was changed', () => {
    const changed = sample().flatMap(({ answer }, index) =>
      CHANGES.map((change) => {
        const copy = structuredClone(answer);
        change(copy, index % copy.chunks.length, index);
        return copy;
      }),
    );
    for (const answer of changed) expect(() => rebuild(answer), JSON.stringify(answer)).toThrow();
    if (!PYTHON) return;
    for (const [index, line] of inPython(changed).entries())
      expect(line, JSON.stringify(changed[index])).toMatch(/^refused: /);
  });
});
