// `--dry-run --remote`: what a run over a service would cost, and what the service would refuse. Documents are read and
// counted here; the service is asked for its prices, and gets nothing else.
import { detectKind } from '@grainline/extract';
import { askInfo } from './asking.ts';
import { cutHere, type CuttingParts } from './cut-here.ts';
import type { Result } from './layout.ts';
import { offerOf, optionRefusals, refusals, unknownKind } from './offer.ts';
import { usdc } from './budget.ts';
import type { Remote } from './remote.ts';
import type { ChunkRequest, Cutting, RemoteCutting } from './request.ts';
import { counted } from './terminal.ts';

/** Of a document whose kind the service alone may know. */
const UNCOUNTED: Omit<Result, 'warnings'> = {
  render: () => [],
  counts: { pages: 0, characters: 0, chunks: 0 },
};

/**
 * Opens a service for a run that sends nothing.
 *
 * Rejects with a CliError, `tier_unknown` among them, or the signal's reason.
 */
export async function dryRun(
  request: ChunkRequest,
  { remote, tier, fields }: RemoteCutting,
  cutting: Cutting,
  parts: CuttingParts,
): Promise<Remote> {
  const offer = offerOf(await askInfo(remote, parts.io.signal), tier);
  const { price, silence } = offer;
  const cut = cutHere(request, cutting, parts);
  let documents = 0;
  return {
    async cut(bytes, inputHash, input) {
      const result = await cut(bytes, inputHash, input).catch((error: unknown) => {
        const unknown = unknownKind(offer, error);
        if (unknown === undefined) throw error;
        if (!unknown.isRefused) documents++;
        return { ...UNCOUNTED, warnings: [unknown.warning] };
      });
      if (result.counts === UNCOUNTED.counts) return result;
      const kind = await detectKind(bytes, { filename: input.filename, contentType: request.contentType });
      const refused = [...optionRefusals(offer, fields), ...refusals(offer, kind, result.counts.characters)];
      // What would be refused would not be paid for.
      if (refused.length === 0) documents++;
      return { ...result, warnings: [...result.warnings, ...refused] };
    },
    summary() {
      const number = counted(documents, 'document');
      const total = price * BigInt(documents);
      const cost = total === 0n ? 'nothing' : `${usdc(total)}, ${usdc(price)} each`;
      const sum = `${number} by the tier ${tier} would cost ${cost}. Nothing was sent.`;
      const ours = cutting.options.tier;
      const counts = tier === ours ? [] : [`Chunks are counted as the tier ${ours} makes them here.`];
      const silent = silence === undefined ? [] : [`The tier ${tier} cannot be had now: ${silence}`];
      return [sum, ...counts, ...silent];
    },
  };
}
