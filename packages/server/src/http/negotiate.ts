// Content negotiation: the quality values of Accept and Accept-Encoding (RFC 9110 section 12.5), and the comparison of
// entity tags.

/** The quality of each item of the header, by its name in lower case; 1 where none is given. */
function qualities(header: string | string[] | undefined): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const item of String(header ?? '')
    .toLowerCase()
    .split(',')) {
    const [name = '', ...parameters] = item.split(';').map((part) => part.trim());
    const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    // RFC 9110 section 8.4.1.3: two names of one coding.
    found.set(name === 'x-gzip' ? 'gzip' : name, quality === undefined ? 1 : Number(quality));
  }
  return found;
}

/**
 * The first of the codings, best first, that the client takes; undefined when it takes none, as one that says nothing.
 */
export function takenCoding<Coding extends string>(
  header: string | string[] | undefined,
  codings: readonly Coding[],
): Coding | undefined {
  const taken = qualities(header);
  return codings.find((coding) => (taken.get(coding) ?? taken.get('*') ?? 0) > 0);
}

/**
 * Whether a client would rather look at a page than read JSON. It has to say so: what takes anything, as curl and
 * fetch do, is a program.
 */
export function prefersPage(accept: string | undefined): boolean {
  const taken = qualities(accept);
  const page = taken.get('text/html') ?? 0;
  return page > 0 && page >= (taken.get('application/json') ?? 0);
}

/** Weak comparison, as If-None-Match has it. */
export function matchesTag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  const tags = header.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes(etag) || tags.includes('*');
}
