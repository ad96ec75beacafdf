// The adapters for LangChain.js and the Vercel AI SDK.
import assert from 'node:assert/strict';
import { chunkTool } from '@grainline/core/ai-sdk';
import { GrainlineTextSplitter } from '@grainline/core/langchain';

const text = '# Tides\n\nHigh water follows the moon.';
const splitter = new GrainlineTextSplitter({ tier: 'structure', chunkSize: 800 });
const [document] = await splitter.createDocuments([text], [{ source: 'tides.md' }]);
assert.equal(document?.pageContent, text);
const answer = await chunkTool({ size: 800 }).execute({ text });
assert.equal(answer.chunks.length, 1);
