// Checks a value against a schema, in the subset of JSON Schema that all services take. Services promise the shape;
// this code verifies it.
import type { JsonSchema } from '@grainline/core';

/** Returns the first mismatch of a value with its path (`answer.cuts[3]`); undefined for a valid value. */
export function issueIn(value: unknown, schema: JsonSchema, place = 'answer'): string | undefined {
  switch (schema.type) {
    case 'object':
      return objectIssue(value, schema, place);
    case 'array': {
      if (!Array.isArray(value)) return `${place} must be an array`;
      for (const [index, item] of (value as readonly unknown[]).entries()) {
        const issue = issueIn(item, schema.items, `${place}[${index}]`);
        if (issue !== undefined) return issue;
      }
      return undefined;
    }
    case 'string': {
      if (typeof value !== 'string') return `${place} must be a string`;
      const { enum: allowed } = schema;
      const holds = allowed === undefined || allowed.includes(value);
      return holds ? undefined : `${place} must be one of ${JSON.stringify(allowed)}`;
    }
    case 'boolean':
      return typeof value === 'boolean' ? undefined : `${place} must be true or false`;
    case 'integer':
      return Number.isSafeInteger(value) ? undefined : `${place} must be an integer`;
    case 'number':
      return Number.isFinite(value) ? undefined : `${place} must be a number`;
  }
}

function objectIssue(
  value: unknown,
  { properties }: Extract<JsonSchema, { type: 'object' }>,
  place: string,
): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return `${place} must be an object`;
  for (const [name, schema] of Object.entries(properties)) {
    if (!Object.hasOwn(value, name)) return `${place} must have the key ${JSON.stringify(name)}`;
    const issue = issueIn((value as Record<string, unknown>)[name], schema, `${place}.${name}`);
    if (issue !== undefined) return issue;
  }
  const other = Object.keys(value).find((name) => !Object.hasOwn(properties, name));
  return other === undefined
    ? undefined
    : `${place} must not have the key ${JSON.stringify(other.slice(0, 40))}`;
}

/**
 * Finds the JSON in an answer: all of the text, or the content of a fence, or the text between the outermost braces.
 * Undefined without JSON.
 */
export function jsonIn(text: string): { readonly value: unknown } | undefined {
  const fenced = /```(?:json)?\s*\n([\s\S]*?)\n\s*```/.exec(text)?.[1];
  const braced = text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1);
  for (const candidate of [text, fenced, braced]) {
    try {
      if (candidate !== undefined && candidate.trim() !== '')
        return { value: JSON.parse(candidate) as unknown };
    } catch {
      // Not JSON; the next candidate may be.
    }
  }
  return undefined;
}
