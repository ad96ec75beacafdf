// The schemas of the bodies that operations take, made from the tables of fields by which requests are checked.
import { type Deployment, soldTiers, tierNames } from '../catalog.ts';
import { TRANSFER_FIELDS, WANTED_FIELDS } from '../payments/transfers.ts';
import { type Field, OPTION_FIELDS, SOURCE_FIELDS, tierField } from './field-table.ts';
import { objectOf, type Schema } from './schema.ts';

/** A body that an operation takes, of one media type. */
export interface Body {
  readonly schema: Schema;
  readonly example?: unknown;
}

/** A link or a text, with options. */
export function jsonBody(deployment: Deployment): Body {
  const fields = { ...tierField(deployment), ...SOURCE_FIELDS, ...OPTION_FIELDS };
  const source = { oneOf: [{ required: ['url'] }, { required: ['text'] }] };
  return {
    schema: objectOf(schemasOf(fields), {
      optional: Object.keys(fields),
      ...source,
      dependentRequired: { filename: ['text'] },
    }),
    example: { tier: deployment.tiers[0]?.id, text: 'Some text.', chunk_size: 500 },
  };
}

/** A document as a file or a text, with these fields before it. */
export function formBody(fields: Readonly<Record<string, Field>>): Body {
  const file: Schema = {
    type: 'string',
    contentMediaType: 'application/octet-stream',
    description: 'The document. The fields stand before it.',
  };
  const text: Schema = { type: 'string', description: 'The document as text, in place of `file`.' };
  return {
    schema: objectOf(
      { ...schemasOf(fields), file, text },
      {
        optional: [...Object.keys(fields), 'file', 'text'],
        oneOf: [{ required: ['file'] }, { required: ['text'] }],
      },
    ),
  };
}

/** The body from which a transfer for a tier is made. */
export function transferBody(deployment: Deployment): Body {
  return {
    schema: objectOf({ ...schemasOf(TRANSFER_FIELDS), tier: soldTier(deployment) }, { optional: ['memo'] }),
  };
}

/** The body by which a transfer is looked for. */
export function wantedBody(deployment: Deployment): Body {
  return {
    schema: objectOf(
      { ...schemasOf(WANTED_FIELDS), tier: soldTier(deployment) },
      { optional: ['last_valid_block_height', 'except'] },
    ),
  };
}

function schemasOf(fields: Readonly<Record<string, Pick<Field, 'schema'>>>): Record<string, Schema> {
  return Object.fromEntries(Object.entries(fields).map(([name, { schema }]) => [name, schema]));
}

function soldTier(deployment: Deployment): Schema {
  const sold = soldNames(deployment);
  // With payments off nothing can be bought, and an empty choice is no schema.
  return {
    type: 'string',
    enum: sold.length > 0 ? sold : tierNames(deployment),
    description: 'Tier that is paid for.',
  };
}

function soldNames(deployment: Deployment): string[] {
  return soldTiers(deployment).flatMap(({ id, aliases }) => [id, ...aliases]);
}
