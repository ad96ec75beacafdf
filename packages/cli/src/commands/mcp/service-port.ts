// A service for the tools of agents, paid by the wallet of this server.
import type { ServicePort } from '@grainline/mcp';
import type { Io } from '../../io.ts';
import { usdc } from '../../remote/usdc.ts';
import { readOverview } from '../../remote/offer.ts';
import { createPreflight } from '../../remote/preflight.ts';
import type { ServiceTarget } from '../../args/request.ts';
import { openService } from '../../remote/service.ts';

/** Rejects as `openService` does. */
export async function openServicePort(
  target: ServiceTarget,
  io: Pick<Io, 'cwd' | 'environment'>,
): Promise<{ port: ServicePort; summary: () => string[] }> {
  const { chunk, summary } = await openService(target, io, createPreflight(target.remote));
  const port: ServicePort = {
    url: target.remote,
    maxCost: target.wallet === undefined ? undefined : usdc(target.wallet.maxCost),
    tiers: async (signal) => (await readOverview(target.remote, signal)).tiers,
    chunk(source, options, { signal, onProgress }) {
      onProgress(0, 'asking the service');
      const report = (percent: number, message: string): void => onProgress(percent / 100, message);
      return chunk({ source, options }, { signal, onProgress: report });
    },
  };
  return { port, summary };
}
