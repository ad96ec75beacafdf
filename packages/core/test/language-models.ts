// Language models for tests: functions whose answers follow from the question alone. None of them is a model.
import type { Complete, Completion, CompletionRequest } from '../src/complete.ts';

/** The units of a question, as the model is shown them: the first has number 1. */
export function unitsIn({ messages }: CompletionRequest): string[] {
  const [mark = '', ...lines] = (messages[1]?.content ?? '').split('\n');
  const shown = lines.slice(0, lines.indexOf(mark)).join('\n');
  const units: string[] = [];
  let from = 0;
  for (let number = 1; from !== -1; number++) {
    const next = shown.indexOf(`\n[${number + 1}] `, from);
    units.push(shown.slice(from, next === -1 ? undefined : next).replace(/^\n?\[\d+\] /, ''));
    from = next;
  }
  return units;
}

export const answering = (value: unknown): Completion => ({
  value,
  model: 'scripted',
  usage: { input: 100, cachedInput: 10, output: 5 },
  stopReason: 'stop',
});

/** Answers by a rule over the units: their numbers, from 1. */
export const byRule =
  (rule: (units: readonly string[]) => unknown): Complete =>
  (request) =>
    Promise.resolve(answering({ cuts: rule(unitsIn(request)) }));

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
    const count = unitsIn(request).length;
    const share = draw('share', 100);
    const cuts: unknown[] = [];
    for (let number = 0; number < count + 3; number++) if (draw(`${number}`, 100) < share) cuts.push(number);
    if (draw('junk', 3) === 0) cuts.push(-5, 1e308, NaN, '7', null, 2.5, [3], count * 9, cuts[0]);
    return Promise.resolve(answering({ cuts: draw('turned', 2) === 0 ? cuts : cuts.reverse() }));
  };
}

/** FNV-1a of a text's units with a last stir. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (hash ^ (hash >>> 13)) >>> 0;
}
