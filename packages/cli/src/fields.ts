// Options as a service calls them: fields of a form, or members of a JSON body.
import { DEFAULT_SIZE } from '@grainline/core';
import { ENCODINGS } from './models.ts';

/** Options by their names on the wire. */
export type ServiceFields = Readonly<Record<string, string | number>>;

const FIELD_NAMES = {
  format: 'output_format',
  size: 'chunk_size',
  overlap: 'chunk_overlap',
  unit: 'unit',
  encoding: 'encoding',
  target: 'chunk_target',
  min: 'chunk_min',
  context: 'context',
  collection: 'collection',
  'text-field': 'text_field',
} as const;

/** Options by the names that they have here; others are passed over. */
type Given = Readonly<Partial<Record<string, string | number>>>;

/**
 * The fields that stand for options. The service checks them itself: which tiers and limits it has is not known here.
 */
export function serviceFields(options: Given): ServiceFields {
  // Said outright: what a payment is bound to is written down before the service knows these fields, and its template
  // has the defaults of characters.
  const defaults: Given =
    options['unit'] === 'tokens' ? { size: DEFAULT_SIZE.tokens, encoding: ENCODINGS[0] ?? '' } : {};
  const fields = Object.entries(FIELD_NAMES).map(
    ([option, field]) => [field, plainNumber(field, options[option] ?? defaults[option])] as const,
  );
  return Object.fromEntries(
    fields.filter((entry): entry is [(typeof entry)[0], string | number] => entry[1] !== undefined),
  );
}

/** Numbers as the service writes them: without zeros in front. */
function plainNumber(field: string, value: string | number | undefined): string | number | undefined {
  const isNumber = typeof value === 'string' && field.startsWith('chunk_') && /^\d{1,15}$/.test(value);
  return isNumber ? String(Number(value)) : value;
}
