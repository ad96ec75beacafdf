// Hyphens at the line ends of PDFs: those that divide words, and those of compounds.
import { describe, expect, it } from 'vitest';
import { extract } from '../src/index.ts';
import { expectLawful } from './laws.ts';
import { writePdf } from '@grainline/testing/pdf-writer';

async function read(lines: readonly string[]): Promise<string> {
  const document = await extract(writePdf({ pages: [{ lines: [...lines] }] }), { filename: 'test.pdf' });
  expectLawful(document);
  return document.text.replaceAll('\n', ' ');
}

/** Lines that all go on with a small letter. */
const PLAIN = Array.from(
  { length: 24 },
  (_, line) => `the harvest of the farm in the year of ${line} was good and`,
);

describe('a hyphen at a line end', () => {
  it('divides a word in a document with few lines', async () => {
    expect(await read(['He wrote a short docu-', 'mentation of it.'])).toContain('documentation');
  });

  it('stays where the program divides no words', async () => {
    expect(await read([...PLAIN, 'some of it was re-', 'planted in spring.'])).toContain('was re-planted in');
  });

  it('divides a word that stands elsewhere without it', async () => {
    const text = await read([...PLAIN, 'they have documentation and other docu-', 'mentation of it.']);
    expect(text).toContain('other documentation of it');
  });

  it('stays in a compound that stands elsewhere within a line', async () => {
    expect(await read(['A well-known farm and another well-', 'known one.'])).toContain(
      'another well-known one',
    );
  });
});
