/** Packages with an API of their own, in the order of the layers. */
export const PACKAGES = [
  'core',
  'extract',
  'models',
  'pipeline',
  'ocr',
  'eval',
  'stores',
  'client',
  'x402',
  'server',
  'mcp',
  'cli',
];
