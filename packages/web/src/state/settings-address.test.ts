import { CHUNK_SIZE } from '@grainline/server/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '@grainline/testing/cases';
import { changeOptions, controlsOf, defaultOptions, SIZE_BOUNDS } from '../document/options.ts';
import { changeReading } from '../document/reading-options.ts';
import { readSettings, type AddressSettings, writeSettings } from './settings-address.ts';

const USUAL: AddressSettings = {
  tier: 'structure',
  other: undefined,
  options: defaultOptions('characters'),
  reading: {},
};

describe('the settings in the address', () => {
  it('are read as they were written', () => {
    const settings = fc
      .record({
        tier: fc.constantFrom('free', 'standard', 'structure', 'professional', 'semantic', 'ai', 'ai-pro'),
        other: fc.constantFrom(undefined, 'free', 'standard'),
        unit: fc.constantFrom('characters', 'tokens'),
        size: fc.integer({ min: 10, max: 100_000 }),
        overlap: fc.nat(200_000),
        furniture: fc.constantFrom('drop', 'keep'),
        links: fc.constantFrom('data', 'markdown'),
      })
      .map(({ tier, other, unit, size, overlap, furniture, links }): AddressSettings => {
        const sized = changeOptions(changeOptions(USUAL.options, 'unit', unit), 'size', size);
        const options = changeOptions(sized, 'overlap', overlap);
        const reading = changeReading(changeReading({}, 'furniture', furniture), 'links', links);
        return { tier, other: other === tier ? undefined : other, options, reading };
      });
    fc.assert(
      fc.property(settings, (given) => {
        expect(readSettings(writeSettings(given))).toEqual(given);
      }),
      cases(200),
    );
  });

  it('are none for the defaults, and the defaults for none', () => {
    expect(writeSettings(USUAL)).toBe('');
    for (const hash of ['', '#', '#x=1', '#tier=constructor&size=ten&unit=bits&compare=structure'])
      expect(readSettings(hash)).toEqual(USUAL);
  });

  it('are within the bounds of the options', () => {
    expect(readSettings('#size=1&overlap=99999').options).toEqual({
      size: 10,
      overlap: 9,
      unit: 'characters',
    });
    expect(readSettings('#size=999999999').options.size).toBe(100_000);
  });
});

describe('the options of reading in the address', () => {
  it('are no pages, no password and no unknown words', () => {
    const reading = changeReading(changeReading({}, 'pages', '2-3'), 'lines', 'keep');
    expect(reading).toEqual({ pages: '2-3', lines: 'keep' });
    expect(writeSettings({ ...USUAL, reading })).toBe('#lines=keep');
    expect(readSettings('#pages=2&password=ebb&lines=all&content=main').reading).toEqual({ content: 'main' });
  });
});

describe('the bounds of a size', () => {
  it("are the service's", () => {
    expect(SIZE_BOUNDS).toEqual({ min: CHUNK_SIZE.least, max: CHUNK_SIZE.most });
  });

  it('bound the overlap below the size, also when the size shrinks', () => {
    const wide = changeOptions(changeOptions(USUAL.options, 'size', 500), 'overlap', 9000);
    expect(wide).toMatchObject({ size: 500, overlap: 499 });
    expect(changeOptions(wide, 'size', 3)).toMatchObject({ size: 10, overlap: 9 });
    const [size, overlap] = controlsOf(wide);
    expect(size?.bounds).toEqual(SIZE_BOUNDS);
    expect(overlap?.bounds).toEqual({ min: 0, max: 499 });
    expect(overlap?.range.max).toBe(250);
  });
});
