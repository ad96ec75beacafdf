// An encoding by its name, as readers are told of it.

/**
 * The content type that declares an encoding, by any of its labels; undefined when there is none of that name. What the
 * runtime can decode is what there is.
 */
export function charsetType(label: string): string | undefined {
  try {
    return `application/octet-stream; charset=${new TextDecoder(label).encoding}`;
  } catch {
    return undefined;
  }
}

/** The rule for a charset, as messages state it. */
export const CHARSET_RULE = 'must name an encoding, as windows-1252, koi8-r or shift_jis do';
