// Language models for tests: functions whose answers follow from the question alone. None of them is a model.
import { answerTo, unitsIn as unitsOfTexts } from './scripted-model/answers.ts';
import type { Complete, Completion, CompletionRequest } from '@grainline/core';

/** The units of a question, as the model is shown them: the first has number 1. */
export function unitsIn({ messages }: CompletionRequest): string[] {
  // An empty line behind a unit is the author's.
  return unitsOfTexts(messages.map(({ content }) => content)).map((unit) => unit.trimEnd());
}

export const answering = (value: unknown): Completion => ({
  value,
  model: 'scripted',
  usage: { input: 100, cachedInput: 10, output: 5 },
  stopReason: 'stop',
});

/** True for a request whose answer is a list of cuts. */
const asksForCuts = ({ schema }: CompletionRequest): boolean =>
  schema.type === 'object' && 'cuts' in schema.properties;

/** The scripted model as a function, without a server. */
export const scripted: Complete = ({ messages, schema }) =>
  Promise.resolve(answering(answerTo({ texts: messages.map(({ content }) => content), schema })));

/** Cuts by a rule over the units: their numbers, from 1. Answers the rest as the scripted model does. */
export const byRule =
  (rule: (units: readonly string[]) => unknown): Complete =>
  (request, run) =>
    asksForCuts(request)
      ? Promise.resolve(answering({ cuts: rule(unitsIn(request)) }))
      : scripted(request, run);

/** Cuts before every third unit. */
export const thirdsModel = byRule((units) => units.flatMap((_, at) => (at % 3 === 2 ? [at + 1] : [])));

/** Cuts before each unit that another topic's words begin. */
export function topicModel(topics: readonly (readonly string[])[]): Complete {
  const topicOf = (unit: string): number =>
    topics.findIndex((words) => words.some((word) => unit.toLowerCase().includes(word)));
  return byRule((units) =>
    units.flatMap((unit, at) => (at > 0 && topicOf(unit) !== topicOf(units[at - 1] ?? '') ? [at + 1] : [])),
  );
}

/** Answers that have nothing to do with the question: numbers in and out of range, other types, and failures. */
export function hostileModel(seed: number): Complete {
  return (request) => {
    const of = hashOf(JSON.stringify(request.messages));
    const draw = (what: string, below: number): number => hashOf(`${seed} ${what} ${of}`) % below;
    const code = ['refusal', 'truncated', 'wrong_answer', 'content_filter', 'unavailable'][draw('code', 5)];
    if (draw('fails', 12) === 0) return Promise.reject(Object.assign(new Error('no'), { code }));
    if (draw('odd', 12) === 0)
      return Promise.resolve(
        [undefined, answering('cuts'), answering(null), answering({ cuts: 3 }), answering({})][
          draw('which', 5)
        ]!,
      );
    if (!asksForCuts(request)) return Promise.resolve(answering(nonsense(draw)));
    const count = unitsIn(request).length;
    const share = draw('share', 100);
    const cuts: unknown[] = [];
    for (let number = 0; number < count + 3; number++) if (draw(`${number}`, 100) < share) cuts.push(number);
    if (draw('junk', 3) === 0) cuts.push(-5, 1e308, NaN, '7', null, 2.5, [3], count * 9, cuts[0]);
    return Promise.resolve(answering({ cuts: draw('turned', 2) === 0 ? cuts : cuts.reverse() }));
  };
}

/**
 * Answers about an outline or about chunks: right and wrong ids, every type where a text is asked for, and texts of all
 * sorts.
 */
function nonsense(draw: (what: string, below: number) => number): unknown {
  const texts = [
    'A plain sentence about the harbour.',
    '',
    '\u0000\u001b[31m\u202e\ud800 hidden\u{E0041}',
    'Zyxquell saw it in 1789.',
    'word '.repeat(900),
    'x'.repeat(5000),
    '漢字'.repeat(300),
    7,
    null,
    ['a list'],
    { deep: [{}] },
  ];
  const any = (what: string): unknown => texts[draw(what, texts.length)];
  const some = (what: string): unknown =>
    draw(`${what} list`, 4) === 0
      ? any(what)
      : Array.from({ length: draw(`${what} count`, 20) }, (_, at) => any(`${what} ${at}`));
  const entries = Array.from({ length: draw('entries', 30) }, (_, at) =>
    draw(`${at} odd`, 9) === 0
      ? any(`${at} odd`)
      : {
          id: draw(`${at} stray`, 5) === 0 ? [-1, 0, 1e9, '1', null, 1.5][draw(`${at} id`, 6)] : at + 1,
          gist: any(`${at} gist`),
          context: any(`${at} context`),
          title: any(`${at} title`),
          summary: any(`${at} summary`),
          keywords: some(`${at} keywords`),
          questions: some(`${at} questions`),
          entities: some(`${at} entities`),
          text: 'owned',
        },
  );
  return { chunks: entries, sections: entries, summary: any('summary') };
}

/** FNV-1a of a text's units with a last stir. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (hash ^ (hash >>> 13)) >>> 0;
}
