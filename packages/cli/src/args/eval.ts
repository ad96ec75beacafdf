// The words after `grainline eval` → a request. The command checks the names of tiers and splitters, whose tables load
// with it.
import { UsageError } from '../errors.ts';
import { readReading } from './chunking.ts';
import { EVAL_OPTIONS } from './options.ts';
import { EVAL_LAYOUTS, type EvalRequest, type Request } from './request.ts';
import { chosen, readCount, readEmbedderName, readNumber } from './values.ts';
import { scan, show, type Words } from './words.ts';

/** Reads the arguments behind `eval`. @throws UsageError with every issue */
export function readEval(argv: readonly string[]): Request {
  const words = scan(argv, EVAL_OPTIONS);
  const { flags, values, operands, issues } = words;
  if (flags.has('help')) return { kind: 'eval-help' };
  const layouts = EVAL_LAYOUTS.filter((name) => flags.has(name));
  if (layouts.length > 1)
    issues.push(`Only one of ${layouts.map((name) => `--${name}`).join(', ')} can be had at a time.`);
  if (operands.length === 0) issues.push('Name the documents: files, folders or patterns.');
  if (operands.includes('')) issues.push('A file has an empty name; name the working folder with a dot.');
  const unit = chosen('unit', values.get('unit'), ['characters', 'tokens'], issues);
  const encoding = chosen('encoding', values.get('encoding'), ['o200k', 'cl100k'], issues) ?? 'o200k';
  if (values.has('encoding') && unit !== 'tokens') issues.push('--encoding goes with --unit tokens.');
  const request: EvalRequest = {
    kind: 'eval',
    operands,
    questions: values.get('questions'),
    saveQuestions: values.get('save-questions'),
    tiers: listOf('tier', words),
    peers: listOf('peers', words) ?? [],
    sizes: numbersOf('size', words),
    options: {
      overlap: numbersOf('overlap', words),
      target: numbersOf('target', words),
      min: numbersOf('min', words),
      context: listOf('context', words),
    },
    blends: numbersOf('blend', words),
    searches: listOf('search', words),
    top: readCount('top', words, issues),
    encoding: unit === 'tokens' ? (encoding as 'o200k' | 'cl100k') : undefined,
    embedder: readEmbedderName(values.get('embedder'), issues),
    ...readReading(words, issues),
    layout: layouts[0] ?? 'text',
    quiet: flags.has('quiet'),
  };
  if (issues.length > 0) throw new UsageError(issues);
  return request;
}

/** `a,b` → `a` and `b`, each once. */
function listOf(name: string, { values }: Words): readonly string[] | undefined {
  const words = values
    .get(name)
    ?.split(',')
    .map((word) => word.trim());
  return words === undefined ? undefined : [...new Set(words)];
}

function numbersOf(name: string, words: Words): readonly number[] | undefined {
  return listOf(name, words)?.flatMap((word) => {
    const value = readNumber(word);
    if (typeof value === 'number') return [value];
    words.issues.push(`--${name} must be numbers with commas between them, but has ${show(word)}.`);
    return [];
  });
}
