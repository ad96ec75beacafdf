// What Vite adds to imports, as far as it is used.
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
declare module '*.css';
interface ImportMeta {
  /** Loaders of the files that match, by their path. */
  glob<Module>(pattern: string): Readonly<Record<string, () => Promise<Module>>>;
}
