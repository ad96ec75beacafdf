// `--dry-run --remote`: the price of a run over a service, and the documents that the service would reject. Documents
// are counted locally; the service receives only a request for its prices.
import { detectKind } from '@grainline/extract';
import { counted, printable } from '../io.ts';
import { chunkHere, type ChunkDeps } from '../local/chunk-here.ts';
import type { ChunkedInput } from '../output/layout.ts';
import { CliError } from '../errors.ts';
import { findTier, limitsOf, readOverview, refusals, unknownKind, unreadScan } from './offer.ts';
import { usdc } from './usdc.ts';
import type { Remote } from './chunk-remote.ts';
import type { ChunkRequest, LocalChunking, RemoteChunking } from '../args/request.ts';

/** Counts of a document whose kind only the service may know. */
const UNCOUNTED: Omit<ChunkedInput, 'warnings'> = {
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
  { remote, tier: name }: RemoteChunking,
  chunking: LocalChunking,
  deps: ChunkDeps,
): Promise<Remote> {
  const overview = await readOverview(remote, deps.io.signal);
  const tier = findTier(overview, name);
  if (tier === undefined) {
    const names = overview.tiers.map(({ id }) => id).join(', ');
    throw new CliError('tier_unknown', { detail: `${name}; it has ${names || 'none'}` });
  }
  const { available, reason = 'no reason is given' } = tier;
  const price = BigInt(tier.amount);
  const limits = limitsOf(overview, tier);
  const countHere = chunkHere(request, chunking, deps);
  let documents = 0;
  return {
    async chunk(content, input) {
      const result = await countHere(content, input).catch((error: unknown) => {
        const unknown = unknownKind(limits, error) ?? unreadScan(limits, error);
        if (unknown === undefined) throw error;
        if (!unknown.isRefused) documents++;
        return { ...UNCOUNTED, warnings: [unknown.warning] };
      });
      if (result.counts === UNCOUNTED.counts) return result;
      const kind = await detectKind(content.bytes, {
        filename: input.filename,
        contentType: request.contentType ?? content.contentType,
      });
      const refused = refusals(limits, kind, result.counts.characters);
      // A rejected document costs nothing.
      if (refused.length === 0) documents++;
      return { ...result, warnings: [...result.warnings, ...refused] };
    },
    summary() {
      const number = counted(documents, 'document');
      const total = price * BigInt(documents);
      const cost = total === 0n ? 'nothing' : `${usdc(total)}, ${usdc(price)} each`;
      const sum = `${number} by the tier ${name} would cost ${cost}. Nothing was sent.`;
      const ours = chunking.options.tier;
      const counts = name === ours ? [] : [`Chunks are counted as the tier ${ours} makes them here.`];
      const now = available ? [] : [`The tier ${name} cannot be had now: ${printable(reason)}`];
      return [sum, ...counts, ...now];
    },
  };
}
