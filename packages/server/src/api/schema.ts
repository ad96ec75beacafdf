// The little of JSON Schema (2020-12) that descriptions of this service are written in.

/** A schema, as it stands in the description of the API. */
export type Schema = Readonly<Record<string, unknown>>;

/** An object with these members and no others; all are required but those named in `optional`. */
export function objectOf(
  properties: Readonly<Record<string, Schema>>,
  { optional = [], ...more }: { readonly optional?: readonly string[] } & Schema = {},
): Schema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', properties, required, additionalProperties: false, ...more };
}

export const arrayOf = (items: Schema, more: Schema = {}): Schema => ({ type: 'array', items, ...more });

/** A schema that stands among the components. */
export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

export const text = (description?: string): Schema => ({ type: 'string', ...described(description) });

/** An integer from 0. */
export const count = (description?: string): Schema => ({
  type: 'integer',
  minimum: 0,
  ...described(description),
});

export const flag = (description?: string): Schema => ({ type: 'boolean', ...described(description) });

export const oneOfWords = (words: readonly string[], description?: string): Schema => ({
  type: 'string',
  enum: words,
  ...described(description),
});

export const orNull = (schema: Schema): Schema => ({ anyOf: [schema, { type: 'null' }] });

function described(description: string | undefined): Schema {
  return description === undefined ? {} : { description };
}
