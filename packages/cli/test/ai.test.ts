// The tier ai on the command line, against a scripted language model on a real socket.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Script } from '@grainline/testing/scripted-model/scripts';
import { type ScriptedModel, startScriptedModel } from '@grainline/testing/scripted-model/server';
import { EXIT, run } from '../src/run.ts';
import { fakeIo } from './fake-io.ts';

const SEA = Array.from({ length: 8 }, (_, at) => `The vessel left the harbour at ${at} with its sailors.`);
const BREAD = Array.from({ length: 8 }, (_, at) => `Flour and yeast rest ${at} hours before baking.`);
const TOPICS = [SEA, BREAD].map((sentences) => sentences.join(' '));
const KEY = 'sk-very-secret';

let folder: string;
let server: ScriptedModel | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'grainline-ai-'));
  writeFileSync(join(folder, 'a.txt'), TOPICS.join(' '));
});
afterEach(async () => {
  rmSync(folder, { recursive: true, force: true });
  await server?.stop();
  server = undefined;
});

async function grainline(line: string, environment: Record<string, string> = {}, script?: Script) {
  await server?.stop();
  const running = await startScriptedModel({ script: script ?? 'right', cachedTokens: 3 });
  server = running;
  const settings = { AI_BASE_URL: running.baseUrl, AI_MODEL: 'scripted', AI_API_KEY: KEY, ...environment };
  const io = fakeIo(folder, { environment: settings });
  const code = await run(line.split(' '), io);
  const [stdout, stderr] = [io.stdout.text(), io.stderr.text()];
  expect(stdout + stderr).not.toContain(KEY);
  return { code, stdout, stderr, requests: running.calls };
}
const textsIn = (stdout: string): string[] =>
  stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => (JSON.parse(line) as { text: string }).text);

describe('--tier ai', () => {
  it('cuts where the model says, and says what that took', async () => {
    const { code, stdout, stderr, requests } = await grainline('a.txt --tier ai', { AI_PRICE: '1,4' });
    expect(code).toBe(EXIT.done);
    expect(textsIn(stdout)).toEqual(TOPICS);
    expect(requests).toHaveLength(1);
    expect(stderr).toMatch(
      /^scripted: 1 answers, \d+ tokens in \(3 from a cache\), \d+ out, about \$0\.000\d+\n$/,
    );
    expect((await grainline('a.txt --tier ai --quiet')).stderr).toBe('');
  });

  it('names the settings when there is no model, and every wrong one, before a file is read', async () => {
    const none = await grainline('missing.txt --tier ai', { AI_MODEL: '' });
    expect(none.code).toBe(EXIT.usage);
    expect(none.stderr).toContain('No language model is named. Set AI_MODEL');
    expect(none.stderr).toContain('AI_API_KEY');
    const wrong = await grainline('a.txt --tier ai', { AI_PROVIDER: 'x', AI_MAX_COST_USD: 'y' });
    expect(wrong.code).toBe(EXIT.usage);
    expect(wrong.stderr).toMatch(/AI_PROVIDER must be openai or anthropic.*AI_MAX_COST_USD/);
    expect(wrong.requests).toHaveLength(0);
  });

  it('fails a file, with the reason, when the model cannot be asked', async () => {
    const script: Script = () => ({ status: 401, body: { error: { message: `wrong key ${KEY}` } } });
    const { code, stdout, stderr } = await grainline('a.txt --tier ai', {}, script);
    expect([code, stdout]).toEqual([EXIT.failed, '']);
    expect(stderr).toMatch(
      /a\.txt: The language model cannot be asked: .*401: wrong key ….*\(completion_failed\)/,
    );
  });

  it('refuses a document over AI_MAX_COST_USD before the first question', async () => {
    const { code, stderr, requests } = await grainline('a.txt --tier ai', {
      AI_PRICE: '100,400',
      AI_MAX_COST_USD: '0.01',
    });
    expect(code).toBe(EXIT.failed);
    expect(stderr).toContain('more than maxCostUsd, $0.0100');
    expect(requests).toHaveLength(0);
  });

  it('warns of parts that are cut as by structure', async () => {
    const long = Array.from({ length: 30 }, (_, at) => TOPICS[at % 2]).join(' ');
    writeFileSync(join(folder, 'a.txt'), long);
    const refused = new Set<string>();
    const script: Script = ({ texts }, number) => {
      if (number === 0) refused.add(texts[1] ?? '');
      return refused.has(texts[1] ?? '') ? { ends: 'refusal', says: 'no' } : undefined;
    };
    const { code, stderr } = await grainline('a.txt --tier ai', {}, script);
    expect(code).toBe(EXIT.done);
    expect(stderr).toMatch(/no usable answer about 1 of \d parts; these are cut as by structure/);
  });

  it('asks nothing in a dry run, and says what would be asked', async () => {
    const { code, stdout, stderr, requests } = await grainline('a.txt --tier ai --dry-run', {
      AI_PRICE: '1,4',
    });
    expect([code, requests.length]).toEqual([EXIT.done, 0]);
    expect(stdout).toContain('a.txt');
    expect(stderr).toMatch(
      /scripted would be asked 1 questions: about \d+ tokens in, at most \d+ out; at most \$0\.00/,
    );
  });

  it('counts the chunks of a dry run also where they would have vectors', async () => {
    const plain = await grainline('a.txt --tier ai --dry-run', {});
    const { code, stdout } = await grainline('a.txt --tier ai --embeddings --dry-run', {});
    expect([code, stdout]).toEqual([EXIT.done, plain.stdout]);
  });

  it('writes anew when another model is named, and only then', async () => {
    expect((await grainline('a.txt --tier ai --out out')).stderr).toContain('1 written');
    const address = { AI_BASE_URL: server?.baseUrl ?? '' };
    const first = readFileSync(join(folder, 'out/a.txt.jsonl'), 'utf8');
    const io = fakeIo(folder, { environment: { AI_MODEL: 'scripted', ...address } });
    await run('a.txt --tier ai --out out'.split(' '), io);
    expect(io.stderr.text()).toContain('1 unchanged');
    const other = fakeIo(folder, { environment: { AI_MODEL: 'another', ...address } });
    await run('a.txt --tier ai --out out'.split(' '), other);
    expect(other.stderr.text()).toContain('1 written');
    expect(readFileSync(join(folder, 'out/a.txt.jsonl'), 'utf8')).toBe(first);
  });
});

