// Two versions of some documents, and a load of either into a store.
import type { VectorStore } from '@grainline/core';
import { wordEmbedder } from '@grainline/testing/embedders';
import { cutDocument, load, type LoadSource } from '../src/load/index.ts';

const DOCUMENTS = 40;
const PARAGRAPHS = 12;
const WORDS = ['tide', 'harbour', 'pilot', 'moon', 'ship', 'quay', 'storm', 'lantern', 'rope', 'anchor'];

/** Version 2 edits every seventh paragraph, lacks every tenth document, and has as many new ones. */
function textOf(document: number, version: number): string {
  const paragraphs = Array.from({ length: PARAGRAPHS }, (_, at) => {
    const edition = version === 2 && (document * PARAGRAPHS + at) % 7 === 0 ? 'new' : 'old';
    const words = [1, 3, 7].map((step) => WORDS[(document * step + at * (step + 2)) % WORDS.length] ?? '');
    return `In document ${document} the ${edition} ${words.join(' and the ')} of paragraph ${at} wait for high water.`;
  });
  return paragraphs.join('\n\n');
}

function sourceOf(version: number): LoadSource {
  return {
    id: 'docs',
    isWhole: true,
    // eslint-disable-next-line @typescript-eslint/require-await
    async *list() {
      for (let document = 0; document < DOCUMENTS + (version === 2 ? DOCUMENTS / 10 : 0); document++) {
        if (version === 2 && document % 10 === 9 && document < DOCUMENTS) continue;
        const documentId = `${document}.md`;
        const bytes = new TextEncoder().encode(textOf(document, version));
        yield {
          documentId,
          shown: documentId,
          filename: documentId,
          size: bytes.length,
          modifiedMs: version,
          read: () => Promise.resolve({ bytes }),
        };
      }
    },
  };
}

/** Loads a version into a store. */
export async function loadVersion(store: VectorStore, version: number): Promise<void> {
  await load(
    sourceOf(version),
    {
      store,
      embed: wordEmbedder,
      cut: (document) => cutDocument(document, { tier: 'structure', size: 160 }),
    },
    {
      embedding: { model: 'words', dimensions: 48, distance: 'cosine', blend: 0.4 },
      versions: { cutter: '1', settings: 'structure-160', markdown: '1' },
      prune: 'all',
      owner: 'the only one',
    },
  );
}
