// `--dry-run --remote`: the service estimates each document. Documents are sent, and nothing is bought.
import { createClient } from '@grainline/client';
import { counted, type Io, printable } from '../io.ts';
import { documentIdOf } from '../inputs/inputs.ts';
import { countsRow } from '../output/layouts.ts';
import { CliError } from '../errors.ts';
import { findTier, readOverview } from './offer.ts';
import { explained } from './service-errors.ts';
import { usdc } from './usdc.ts';
import type { SummarizingChunker } from './chunk-remote.ts';
import type { ChunkFilesRequest, RemoteChunking } from '../args/request.ts';

/**
 * Opens a service for a run that buys nothing.
 *
 * Rejects with a CliError, `tier_unknown` among them, or the signal's reason.
 */
export async function dryRun(
  request: ChunkFilesRequest,
  chunking: RemoteChunking,
  { signal }: Pick<Io, 'signal'>,
): Promise<SummarizingChunker> {
  const { remote, tier: name, options } = chunking;
  const overview = await readOverview(remote, signal);
  const tier = findTier(overview, name);
  if (tier === undefined) {
    const names = overview.tiers.map(({ id }) => id).join(', ');
    throw new CliError('tier_unknown', { detail: `${name}; it has ${names || 'none'}` });
  }
  const client = createClient({ url: remote });
  const price = BigInt(tier.amount);
  let documents = 0;
  return {
    async chunk({ bytes, hash, contentType }, input) {
      const source = {
        bytes,
        filename: input.filename ?? 'stdin',
        contentType: request.contentType ?? contentType,
      };
      const documentId = documentIdOf(input, hash, request.documentId);
      const sent = { ...options, tier: name, password: request.password, documentId };
      const answer = await client.estimate(source, sent, { signal }).catch((error: unknown) => {
        throw explained(error, chunking);
      });
      const [estimate] = answer.tiers;
      const refusals = estimate?.refusals ?? [];
      // A rejected document costs nothing.
      if (refusals.length === 0) documents++;
      const counts = {
        pages: answer.pages ?? 0,
        characters: answer.characters ?? 0,
        chunks: estimate?.expected_chunks ?? 0,
      };
      const warnings = refusals.map(({ code, message }) => ({
        code,
        message: `The service would refuse it: ${printable(message)}`,
      }));
      return {
        render: () => [countsRow(counts.pages, counts.characters, counts.chunks, input.shown)],
        counts,
        warnings: [...answer.warnings, ...warnings],
      };
    },
    summary() {
      const total = price * BigInt(documents);
      const cost = total === 0n ? 'nothing' : `${usdc(total)}, ${usdc(price)} each`;
      const number = counted(documents, 'document');
      return [
        `${number} by the tier ${name} would cost ${cost}. The service has estimated the chunks, and nothing was bought.`,
      ];
    },
  };
}
