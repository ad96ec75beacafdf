// `@grainline/mcp/testing`: the schemas of the tools, for the test of the options table.
export { optionFields } from '../src/tools/fields.ts';
