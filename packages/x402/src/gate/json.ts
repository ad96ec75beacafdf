// JSON from outside, before its members are checked.

/** A JSON object with unchecked members. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** True for JSON objects; false for arrays. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value of a JSON text; undefined when the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
