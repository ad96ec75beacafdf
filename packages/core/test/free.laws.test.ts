import { chunkSync } from '../src/chunk.ts';
import { chunkFree } from '../src/free.ts';
import { describeLaws } from './laws.ts';

describeLaws('free', (text, limits) => chunkSync(text, { tier: 'free', ...limits }));
describeLaws('free by chunkFree', (text, limits) => chunkFree(text, limits), { perKind: 15 });
