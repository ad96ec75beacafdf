// `grainline doctor`: the installation, the models, and a service, each tried once. Nothing of a document is sent.
import { describe } from '../../errors.ts';
import type { Io } from '../../io.ts';
import { namedEmbedder } from '../../local/embedder.ts';
import type { DoctorRequest } from '../../args/request.ts';
import { readOverview } from '../../remote/offer.ts';
import { usdc } from '../../remote/usdc.ts';
import type { Sink } from '../../output/terminal.ts';
import { checkNode, checkPeers, checkReading } from './installation.ts';
import { checkLanguageModel } from './language-model.ts';
import { failed, type CheckResult, found, row } from './rows.ts';

/**
 * Runs the checks and writes each finding as it comes. Resolves with true when all that is set up works. Rejects with a
 * UsageError for wrong settings of the language model.
 */
export async function doctor(request: DoctorRequest, io: Io, sink: Sink): Promise<boolean> {
  const checks = [
    () => checkNode(process.versions.node),
    () => checkReading(),
    () => checkPeers(),
    () => checkEmbedder(request, io),
    () => checkLanguageModel(io),
    () => checkService(request, io.signal),
  ];
  let isSound = true;
  for (const check of checks) {
    const finding = await check();
    await sink.write(finding.rows, io.signal);
    isSound &&= finding.isSound;
  }
  return isSound;
}

/** Embeds two words by the embedder that `--embedder` names, else by the built-in one. */
async function checkEmbedder({ embedder }: DoctorRequest, io: Io): Promise<CheckResult> {
  const { ModelError, staticEmbedder } = await import('@grainline/models/embeddings');
  const name = embedder ?? 'built in';
  try {
    const log = { status: () => undefined };
    const embed = embedder === undefined ? await staticEmbedder() : await namedEmbedder(embedder, io, log);
    const { model, dimensions } = await embed(['tide', 'water'], { signal: io.signal });
    return found('embedder', `${name}: ${model}, ${dimensions} dimensions`);
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    const wayOut = error.status === 401 ? 'Is EMBEDDINGS_API_KEY right?' : '';
    return failed('embedder', `${name}: ${describe(error)}`, wayOut);
  }
}

/** Asks a service for its tiers and prices. */
async function checkService({ remote }: DoctorRequest, signal: AbortSignal): Promise<CheckResult> {
  if (remote === undefined) return found('service', 'none named; --remote URL tries one');
  try {
    const { name, version, tiers } = await readOverview(remote, signal, 1);
    const rows = tiers.map(({ id, amount, available, reason = '' }) => {
      const price = BigInt(amount) === 0n ? 'nothing' : usdc(BigInt(amount));
      return row(`  ${id}`, available ? price : `${price}; cannot be had now: ${reason}`);
    });
    return { rows: [row('service', `${name} ${version} at ${remote}`), ...rows], isSound: true };
  } catch (error) {
    signal.throwIfAborted();
    return failed('service', describe(error));
  }
}
