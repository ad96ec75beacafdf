// The tiers of a service, as `GET /` lists them.
import { createClient, type Overview, type ServiceTier } from '@grainline/client';
import { explained } from './service-errors.ts';

/** The overview of a service. Rejects with a CliError, or the signal's reason. */
export async function readOverview(remote: string, signal: AbortSignal, tries?: number): Promise<Overview> {
  try {
    return await createClient({ url: remote }).overview({ signal, tries });
  } catch (error) {
    throw explained(error, { remote, wallet: undefined });
  }
}

/** The tier of this name or path; undefined without one. */
export function findTier({ tiers = [] }: Partial<Overview>, name: string): ServiceTier | undefined {
  return tiers.find(({ id, path }) => id === name || path === `/chunk/${name}`);
}
