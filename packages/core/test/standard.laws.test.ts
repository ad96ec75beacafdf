import { chunkSync } from '../src/chunk.ts';
import { describeLaws } from './laws.ts';

describeLaws('standard', (text, limits) => chunkSync(text, { tier: 'standard', ...limits }));
