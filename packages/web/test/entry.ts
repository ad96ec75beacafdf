// `@grainline/web/testing`: the controls of the page, for the test of the options table.
export { controlsOf, defaultOptions } from '../src/document/options.ts';
