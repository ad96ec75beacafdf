// XLSX → Document. Bytes → guarded archive → workbook, strings, styles → sheets → our tree → text and blocks. External
// workbooks, links, data connections and macros are never opened.
import type { Document } from '@grainline/core';
import { ExtractError } from '../../errors.ts';
import { CORE_PROPERTIES, openOffice, propertyOf, type OfficePackage } from '../../package/office.ts';
import type { Reader, Source } from '../../reader.ts';
import { titleOf } from '../../title.ts';
import { nothingSpent, type Spent } from '../../sheets/sheet.ts';
import { warningsOf } from '../../sheets/warnings.ts';
import { writeSheet } from '../../sheets/write.ts';
import { TreeBuilder } from '../../tree/builder.ts';
import { LinkTargets } from '../../tree/links.ts';
import { serialise } from '../../tree/serialise.ts';
import { addDrawing } from './drawing.ts';
import { readSheet } from './sheet.ts';
import { Strings } from './strings.ts';
import { CellStyles } from './styles.ts';
import { readWorkbook, type Workbook } from './workbook.ts';

/** Reads workbooks (Office Open XML, transitional and strict; workbooks and templates, with and without macros). */
export const XLSX: Reader = {
  kind: 'xlsx',
  version: 1,
  extensions: ['xlsx', 'xlsm', 'xltx', 'xltm'],
  mediaTypes: [
    'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    'application/vnd.ms-excel.sheet.macroenabled.12',
    'application/vnd.openxmlformats-officedocument.spreadsheetml.template',
  ],
  read: (source) => new Promise((resolve) => resolve(readXlsx(source))),
};

const EXCEL = { usual: 'xl/workbook.xml', what: 'Excel workbook' };

/**
 * Tags that the parts may have beyond those of other documents: a cell takes four, and most workbooks of the largest
 * size that is read have fewer. Inside another document the first workbook adds them to the account of all.
 */
const MORE_TAGS = 3_000_000;

function readXlsx({ bytes, filename, links: style, url, signal, spent: around }: Source): Document {
  signal?.throwIfAborted();
  const account = around ?? { tags: 0, bytes: 0 };
  if (account.tags === 0) account.tags = -MORE_TAGS;
  const parts = openOffice(bytes, EXCEL, account);
  const targets = new LinkTargets(url);
  const builder = new TreeBuilder(targets);
  const spent = nothingSpent();
  writeWorkbook(parts, builder, spent, () => account.tags >= 0.9 * MORE_TAGS, signal);
  const { text, blocks, links } = serialise(builder.finish(), { targets, links: style });
  if (text === '') throw new ExtractError('empty_document');
  return {
    text,
    blocks,
    pages: [],
    mediaType: XLSX.mediaTypes[0],
    ...(filename === undefined ? undefined : { filename }),
    ...titleOf(propertyOf(parts, CORE_PROPERTIES, 'title')),
    ...(links.length > 0 && { links }),
    warnings: warningsOf(spent),
  };
}

function writeWorkbook(
  parts: OfficePackage,
  builder: TreeBuilder,
  spent: Spent,
  isTooLong: () => boolean,
  signal: AbortSignal | undefined,
): void {
  const workbook = readWorkbook(parts);
  const styles = new CellStyles(parts, workbook.is1904);
  const strings = new Strings(parts);
  for (const entry of workbook.sheets) {
    signal?.throwIfAborted();
    if (entry.isHidden) spent.hiddenSheets.push(entry.name);
    else if (entry.part !== undefined && !spent.isFull)
      writePart(
        parts,
        { ...entry, part: entry.part },
        { workbook, styles, strings, builder, spent, isTooLong },
      );
  }
}

interface Writing {
  readonly workbook: Workbook;
  readonly styles: CellStyles;
  readonly strings: Strings;
  readonly builder: TreeBuilder;
  readonly spent: Spent;
  readonly isTooLong: () => boolean;
}

function writePart(
  parts: OfficePackage,
  {
    name,
    part,
    titleRows,
  }: { name: string; part: string; titleRows: Workbook['sheets'][number]['titleRows'] },
  { workbook, styles, strings, builder, spent, isTooLong }: Writing,
): void {
  const { sheet, drawings } = readSheet(parts, part, { name, titleRows, styles, strings, spent, isTooLong });
  writeSheet(builder, sheet, spent);
  for (const drawing of drawings) addDrawing(parts, drawing, builder, workbook);
}
