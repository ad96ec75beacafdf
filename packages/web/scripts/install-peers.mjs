// Installs what only the flows need, before `npm run test:web` starts them.
import { join } from 'node:path';
import { installPeers } from '../../core/scripts/install-peers.mjs';

installPeers(join(import.meta.dirname, '../peers'), 'a bundler and a driver of Firefox (about 70 MB)');
