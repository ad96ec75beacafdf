// All hostile files of office programs.
import { ARCHIVE_DOCUMENTS } from './archives.ts';
import { ODP, ODS, ODT } from './open-documents.ts';
import { PPTX } from './presentations.ts';
import { documentsOf, type HostileDocument } from './row.ts';
import { XLSX } from './workbooks.ts';

export const OFFICE_DOCUMENTS: readonly HostileDocument[] = [
  ...ARCHIVE_DOCUMENTS,
  ...Object.entries({ pptx: PPTX, xlsx: XLSX, odt: ODT, ods: ODS, odp: ODP }).flatMap(([kind, rows]) =>
    documentsOf(kind, rows),
  ),
];
