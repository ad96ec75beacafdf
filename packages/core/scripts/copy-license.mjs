// Before a package is packed: puts the licence beside its manifest, since npm packs nothing from above the package.
import { copyFileSync } from 'node:fs';

copyFileSync(new URL('../../../LICENSE', import.meta.url), 'LICENSE');
