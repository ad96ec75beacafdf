// All hostile documents, a table for each kind.
import { ARCHIVE_DOCUMENTS } from './archives.ts';
import { OFFICE_DOCUMENTS } from './office.ts';
import type { HostileDocument } from './row.ts';
import { TEXT_DOCUMENTS } from './texts.ts';

export const HOSTILE_DOCUMENTS: readonly HostileDocument[] = [
  ...ARCHIVE_DOCUMENTS,
  ...OFFICE_DOCUMENTS,
  ...TEXT_DOCUMENTS,
];
