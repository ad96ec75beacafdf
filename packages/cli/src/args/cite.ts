// The words after `grainline cite` → a request.
import { UsageError } from '../errors.ts';
import { readReading } from './chunking.ts';
import { CITE_OPTIONS } from './options.ts';
import type { Request } from './request.ts';
import { readNumber } from './values.ts';
import { scan, show } from './words.ts';

/** Reads the arguments behind `cite`. @throws UsageError with every issue */
export function readCite(argv: readonly string[]): Request {
  const words = scan(argv, CITE_OPTIONS);
  const { flags, values, operands, issues } = words;
  if (flags.has('help')) return { kind: 'cite-help' };
  const [file, ...quotes] = operands;
  if (file === undefined || quotes.length === 0)
    issues.push('Name a file and at least one quotation: grainline cite FILE "its words".');
  if (file === '') issues.push('The file has an empty name.');
  if (quotes.some((quote) => quote.trim() === '')) issues.push('A quotation has no words.');
  const reading = readReading(words, issues);
  const bound = values.has('bound') ? readNumber(values.get('bound') ?? '') : undefined;
  if (bound !== undefined && !(typeof bound === 'number' && bound > 0 && bound <= 1))
    issues.push(`--bound must be a number above 0 and up to 1, but is ${show(values.get('bound') ?? '')}.`);
  if (issues.length > 0) throw new UsageError(issues);
  return {
    kind: 'cite',
    file: file ?? '',
    quotes,
    bound: typeof bound === 'number' ? bound : undefined,
    ...reading,
    layout: flags.has('json') ? 'json' : 'text',
    quiet: flags.has('quiet'),
  };
}