describe('--tier ai-pro', () => {
  const ENRICHED = '--tier ai-pro --json';
  const long = Array.from({ length: 60 }, (_, at) => TOPICS[at % 2]).join('\n\n');

  it('describes every chunk, and says what both stages took', async () => {
    const { code, stdout, stderr } = await grainline(`a.txt ${ENRICHED}`, { AI_PRICE: '1,4' });
    expect(code).toBe(EXIT.done);
    expect(stdout).toContain('"enrichment_status"');
    expect(stdout).toContain('"context"');
    expect(stderr).toMatch(/^scripted: 2 answers, [\d,]+ tokens in .*, about \$0\.0/);
  });

  it('asks nothing in a dry run, and says what both stages would ask', async () => {
    writeFileSync(join(folder, 'a.txt'), long);
    const dry = await grainline('a.txt --tier ai-pro --dry-run', { AI_PRICE: '1,4' });
    expect([dry.code, dry.requests.length]).toEqual([EXIT.done, 0]);
    const [, foreseen] =
      /scripted would be asked (\d+) questions: about [\d,]+ tokens in/.exec(dry.stderr) ?? [];
    const { requests } = await grainline(`a.txt ${ENRICHED}`);
    expect(Math.abs(Number(foreseen) - requests.length)).toBeLessThanOrEqual(2);
    expect(requests.length).toBeGreaterThan(6);
  });

  it('warns of chunks without all of their description', async () => {
    const script: Script = ({ texts }) =>
      texts[0]?.startsWith('You describe') === true
        ? { value: { chunks: [{ id: 1, title: 'a title' }] } }
        : undefined;
    const { code, stderr } = await grainline(`a.txt ${ENRICHED}`, {}, script);
    expect(code).toBe(EXIT.failed);
    expect(stderr).toContain('too_many_fallbacks');
    const partly: Script = ({ texts }) =>
      texts[0]?.startsWith('You describe') === true
        ? {
            value: {
              chunks: [1, 2].map((id) => ({
                id,
                title: 'a title',
                summary: '',
                context: '',
                keywords: [],
                questions: [],
                entities: [],
              })),
            },
          }
        : undefined;
    const warned = await grainline(`a.txt ${ENRICHED}`, {}, partly);
    expect(warned.code).toBe(EXIT.done);
    expect(warned.stderr).toMatch(/Of 2 chunks 0 have no description and 2 lack a part of it/);
  });
});

describe('doctor', () => {
  it('says what the service can do', async () => {
    const { code, stdout, requests } = await grainline('doctor');
    expect(code).toBe(EXIT.done);
    expect(requests).toHaveLength(1);
    const answers = stdout
      .replaceAll(/\d+(?= ms| tokens in| out)/g, 'N')
      .replace(server?.baseUrl ?? '', 'URL');
    expect(answers.slice(answers.indexOf('language model'))).toBe(
      `language model             scripted, openai at URL
  answers as               scripted, in N ms
  structure                enforced by the service
  temperature              taken
  context                  131072 tokens
  usage                    N tokens in (3 from a cache), N out
  price                    not known; AI_PRICE tells it
service                    none named; --remote URL tries one
`,
    );
    expect((await grainline('doctor', { AI_PRICE: '0.15,0.6' })).stdout).toContain(
      '$0.15 in, $0.6 out, for a million tokens',
    );
    expect((await grainline('doctor', { AI_MAX_COST_USD: '1' })).stdout).toContain(
      'nothing will be asked; set AI_PRICE',
    );
    expect((await grainline('doctor', {}, () => ({ says: 'It is seven.' }))).stdout).toContain(
      'taken but not enforced',
    );
  });

  it('says what to look at when it fails', async () => {
    const status =
      (of: number): Script =>
      () => ({ status: of, body: { error: { message: 'no' } } });
    for (const [of, hint] of [
      [401, 'AI_API_KEY'],
      [404, 'AI_MODEL'],
    ] as const) {
      const { code, stdout } = await grainline('doctor', {}, status(of));
      expect(code).toBe(EXIT.failed);
      expect(stdout).toContain(`${of}: no`);
      expect(stdout).toContain(hint);
    }
    const away = await grainline('doctor', { AI_BASE_URL: 'http://127.0.0.1:1/v1' });
    expect(away.stdout).toContain('Is the service running at http://127.0.0.1:1/v1?');
    const wrong = await grainline('doctor', { AI_PROVIDER: 'nobody' });
    expect([wrong.code, wrong.stderr]).toEqual([
      EXIT.usage,
      expect.stringContaining('AI_PROVIDER') as string,
    ]);
    expect((await grainline('doctor a.txt')).stderr).toContain('doctor takes no files');
    expect((await grainline('doctor --help')).stdout).toContain('AI_MAX_COST_USD');
  });
});
