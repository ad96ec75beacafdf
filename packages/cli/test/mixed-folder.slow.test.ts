// A company's folder: sixty files of all kinds, some of them broken, cut in one run.
import { writePdf } from '@grainline/testing/pdf-writer';
import { expect, it } from 'vitest';
import { get, grainline, PROSE, put, useFolder } from './command.ts';
import {
  driftNotebook,
  letter,
  memorandum,
  openSoundings,
  outlookLetter,
  pilotBook,
  soundings,
  soundingsText,
} from './golden/kinds.ts';

useFolder();

const BYTES: Readonly<Record<string, () => string | Uint8Array>> = {
  pdf: () => writePdf({ pages: [{ lines: ['High water follows the moon.'] }] }),
  xlsx: soundings,
  ods: openSoundings,
  csv: soundingsText,
  eml: letter,
  msg: outlookLetter,
  epub: pilotBook,
  ipynb: driftNotebook,
  rtf: memorandum,
  html: () => `<title>Tides</title><h1>Tides</h1><p>${PROSE}</p>`,
  md: () => `# Tides\n\n${PROSE}`,
  txt: () => PROSE,
};

it('is cut whole, with a summary and a line for each file that cannot be read', async () => {
  for (const [ending, make] of Object.entries(BYTES))
    for (let index = 0; index < 5; index++)
      put(`files/${index % 2 === 0 ? 'a' : 'b'}/${index}.${ending}`, make());
  put('files/a/0.xlsx', soundings().subarray(0, 900));
  put('files/a/2.epub', 'no book');
  const { code, stderr } = await grainline('files --tier structure --size 300 --out chunks');
  expect(code).toBe(1);
  expect(stderr).toMatch(/60 files: 58 written \(\d+ chunks\), 0 unchanged, 2 failed/);
  expect(stderr).toMatch(/^ {2}pdf {7}5 files: 5 written \(5 chunks\), 0 unchanged, 0 failed$/m);
  expect(stderr).toMatch(/^ {2}xlsx {6}5 files: 4 written \(\d+ chunks\), 0 unchanged, 1 failed$/m);
  expect(stderr.match(/^ {2}[a-z]+ +5 files: /gm)).toHaveLength(Object.keys(BYTES).length);
  expect(stderr).toMatch(/files\/a\/0\.xlsx: .*damaged.* \(corrupted\)/);
  expect(stderr).toMatch(/files\/a\/2\.epub: .*holds plain text.* \(unsupported_type\)/);
  for (const ending of Object.keys(BYTES))
    expect(get(`chunks/files/b/3.${ending}.jsonl`)).toContain('"document_id"');
  const again = await grainline('files --tier structure --size 300 --out chunks');
  expect(again.stderr).toMatch(/60 files: 0 written \(0 chunks\), 58 unchanged, 2 failed/);
});
