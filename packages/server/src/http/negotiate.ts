// Content negotiation: the quality values of Accept and Accept-Encoding (RFC 9110 section 12.5), and the comparison of
// entity tags.

/** The quality of each item of the header, by lower-case name; 1 without a value. */
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

/** The first accepted coding, best first; undefined when the client accepts none or sends no header. */
export function negotiateCoding<Coding extends string>(
  header: string | string[] | undefined,
  codings: readonly Coding[],
): Coding | undefined {
  const taken = qualities(header);
  return codings.find((coding) => (taken.get(coding) ?? taken.get('*') ?? 0) > 0);
}

/**
 * True for a client that prefers HTML to JSON. It must say so: a client that accepts anything, as curl and fetch do, is
 * a program, and so is one that names JSON at the same quality. Browsers do not name JSON.
 */
export function prefersHtml(accept: string | undefined): boolean {
  const taken = qualities(accept);
  const page = taken.get('text/html') ?? 0;
  return page > (taken.get('application/json') ?? 0);
}

/** Weak comparison, for If-None-Match. */
export function matchesEntityTag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  const tags = header.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes(etag) || tags.includes('*');
}
