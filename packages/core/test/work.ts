// Counts work instead of measuring time: how many units of text a piece of code has the engine look at.
// While it runs, the built-in methods through which text can be read are wrapped; each call adds the units that it
// passes over, at least one. Engine code is not simulated: what is counted is what these methods must touch.

/** Units of text that `run` touches. */
export async function countWork(run: () => unknown): Promise<number> {
  let work = 0;
  const restore = COUNTED.map(([owner, name, cost]) =>
    wrap(owner, name, cost, (units) => (work += Math.max(1, units))),
  );
  try {
    await run();
  } finally {
    for (const undo of restore) undo();
  }
  return work;
}

/** @param from where a pattern with the flag `g` or `y` began to look; 0 for everything else */
type Cost = (self: unknown, given: readonly unknown[], result: unknown, from: number) => number;

/** One unit, whatever is asked. */
const ONE: Cost = () => 1;

const lengthOf = (value: unknown): number => String(value).length;

const COUNTED: readonly (readonly [object, string, Cost])[] = [
  [
    String.prototype,
    'indexOf',
    (self, [, from], hit) => (hit === -1 ? lengthOf(self) : Number(hit)) - Number(from ?? 0),
  ],
  [
    String.prototype,
    'lastIndexOf',
    (self, [, from], hit) => Math.min(Number(from ?? Infinity), lengthOf(self)) - Number(hit),
  ],
  [String.prototype, 'includes', lengthOf],
  [String.prototype, 'split', lengthOf],
  [String.prototype, 'search', lengthOf],
  [String.prototype, 'isWellFormed', lengthOf],
  [String.prototype, 'trim', lengthOf],
  [String.prototype, 'charCodeAt', ONE],
  [String.prototype, 'codePointAt', ONE],
  [String.prototype, 'slice', ONE],
  [
    RegExp.prototype,
    'test',
    (self, [text], _result, from) => ((self as RegExp).lastIndex || lengthOf(text)) - from,
  ],
  [
    RegExp.prototype,
    'exec',
    (self, [text], result, from) => {
      const { global, sticky, lastIndex } = self as RegExp;
      return (result !== null && (global || sticky) ? lastIndex : lengthOf(text)) - from;
    },
  ],
  [Buffer.prototype, 'write', (_self, [text]) => lengthOf(text)],
  [Intl.Segmenter.prototype, 'segment', (_self, [text]) => lengthOf(text)],
];

function wrap(owner: object, name: string, cost: Cost, add: (units: number) => void): () => void {
  const methods = owner as Record<string, (...given: unknown[]) => unknown>;
  const original = methods[name];
  if (original === undefined) throw new Error(`there is no method ${name} to count`);
  let counting = false;
  // A call for every unit takes the short way.
  if (cost === ONE)
    methods[name] = function (this: unknown, one: unknown, other: unknown): unknown {
      add(1);
      return original.call(this, one, other);
    };
  else
    methods[name] = function (this: unknown, ...given: unknown[]): unknown {
      const from = this instanceof RegExp ? this.lastIndex : 0;
      const result = original.apply(this, given);
      if (counting) return result;
      counting = true;
      add(cost(this, given, result, from));
      counting = false;
      return result;
    };
  return () => {
    methods[name] = original;
  };
}
