// The order of search results. VitePress writes this function into its page, so it refers to nothing else.

/** Names of the API precede the properties of the same name, which are deeper in their pages. */
export const boostDocument = (_id, _term, { titles }) => (titles.length > 2 ? 0.5 : 1);
