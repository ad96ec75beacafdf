// The schemas of request bodies, made from the tables of fields that also check requests.
import { type Deployment, paidTiers, tierNames } from '../catalog.ts';
import { TRANSFER_FIELDS, WANTED_FIELDS } from '../payments/transfers.ts';
import { JOB_FIELDS, type RequestField, OPTION_FIELDS, SOURCE_FIELDS } from '../fields/field-table.ts';
import { CITE_FIELDS } from '../requests/cite-request.ts';
import { tierField } from '../requests/fields.ts';
import { objectOf, type Schema } from '../fields/schema.ts';

/** A body of one media type. */
export interface RequestBody {
  readonly schema: Schema;
  readonly example?: unknown;
}

/** A link or a text, with options. */
export function jsonBody(
  deployment: Deployment,
  options: Readonly<Record<string, RequestField>> = OPTION_FIELDS,
): RequestBody {
  const fields = { ...tierField(deployment), ...SOURCE_FIELDS, ...options, ...JOB_FIELDS };
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

/** A document as a file or a text, after these fields. */
export function formBody(fields: Readonly<Record<string, RequestField>>): RequestBody {
  const file: Schema = {
    type: 'string',
    contentMediaType: 'application/octet-stream',
    description:
      'The document. The fields stand before it; where nothing has a price, they may also follow it.',
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

/** The body of `POST /cite`. */
export function citeBody(): RequestBody {
  return {
    schema: objectOf(schemasOf(CITE_FIELDS), { optional: ['bound'] }),
    example: { result_id: 'free_0123456789ab', quote: 'the limit is ten requests … a minute' },
  };
}

/** The body of `POST /payment/transaction`. */
export function transferBody(deployment: Deployment): RequestBody {
  return {
    schema: objectOf({ ...schemasOf(TRANSFER_FIELDS), tier: soldTier(deployment) }, { optional: ['memo'] }),
  };
}

/** The body of `POST /payment/find`. */
export function wantedBody(deployment: Deployment): RequestBody {
  return {
    schema: objectOf(
      { ...schemasOf(WANTED_FIELDS), tier: soldTier(deployment) },
      { optional: ['last_valid_block_height', 'except'] },
    ),
  };
}

function schemasOf(fields: Readonly<Record<string, Pick<RequestField, 'schema'>>>): Record<string, Schema> {
  return Object.fromEntries(Object.entries(fields).map(([name, { schema }]) => [name, schema]));
}

function soldTier(deployment: Deployment): Schema {
  const sold = soldNames(deployment);
  // With payments off no tier has a price, and an empty enum is no schema.
  return {
    type: 'string',
    enum: sold.length > 0 ? sold : tierNames(deployment),
    description: 'Tier that is paid for.',
  };
}

function soldNames(deployment: Deployment): string[] {
  return paidTiers(deployment).flatMap(({ id, aliases }) => [id, ...aliases]);
}
