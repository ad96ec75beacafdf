// Vite's additions to imports, as far as they are used.
declare module '*?url' {
  const address: string;
  export default address;
}
declare module '*?worker&url' {
  const address: string;
  export default address;
}
declare module '*?raw' {
  const text: string;
  export default text;
}
declare module 'tesseract.js-core/*.js' {
  const create: unknown;
  export default create;
}
declare module '*.svg' {
  const address: string;
  export default address;
}
declare module '*.css';
interface ImportMeta {
  /** Loaders of the matching files, by their path. */
  glob<Module>(pattern: string): Readonly<Record<string, () => Promise<Module>>>;
}
