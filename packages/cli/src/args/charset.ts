// An encoding's name → the content type that declares it to readers.

/**
 * The content type that declares an encoding, by any of its labels; undefined when the runtime cannot decode it.
 */
export function charsetType(label: string): string | undefined {
  try {
    return `application/octet-stream; charset=${new TextDecoder(label).encoding}`;
  } catch {
    return undefined;
  }
}
