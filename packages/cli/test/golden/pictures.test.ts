// The pictures of docs/tiers.md, drawn anew and compared. `npm run golden` renews them.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chunk, type ChunkSyncOptions, chunkSync, documentFromText, TIERS } from '@grainline/core';
import { describe, expect, it } from 'vitest';
import { optionsOf, REPEATABLE_TIERS } from '../options-of.ts';
import { tierPicture } from '../../scripts/tier-picture.ts';

const DOCS = join(import.meta.dirname, '../../../../docs');
const SAMPLE = readFileSync(join(import.meta.dirname, 'fixtures/report.md'), 'utf8').trimEnd();
const OPTIONS: ChunkSyncOptions = { size: 320 };

const TIER_IDS = REPEATABLE_TIERS;

describe('docs/tiers.md', () => {
  it.each(TIER_IDS)('shows what %s does', async (tier) => {
    const document = documentFromText(SAMPLE, { kind: 'markdown' });
    const chunks = await chunk(document, { ...OPTIONS, ...(await optionsOf(tier)) });
    const picture = tierPicture(document, chunks, `The tier ${tier}`);
    await expect(picture).toMatchFileSnapshot(join(DOCS, `tiers/${tier}.svg`));
  });

  it('has a part with a picture for every tier, and no picture that it does not show', () => {
    const page = readFileSync(join(DOCS, 'tiers.md'), 'utf8');
    for (const tier of Object.keys(TIERS)) expect(page).toContain(`\n## ${tier}\n`);
    for (const tier of TIER_IDS) {
      expect(page).toContain(`(tiers/${tier}.svg)`);
    }
    const files = readdirSync(join(DOCS, 'tiers'));
    expect(files.filter((name) => !page.includes(`(tiers/${name})`))).toEqual([]);
  });

  it('draws every chunk that there is, and no text that is not in the document or injected', () => {
    const document = documentFromText(SAMPLE, { kind: 'markdown' });
    const chunks = chunkSync(document, { ...OPTIONS, tier: 'structure' });
    const picture = tierPicture(document, chunks, 'x');
    const texts = [...picture.matchAll(/<text x=[^>]*>([^<]*)<\/text>/g)].map((match) =>
      (match[1] ?? '').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&'),
    );
    expect(texts.join('').replaceAll(/\s/g, '')).toBe(SAMPLE.replaceAll(/\s/g, ''));
    const labels = [...picture.matchAll(/class="margin"[^>]*>([^<]*)</g)].map((match) => match[1]);
    expect(labels.join(', ').match(/\d+(?=:|,|$)/g)?.length).toBeGreaterThanOrEqual(chunks.length);
  });
});
