// The imports between packages, and the layers inside them, lowest first. A file imports its own layer and lower ones,
// types included. ESLint reports an import against either; the structure check counts those against the layers, and the
// files that are in no layer.
import { dirname, relative, resolve, sep } from 'node:path';

/** The packages that each package may import; docs/architecture.md has the same table. */
export const MAY_IMPORT = {
  core: [],
  extract: ['core'],
  models: ['core'],
  pipeline: ['core', 'extract', 'models'],
  eval: ['core', 'models'],
  stores: ['core'],
  x402: [],
  ocr: ['extract'],
  client: ['core'],
  server: ['core', 'extract', 'models', 'pipeline', 'x402', 'ocr'],
  mcp: ['core', 'extract', 'pipeline', 'client'],
  web: ['core', 'extract', 'models', 'pipeline', 'ocr', 'x402', 'client'],
  testing: ['core', 'models', 'stores', 'x402'],
  playground: ['core', 'extract', 'models', 'pipeline', 'x402', 'server', 'testing'],
  cli: ['core', 'extract', 'models', 'pipeline', 'eval', 'stores', 'x402', 'client', 'ocr', 'server', 'mcp'],
};

/**
 * The layers of a source folder, lowest first. A name is a file or a folder there; the names of an inner list are
 * beside each other and import none of the others.
 */
export const LAYERS = {
  'packages/core/src': [
    'foreign-names',
    'errors',
    'aborted',
    'document',
    'regions',
    'unicode',
    'measure',
    'limits',
    'embed',
    'blend',
    'complete',
    'cut',
    'syntax',
    'blocks',
    'sentences',
    'pack',
    'tiers',
    'options',
    'slice',
    'embedded-text',
    'chunk-options',
    'chunk',
    'expand',
    'cite',
    'verify',
    'formats',
    'store',
    'grammars',
    'adapter-options',
    ['index', 'free', 'option-table', 'langchain', 'ai-sdk'],
  ],
  'packages/x402/src': ['ledger', 'gate', 'chains', 'client', 'index'],
  'packages/cli/src': [
    'errors',
    'io',
    'args',
    'inputs',
    'sources',
    'output',
    'local',
    'remote',
    'commands',
    'run',
    ['index', 'bin'],
  ],
  'packages/web/src': [
    ['vite.d', 'wording'],
    'texts',
    'error-sentences',
    'document',
    'worker',
    'service',
    ['viewer', 'export', 'pay', 'receipts'],
    'state',
    'app',
  ],
  'packages/extract/src/readers/pdf': [
    'pdfium',
    'ocr',
    'lines',
    'tables',
    'order',
    'structure',
    'tags',
    'layout',
    'document',
    ['ranges', 'index'],
  ],
  'packages/server/src': [
    ['errors', 'unref-timer'],
    'settings',
    'models',
    'fields',
    'catalog',
    'store',
    'limits',
    'sandbox',
    'http',
    'requests',
    'payments',
    'jobs',
    'webhooks',
    'responses',
    'api',
    'metrics',
    'telemetry',
    'routes',
    'commands',
    'main',
    ['index', 'bin'],
  ],
};

/** The position of a file among the layers of a folder; -1 for a file in no layer, undefined outside the folder. */
function layerAt(root, folder, file) {
  const inside = relative(resolve(root, folder), file).split(sep).join('/');
  if (inside.startsWith('..')) return undefined;
  const name = inside.split('/')[0].replace(/\.tsx?$/, '');
  return { name, rank: LAYERS[folder].findIndex((layer) => [layer].flat().includes(name)) };
}

/**
 * The layers that an import goes against.
 *
 * @param {string} root The repository's root, absolute.
 * @param {string} from The importing file, absolute.
 * @param {string} to The imported file, absolute.
 * @returns {{ from: string, to: string } | undefined} The two layers when the imported one is higher, or beside.
 */
export function importAgainstLayers(root, from, to) {
  for (const folder of Object.keys(LAYERS)) {
    const [source, target] = [layerAt(root, folder, from), layerAt(root, folder, to)];
    if (source === undefined || target === undefined || source.name === target.name) continue;
    if (target.rank >= source.rank) return { from: source.name, to: target.name };
  }
  return undefined;
}

/** The folders with layers in which a file has none. */
export const unlayeredIn = (root, file) =>
  Object.keys(LAYERS).filter((folder) => layerAt(root, folder, file)?.rank === -1);

/** The ESLint rule: no import of a higher layer. */
export const layersRule = (root) => ({
  meta: { type: 'problem', messages: { higher: '{{from}} is a lower layer than {{to}}.' } },
  create({ filename, report }) {
    const check = (node) => {
      const specifier = node.source?.value;
      if (typeof specifier !== 'string' || !specifier.startsWith('.')) return;
      const against = importAgainstLayers(root, filename, resolve(dirname(filename), specifier));
      if (against !== undefined) report({ node, messageId: 'higher', data: against });
    };
    return {
      ImportDeclaration: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
      ImportExpression: check,
    };
  },
});
