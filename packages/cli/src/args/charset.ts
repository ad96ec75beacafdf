// An encoding's name → the content type that declares it to readers.
import { CHARSET_RULE } from '../errors.ts';
import { show } from './words.ts';

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

/** The content type of `--charset`; undefined without one. */
export function readCharset(label: string | undefined, issues: string[]): string | undefined {
  const contentType = label === undefined ? undefined : charsetType(label);
  if (label !== undefined && contentType === undefined)
    issues.push(`--charset ${CHARSET_RULE}, but is ${show(label)}.`);
  return contentType;
}
