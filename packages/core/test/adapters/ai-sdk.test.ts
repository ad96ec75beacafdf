// The tool in the hands of the AI SDK itself, where it is installed: a scripted model calls it and gets its chunks.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chunkSync } from '@grainline/core';
import { type ChunkTool, chunkTool } from '@grainline/core/ai-sdk';
import { describe, expect, it } from 'vitest';
import { importPeer } from '../blocks/peers.ts';

/** Members of the package `ai` that the tests use. */
interface AiSdk {
  readonly generateText: (options: object) => Promise<{
    readonly text: string;
    readonly steps: readonly {
      readonly toolResults: readonly { readonly output: unknown }[];
      readonly content: readonly { readonly type: string; readonly error?: unknown }[];
    }[];
  }>;
  readonly asSchema: (schema: unknown) => {
    readonly jsonSchema: unknown;
    readonly validate: (value: unknown) => unknown;
  };
  readonly isStepCount: (count: number) => unknown;
}
interface AiTest {
  readonly MockLanguageModelV4: new (options: object) => {
    readonly doGenerateCalls: readonly { readonly tools?: unknown }[];
  };
}

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const TIDES = '# Tides\n\nHigh water follows the moon.\n\n# Springs\n\nLarge tides after new moon.';
const sdk = (await importPeer('ai').catch(() => undefined)) as AiSdk | undefined;
const note = sdk === undefined ? ' (skipped: not installed: ai; see packages/core/peers)' : '';

describe('chunkTool', () => {
  it('splits by the options it was made with', async () => {
    const tool = chunkTool({ tier: 'structure', size: 60 });
    const { chunks } = await tool.execute({ text: TIDES });
    const expected = chunkSync(TIDES, { tier: 'structure', size: 60 });
    expect(chunks).toEqual(
      expected.map(({ text, start, end, metadata }) => ({
        text,
        start,
        end,
        headingPath: metadata.headingPath,
      })),
    );
    expect(await chunkTool().execute({ text: 'One.' })).toEqual({
      chunks: [{ text: 'One.', start: 0, end: 4 }],
    });
    expect(JSON.parse(JSON.stringify(chunks))).toEqual(chunks);
  });

  it('fails as the library does, and ends with the signal of the call', async () => {
    expect(() => chunkTool({ size: 0 })).toThrow(expect.objectContaining({ code: 'invalid_options' }));
    const chunked = chunkTool({ onProgress: () => undefined }).execute({ text: '\ud800' });
    await expect(chunked).rejects.toMatchObject({ code: 'ill_formed_text' });
    const reason = new Error('enough');
    await expect(chunkTool().execute({ text: 'x' }, { abortSignal: AbortSignal.abort(reason) })).rejects.toBe(
      reason,
    );
  });

  it('refuses what is no text', () => {
    const { validate } = chunkTool().inputSchema['~standard'];
    expect(validate({ text: 'a', more: 1 })).toEqual({ value: { text: 'a' } });
    for (const wrong of [null, 'a', {}, { text: 7 }]) expect(validate(wrong)).toHaveProperty('issues');
  });
});

describe.skipIf(sdk === undefined)(`chunkTool in the AI SDK${note}`, () => {
  const { generateText, asSchema, isStepCount } = sdk ?? ({} as AiSdk);

  /** Runs a model that calls the tool once with this input and then says so. */
  async function run(tool: ChunkTool, input: unknown) {
    const { MockLanguageModelV4 } = (await importPeer('ai/test')) as AiTest;
    const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
    const call = { type: 'tool-call', toolCallId: 'c', toolName: 'chunk', input: JSON.stringify(input) };
    const answers = [
      { content: [call], finishReason: { unified: 'tool-calls', raw: undefined }, usage, warnings: [] },
      {
        content: [{ type: 'text', text: 'Done.' }],
        finishReason: { unified: 'stop', raw: undefined },
        usage,
        warnings: [],
      },
    ];
    const model = new MockLanguageModelV4({ doGenerate: answers });
    const result = await generateText({
      model,
      prompt: 'Split it.',
      tools: { chunk: tool },
      stopWhen: isStepCount(3),
    });
    return { model, result };
  }

  it('is offered to the model with its schema, called, and answers with chunks', async () => {
    const { model, result } = await run(chunkTool({ size: 40 }), { text: TIDES });
    expect(model.doGenerateCalls[0]?.tools).toMatchObject([
      {
        type: 'function',
        name: 'chunk',
        inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
      },
    ]);
    expect(result.steps[0]?.toolResults[0]?.output).toEqual(
      await chunkTool({ size: 40 }).execute({ text: TIDES }),
    );
    expect(result.text).toBe('Done.');
  });

  it('tells the model what was wrong with a call', async () => {
    for (const text of [7, 'half of a pair: \ud800']) {
      const { result } = await run(chunkTool(), { text });
      const errors = result.steps[0]?.content.filter(({ type }) => type === 'tool-error') ?? [];
      expect(errors).toHaveLength(1);
    }
  });

  it('has a schema that the SDK takes as it is', async () => {
    const { jsonSchema, validate } = asSchema(chunkTool().inputSchema);
    expect(await jsonSchema).toMatchObject({ type: 'object', additionalProperties: false });
    expect(await validate({ text: 'a' })).toEqual({ success: true, value: { text: 'a' } });
  });

  it('has the type of a tool, whose results are typed too', () => {
    // Beside the SDK, so that the compiler finds it as it would in a user's project.
    const folder = mkdtempSync(fileURLToPath(new URL('../../peers/types-', import.meta.url)));
    try {
      writeFileSync(
        join(folder, 'tsconfig.json'),
        JSON.stringify({ extends: join(ROOT, 'tsconfig.json'), files: ['x.ts'], include: [] }),
      );
      writeFileSync(
        join(folder, 'x.ts'),
        `import { generateText, tool, type ToolSet } from 'ai';
         import { chunkTool } from '@grainline/core/ai-sdk';
         const tools = { chunk: chunkTool({ size: 5 }) } satisfies ToolSet;
         const { toolResults } = await generateText({ model: 'a/b', prompt: 'x', tools });
         for (const result of toolResults) if (result.dynamic !== true) result.output.chunks[0]?.start.toFixed();
         tool(chunkTool());`,
      );
      const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
      const { stdout } = spawnSync(process.execPath, [tsc, '--project', folder], { encoding: 'utf8' });
      expect(stdout).toBe('');
    } finally {
      rmSync(folder, { recursive: true });
    }
  }, 120_000);
});
