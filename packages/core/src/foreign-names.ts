// Names that other libraries, and other surfaces of this one, give to the options of `chunk`, so that an error can
// answer with the name used here. They stand apart from the table of options, because the small entries answer too.

/** Foreign names by option, without case, `-` and `_`: `chunkSize`, `chunk_size` and `chunk-size` are one name. */
const FOREIGN_NAMES: Readonly<Record<string, RegExp>> = {
  size: /^(max|chunk).*(size|tokens|length|chars|characters)$|^capacity$|^tokensperchunk$/,
  overlap: /overlap/,
  measure: /^(unit|encoding|tokenizer|tokencounter|len)/,
  target: /^chunktarget$|^newafternchars$/,
  min: /^(chunk)?min/,
  embed: /^embed(der|ding(model|function))?$/,
};

/** Returns the option that another library calls so; undefined for other words. */
export function optionBehind(word: string): string | undefined {
  const plain = plainName(word);
  return Object.keys(FOREIGN_NAMES).find((name) => name === plain || FOREIGN_NAMES[name]?.test(plain));
}

/** A name without case, `-` and `_`. */
export function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[-_]/g, '');
}
