// One more entry in the table of options adds the option to the API, to the help, to the tools and to the page.
import { describeOption, OPTIONS, type OptionTable } from '@grainline/core/options';
import { expect, it } from 'vitest';
import { optionFields as toolFields } from '@grainline/mcp/testing';
import { deploymentOf, jsonBody, optionFields } from '@grainline/server/testing';
import { controlsOf, defaultOptions } from '@grainline/web/testing';
import { helpText } from '../src/args/help.ts';
import { chunkOptionEntries } from '../src/args/options.ts';
import { scan } from '../src/args/words.ts';

const TABLE: OptionTable = {
  ...OPTIONS,
  margin: {
    meaning: 'least distance of a boundary to a table',
    type: 'integer',
    min: 2,
    max: 'size',
    inUnit: true,
    default: 3,
    tiers: ['structure', 'professional'],
    names: { library: 'margin', wire: 'chunk_margin', cli: 'margin', mcp: 'margin' },
    placeholder: 'N',
    control: { label: 'Keep {value} {unit} away' },
  },
};

it('the service takes, checks and describes the option', () => {
  const fields = optionFields(TABLE);
  const body = jsonBody(deploymentOf({ deployment: 'primary', payments: 'off', payTo: undefined }), fields);
  expect(body.schema['properties']).toMatchObject({
    chunk_margin: {
      type: 'integer',
      minimum: 2,
      description:
        'Of `structure`, `professional`: least distance of a boundary to a table, 2 to `chunk_size`, in `unit`; default 3.',
    },
  });
  expect([1, 2, 'x'].map((value) => fields['chunk_margin']?.read(value))).toEqual([undefined, 2, undefined]);
});

it('the command line takes the option, and the help names it', () => {
  const options = chunkOptionEntries(TABLE);
  expect(scan(['a.md', '--margin', '5'], options)).toMatchObject({
    issues: [],
    values: new Map([['margin', '5']]),
  });
  expect(helpText(options).replaceAll(/\s+/g, ' ')).toContain(
    ' --margin N of structure, professional: least distance of a boundary to a table ',
  );
});

it('the tools for agents take the option', () => {
  type Integer = ReturnType<typeof toolFields<'size'>>['size'];
  const fields = toolFields<never>(() => true, TABLE) as Readonly<Record<string, Integer>>;
  const { margin } = fields;
  expect(margin?.description).toBe(describeOption('mcp', 'margin', TABLE));
  expect([1, 2].map((value) => margin?.safeParse(value).success)).toEqual([false, true]);
});

it('the page has a control for the option', () => {
  const options = { ...defaultOptions('tokens', TABLE), size: 90 };
  expect(controlsOf(options, TABLE)).toContainEqual({
    key: 'margin',
    label: 'Keep {value} {unit} away',
    value: 3,
    range: { min: 2, max: 90, step: 1 },
    bounds: { min: 2, max: 90 },
    words: [],
  });
});
