// The registry of tools, in the order in which clients list them.
import { chunkFileByService, chunkTextByService, chunkUrl } from './by-service.ts';
import { chunkFile } from './chunk-file.ts';
import { chunkText } from './chunk-text.ts';
import { citeQuote } from './cite.ts';
import { describeTiers } from './describe-tiers.ts';
import { readChunks } from './read-chunks.ts';
import type { Session, Tool } from './tool.ts';

/** The tools of a server, with those of a service if it has one. */
export function toolsOf(session: Session): readonly Tool[] {
  const here = [chunkFile, chunkText, readChunks, citeQuote, describeTiers].map((make) => make(session));
  const { service } = session.ports;
  if (service === undefined) return here;
  const there = [chunkUrl, chunkFileByService, chunkTextByService].map((make) => make(session, service));
  return [...here, ...there];
}
