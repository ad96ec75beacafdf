// A service as the server for agents needs it: what it lists, and its answers as documents that were cut.
import type { Warning } from '@grainline/core';
import type { CutDocument, Heading, ServicePort, ServiceTier } from '@grainline/mcp';
import { askInfo, isRecord } from '../asking.ts';
import { createLook } from '../before-payment.ts';
import type { CountCharacters } from '../count.ts';
import { CliError } from '../errors.ts';
import { serviceFields } from '../fields.ts';
import { usdc } from '../budget.ts';
import type { ServicePlace } from '../request.ts';
import { type Answer, openService } from '../service.ts';
import type { Io } from '../terminal.ts';

/**
 * Rejects as `openService` does.
 *
 * @param count where documents that are to be paid for are read: not in this thread, which answers the client
 */
export async function openServicePort(
  place: ServicePlace,
  io: Pick<Io, 'cwd' | 'environment' | 'signal'>,
  count: CountCharacters,
): Promise<{ port: ServicePort; summary: () => string[] }> {
  const look = createLook(place.remote, count, io.signal);
  const { send, summary } = await openService(place, io, look);
  const port: ServicePort = {
    url: place.remote,
    maxCost: place.wallet === undefined ? undefined : usdc(place.wallet.maxCost),
    tiers: async (signal) => tiersOf(await askInfo(place.remote, signal)),
    async cut({ tier, options, documentId, source }, { signal, onProgress }) {
      onProgress(0, 'asking the service');
      const given: Warning[] = [];
      const order = { tier, fields: serviceFields(options), documentId, source };
      const hearing = {
        signal,
        onProgress: (percent: number, message: string) => onProgress(percent / 100, message),
        onWarning: (warning: Warning) => void given.push(warning),
      };
      const document = documentOf(await send(order, hearing), documentId);
      return { ...document, warnings: [...given, ...document.warnings] };
    },
  };
  return { port, summary };
}

function tiersOf({ tiers }: Readonly<Record<string, unknown>>): ServiceTier[] {
  if (!Array.isArray(tiers)) throw new CliError('remote_strange', { detail: 'it lists no tiers' });
  return tiers.filter(isRecord).map(({ id, price_usd, available, description }) => ({
    id: String(id),
    price: String(price_usd),
    available: available === true,
    ...(typeof description === 'string' ? { description } : {}),
  }));
}

function documentOf(answer: Answer, documentId: string): CutDocument {
  const { tier, chunks: records, metadata, warnings = [] } = answer;
  const { filename, content_type: contentType, estimated_pages: pages } = metadata;
  const payment = 'payment' in answer && isRecord(answer.payment) ? answer.payment : undefined;
  return {
    tier,
    documentId,
    filename: typeof filename === 'string' ? filename : undefined,
    contentType: typeof contentType === 'string' ? contentType : undefined,
    pages: typeof pages === 'number' ? pages : undefined,
    records,
    outline: outlineOf(records),
    warnings,
    payment: payment?.['amount'] === 0 ? undefined : payment,
  };
}

/** The headings that chunks have over them, where each comes first: a service sends no blocks. */
function outlineOf(records: Answer['chunks']): Heading[] {
  const outline: Heading[] = [];
  let last: readonly string[] = [];
  for (const [chunk, { metadata }] of records.entries()) {
    const path = (metadata as { heading_path?: unknown } | undefined)?.heading_path;
    if (typeof path !== 'string') continue;
    const titles = path.split(' > ');
    const shared = titles.findIndex((title, level) => title !== last[level]);
    if (shared !== -1)
      for (let level = shared; level < titles.length; level++)
        outline.push({ depth: level + 1, title: titles[level] ?? '', chunk });
    last = titles;
  }
  return outline;
}
