// The documentation, which the demo is a folder of.
export const DOCS = { home: '../', server: '../start/server.html' } as const;
