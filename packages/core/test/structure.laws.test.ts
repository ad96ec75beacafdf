import { chunkSync } from '../src/chunk.ts';
import { describeLaws } from './laws.ts';

describeLaws('structure', (text, limits) => chunkSync(text, { tier: 'structure', ...limits }));
