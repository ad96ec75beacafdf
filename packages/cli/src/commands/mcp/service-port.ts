// A service for the tools of agents, paid by the wallet of this server.
import type { ServicePort } from '@grainline/mcp';
import type { Warning } from '@grainline/core';
import type { Io } from '../../io.ts';
import { usdc } from '../../remote/usdc.ts';
import type { CountCharacters } from '../../local/count.ts';
import { readOverview } from '../../remote/offer.ts';
import { createPreflight } from '../../remote/preflight.ts';
import type { ServiceTarget } from '../../args/request.ts';
import { openService } from '../../remote/service.ts';

/**
 * Rejects as `openService` does.
 *
 * @param count reads documents before their payment, in another thread than the protocol's
 */
export async function openServicePort(
  target: ServiceTarget,
  io: Pick<Io, 'cwd' | 'environment' | 'signal'>,
  count: CountCharacters,
): Promise<{ port: ServicePort; summary: () => string[] }> {
  const preflight = createPreflight(target.remote, count, io.signal);
  const { chunk, summary } = await openService(target, io, preflight);
  const port: ServicePort = {
    url: target.remote,
    maxCost: target.wallet === undefined ? undefined : usdc(target.wallet.maxCost),
    tiers: async (signal) => (await readOverview(target.remote, signal)).tiers,
    async chunk(source, options, { signal, onProgress }) {
      onProgress(0, 'asking the service');
      const given: Warning[] = [];
      const answer = await chunk(
        { source, options },
        {
          signal,
          onProgress: (percent, message) => onProgress(percent / 100, message),
          onWarning: (warning) => void given.push(warning),
        },
      );
      return { ...answer, warnings: [...given, ...(answer.warnings ?? [])] };
    },
  };
  return { port, summary };
}
