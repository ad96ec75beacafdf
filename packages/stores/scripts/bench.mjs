// One worker against two on both queues: `npm run bench -w @grainline/stores`. The first run installs the queues. Needs
// the programs of Redis and PostgreSQL; `bench/workers.ts` has the variables.
import { join } from 'node:path';
import { installPeers } from '../../core/scripts/install-peers.mjs';

installPeers(join(import.meta.dirname, '../../pipeline/peers'), 'the queues (about 25 MB)');
await import('../../server/test/sandbox/from-sources.mjs');
await import('../bench/workers.ts');
