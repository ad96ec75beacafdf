import { expect, it } from 'vitest';
import { needsEmbedder, needsLanguageModel, type TierId, TIERS } from './registry.ts';

const idsWhere = (holds: (id: TierId) => boolean): string[] => (Object.keys(TIERS) as TierId[]).filter(holds);

it('knows the models that a tier needs', () => {
  expect(idsWhere(needsLanguageModel)).toEqual(['ai', 'ai-pro']);
  expect(idsWhere((id) => needsEmbedder(id))).toEqual(['semantic']);
  expect(idsWhere((id) => needsEmbedder(id, true))).toEqual(['semantic', 'ai', 'ai-pro']);
});
