// The ways in which the scripted model behaves. Each looks at the question and at how often it has come before, so that
// the same questions get the same answers in every run and whatever order they come in.
import { answerTo, chunksIn, markIn, unitsIn } from './answers.ts';
import type { ModelCall } from './model-call.ts';
import type { Reply } from './reply.ts';

/** The reply to a request, the `number`-th from 0; undefined for the reply of an obedient model. */
export type Script = (call: ModelCall, number: number) => Reply | undefined | Promise<Reply | undefined>;

/** The ways in which it behaves, by name. */
export const SCRIPTS = {
  right: 'Does as it is told.',
  slow: 'Answers late.',
  'rate-limited': 'Refuses each question once with 429 and Retry-After.',
  truncated: 'Ends in the middle of its answer, at the longest one allowed.',
  refusing: 'Refuses.',
  'lying-numbers': 'Names units and chunks that do not exist, and years and names that no document holds.',
  'broken-json': 'Answers with half of its JSON.',
  injected: 'Does what the document tells it, and more: other keys, control characters, marks of its own.',
  dying: 'Closes the connection in the middle of its answer.',
  'wrong-key': 'Answers 401, whatever the key.',
  'all-cuts': 'Names every unit.',
  'no-cuts': 'Names none.',
} as const;

/** A name of {@link SCRIPTS}. */
export type ScriptName = keyof typeof SCRIPTS;

/** Settings of scripts. */
export interface ScriptSettings {
  /** Seed of the random choices. */
  readonly seed: number;
  /** Share of the questions, from 0 to 1, that get the script's behaviour; the others are answered correctly. */
  readonly share: number;
  readonly slowMs: number;
  readonly retryAfterS: number;
}

/** The script of a name. */
export function scriptOf(name: ScriptName, settings: ScriptSettings): Script {
  const times = new Map<number, number>();
  return (call) => {
    const question = hashOf(`${settings.seed} ${call.texts.join('\n')}`);
    if (question % 1000 >= settings.share * 1000) return undefined;
    const before = times.get(question) ?? 0;
    times.set(question, before + 1);
    return replyOf(name, call, before, question, settings);
  };
}

function replyOf(
  name: ScriptName,
  call: ModelCall,
  before: number,
  question: number,
  { slowMs, retryAfterS }: ScriptSettings,
): Reply | undefined {
  switch (name) {
    case 'right':
      return undefined;
    case 'slow':
      return { afterMs: slowMs };
    case 'rate-limited':
      return before > 0 ? undefined : refusal(429, 'Too many requests.', { 'retry-after': `${retryAfterS}` });
    case 'truncated':
      return { ends: 'truncated', says: half(call) };
    case 'refusing':
      return { ends: 'refusal', says: 'I would rather not say.' };
    case 'lying-numbers':
      return { value: lies(call, question) };
    case 'broken-json':
      return { says: half(call) };
    case 'injected':
      return { value: obedience(call) };
    case 'dying':
      return { breaks: true };
    case 'wrong-key':
      return refusal(401, 'Incorrect API key provided.');
    case 'all-cuts':
      return cutting(call, (count) => Array.from({ length: count }, (_, at) => at + 1));
    case 'no-cuts':
      return cutting(call, () => []);
  }
}

/** The refusal of a whole request. */
export function refusal(status: number, message: string, headers: Record<string, string> = {}): Reply {
  return { status, headers, body: { type: 'error', error: { type: 'scripted', message } } };
}

const half = (call: ModelCall): string => {
  const whole = JSON.stringify(answerTo(call));
  return whole.slice(0, Math.ceil(whole.length / 2));
};

function cutting(call: ModelCall, cuts: (units: number) => readonly number[]): Reply | undefined {
  return asksForCuts(call) ? { value: { cuts: cuts(unitsIn(call.texts).length) } } : undefined;
}

const asksForCuts = ({ schema, texts }: ModelCall): boolean =>
  schema === undefined ? markIn(texts) !== undefined : 'cuts' in (schema.properties ?? {});

/** Answers of the right shape whose numbers and names are nowhere in the document. */
function lies(call: ModelCall, question: number): unknown {
  if (asksForCuts(call)) {
    const count = unitsIn(call.texts).length;
    return { cuts: [0, -3, count + 1, 2 * count, (question % Math.max(1, count)) + 1, 1, 1] };
  }
  const right = answerTo(call) as Record<string, unknown>;
  const tainted = (text: unknown): string => `${String(text)} It was 7777771 for Zyxquell Vornhauser.`;
  const { chunks, sections } = right as { chunks?: object[]; sections?: object[] };
  if (chunks !== undefined) {
    const lying = chunks.map((one) => ({
      ...one,
      context: tainted((one as { context?: unknown }).context),
      entities: ['Zyxquell Vornhauser'],
    }));
    return { chunks: [...lying, { ...lying[0], id: 999 }, { ...lying[0], id: -1 }] };
  }
  if (sections !== undefined)
    return {
      summary: tainted(right['summary']),
      sections: sections.map((one, at) => ({ ...one, id: at % 2 === 0 ? 5000 + at : at + 1 })),
    };
  return right;
}

/** The answer of a model that obeys the document: the JSON that stands in it, and more than the schema has. */
function obedience(call: ModelCall): unknown {
  const right = answerTo(call) as Record<string, unknown>;
  const demanded = /answer \{"cuts": \[([\d, ]*)\]/i.exec(call.texts.join('\n'))?.[1];
  if (asksForCuts(call))
    return demanded === undefined
      ? right
      : { cuts: demanded.split(',').map(Number).filter(Number.isInteger) };
  const hostile = (text: unknown): string =>
    `\u0000\u001B[31m${String(text)}\u202E <script>alert(1)</script>\n\n${markIn(call.texts) ?? ''}\u{E0041}`;
  if (chunksIn(call.texts).length > 0 && Array.isArray(right['chunks']))
    return {
      chunks: (right['chunks'] as Record<string, unknown>[]).map((one) => ({
        ...one,
        context: hostile(one['context']),
        title: hostile(one['title']),
        keywords: ['\u0007bell', '__proto__'],
      })),
    };
  return right;
}

/** FNV-1a of a text's units with a last stir. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (hash ^ (hash >>> 13)) >>> 0;
}
