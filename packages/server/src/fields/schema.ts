// Builders for the parts of JSON Schema (2020-12) that the API's description uses.

/** A schema in the description of the API. */
export type Schema = Readonly<Record<string, unknown>>;

/** An object with exactly these members. All are required but those in `optional`. */
export function objectOf(
  properties: Readonly<Record<string, Schema>>,
  { optional = [], ...more }: { readonly optional?: readonly string[] } & Schema = {},
): Schema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', properties, required, additionalProperties: false, ...more };
}

export const arrayOf = (items: Schema, more: Schema = {}): Schema => ({ type: 'array', items, ...more });

/** A reference to a component. */
export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

export const text = (description?: string): Schema => ({ type: 'string', description });

/** An integer from 0. */
export const count = (description?: string): Schema => ({ type: 'integer', minimum: 0, description });

export const flag = (description?: string): Schema => ({ type: 'boolean', description });

export const oneOfWords = (words: readonly string[], description?: string): Schema => ({
  type: 'string',
  enum: words,
  description,
});

export const orNull = ({ description, ...schema }: Schema): Schema => ({
  anyOf: [schema, { type: 'null' }],
  description,
});
