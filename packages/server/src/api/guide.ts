// The guide to a deployment, for language models and for indexes of paid services: `GET /llms.txt` (the format of
// llmstxt.org), `x-guidance` in the description of the API, and `GET /.well-known/x402`. It is made from the catalog,
// so its prices and paths are current. `GET /` reports availability.
import { FORMATS } from '@grainline/core/formats';
import { kindNames } from '@grainline/extract';
import { type Deployment, isPaid, MICRO_USD, paidTiers, type TierEntry } from '../catalog.ts';
import { LINK_FROM_CHUNKS } from '../responses/answer.ts';
import { RESULT_LIFETIME } from '../store/result-id.ts';
import { CHUNK_SIZE } from '../fields/field-table.ts';

/**
 * The text of `/llms.txt`.
 *
 * @param origin address of the service, without a slash at its end
 */
export function guideText(deployment: Deployment, origin: string): string {
  return [
    ...headOf(),
    ...guidanceOf(deployment),
    '',
    '## Reference',
    '',
    `- [OpenAPI 3.1](${origin}/openapi.json): every operation, field, answer and error of this deployment`,
    `- [The whole API](${origin}/llms-full.txt): the same on one page, as Markdown`,
    `- [Overview](${origin}/): tiers, prices, limits and what is available at the moment, as JSON`,
    '',
  ].join('\n');
}

/** The title and the summary. */
export function headOf(): string[] {
  return [
    '# Grainline',
    '',
    `> Splits documents (${kindNames()}) into chunks for retrieval and for the context windows of language models. No account and no key: what costs something is paid for with the request.`,
    '',
  ];
}

/** The guide in Markdown lines without headings. Paths are relative to the service's address. */
export function guidanceOf(deployment: Deployment): string[] {
  const { tiers, defaultTier } = deployment;
  const { characters, tokens } = CHUNK_SIZE.default;
  return [
    'Tiers:',
    '',
    ...tiers.map(
      (tier) => `- \`${tier.id}\`, ${priceOf(tier)}, uploads to \`POST ${tier.path}\`: ${tier.description}`,
    ),
    '',
    'Calls:',
    '',
    `- A link or a text: \`POST /chunk\` with JSON, \`{"tier": "${tiers[0]?.id ?? defaultTier}", "url": "https://…"}\` or \`"text"\` in place of \`"url"\`; without \`tier\` it is \`${defaultTier}\`.`,
    '- A file: `POST` to the path of the tier, a form with the options first and the document in the field `file`; the kinds that are taken are `upload_types` of `GET /`, those of links `url_types`.',
    `- Options: \`chunk_size\` (default ${characters} characters, or ${tokens} with \`"unit": "tokens"\`), \`chunk_overlap\`, \`output_format\` (${Object.keys(FORMATS).join(', ')}).`,
    '- What a document costs, and whether it is taken: `POST /estimate` with the same body, free of charge.',
    '- As tools of the Model Context Protocol: `POST /mcp` (streamable HTTP), for texts and links.',
    `- The answer has \`chunks\`, each with \`text\`; from ${LINK_FROM_CHUNKS} chunks on a \`download_url\` in their place, to be fetched within ${RESULT_LIFETIME}.`,
    ...ocrGuide(tiers),
    ...tiers.filter(({ mode }) => mode === 'async').map(jobCall),
    ...(tiers.some(isPaid) ? PAYING : []),
    '- Errors have `code` for programs and `message`, which says what was wrong, the limit and the way out. `Retry-After` says in how many seconds the same request may succeed.',
  ];
}

function ocrGuide(tiers: readonly TierEntry[]): string[] {
  const bounds = tiers.flatMap(({ id, maxScannedPages }) =>
    maxScannedPages === null ? [] : [`${maxScannedPages} on \`${id}\``],
  );
  if (bounds.length === 0) return [];
  return [
    `- Scanned pages and pictures (PNG, JPEG, TIFF, WebP) are read by OCR, in the price of the tier. Most scanned pages of a document: ${bounds.join(', ')}; one with more gets 413 \`too_many_scanned_pages\`, and its payment stays usable.`,
  ];
}

function priceOf({ priceMicroUsd }: TierEntry): string {
  return priceMicroUsd === 0n ? 'free of charge' : `${Number(priceMicroUsd) / MICRO_USD} USD a request`;
}

function jobCall({ id }: TierEntry): string {
  return `- \`${id}\` runs as a job: ask \`status_url\` every second or two until \`status\` is \`completed\` or \`failed\`. A completed job has a \`download_url\` to fetch; a failed one has the reason in \`code\` and \`message\`.`;
}

const PAYING = [
  '- Paying a tool call: the payment of x402, or the signature of the transaction, goes into `_meta["x402/payment"]` of the same call.',
  '- Paying: send the request without a payment; the answer 402 says in `paymentRequirements` what to transfer on Solana: `maxAmountRequired`, in millionths of a USDC, of the mint `asset` to `payTo`, and in `extra` which memo binds the transfer to the request. Transfer once, then send the very same request with the signature of the transaction in `X-PAYMENT`.',
  `- No payment is lost: after an error or a cut connection send the same request with the same \`X-PAYMENT\` again, and never pay again; within ${RESULT_LIFETIME} it is answered from what is kept.`,
];

/**
 * The JSON of `/.well-known/x402`, which indexes of x402 read (x402scan, discovery specification, "fan-out").
 *
 * @returns undefined where nothing is sold
 */
export function paidResourcesText(deployment: Deployment, origin: string): string | undefined {
  const paths = paidTiers(deployment).map(({ path }) => path);
  if (paths.length === 0) return undefined;
  return JSON.stringify({ version: 1, resources: ['/chunk', ...paths].map((path) => origin + path) });
}
