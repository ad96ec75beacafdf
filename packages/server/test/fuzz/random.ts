// Chance that can be repeated: a generator by a seed, and what it does to bytes.

/** Numbers that follow from a seed alone (mulberry32). */
export interface Chance {
  /** An integer from 0, below `end`. */
  below(end: number): number;
  pick<Item>(items: readonly Item[]): Item;
  /** True once in so many times. */
  oneIn(times: number): boolean;
}

export function chanceOf(seed: number): Chance {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (end: number): number => Math.floor(next() * end);
  return {
    below,
    pick: (items) => items[below(items.length)]!,
    oneIn: (times) => below(times) === 0,
  };
}

const NUMBERS = ['0', '-1', '1', '65535', '65536', '2147483647', '-2147483648', '4294967296', '1e999', 'NaN'];

/** Changes bytes in one to eight places. @param words what the format is made of */
export function mutate(bytes: Uint8Array, words: readonly string[], chance: Chance): Buffer {
  let changed: Buffer = Buffer.from(bytes);
  for (let times = 1 + chance.below(8); times > 0; times--) changed = step(changed, words, chance);
  return changed;
}

function step(bytes: Buffer, words: readonly string[], chance: Chance): Buffer {
  const at = chance.below(bytes.length + 1);
  const length = 1 + chance.below(chance.oneIn(4) ? Math.max(1, bytes.length) : 16);
  const end = Math.min(bytes.length, at + length);
  const between = (middle: Uint8Array | string): Buffer =>
    Buffer.concat([bytes.subarray(0, at), Buffer.from(middle), bytes.subarray(at)]);
  switch (chance.below(9)) {
    case 0: {
      const flipped = Buffer.from(bytes);
      if (at < flipped.length) flipped[at] = flipped[at]! ^ (1 << chance.below(8));
      return flipped;
    }
    case 1: {
      const filled = Buffer.from(bytes);
      filled.fill(chance.pick([0, 255, 0x20, 0x0a, chance.below(256)]), at, end);
      return filled;
    }
    case 2:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(end)]);
    case 3:
      return between(bytes.subarray(at, end));
    case 4:
      return bytes.subarray(0, at);
    case 5: {
      const from = chance.below(bytes.length + 1);
      return between(bytes.subarray(from, from + length));
    }
    case 6:
      return between(chance.pick(words).repeat(chance.oneIn(20) ? 5000 : 1 + chance.below(3)));
    case 7:
      return between(Buffer.from(Array.from({ length: Math.min(length, 64) }, () => chance.below(256))));
    default:
      return withNumber(bytes, chance);
  }
}

/** Puts a number that is at the edge of something in the place of one that is there. */
function withNumber(bytes: Buffer, chance: Chance): Buffer {
  const text = bytes.toString('latin1');
  const from = chance.below(text.length + 1);
  const found = /\d+/.exec(text.slice(from));
  if (found === null) return bytes;
  const at = from + found.index;
  const changed = text.slice(0, at) + chance.pick(NUMBERS) + text.slice(at + found[0].length);
  return Buffer.from(changed, 'latin1');
}

/** Most bytes that a change of tags may make of a part. */
const MAX_TAGGED = 2 << 20;

/** Changes XML at its tags: elements are repeated, moved, left out, put into one another or into other elements. */
export function mutateTags(bytes: Uint8Array, words: readonly string[], chance: Chance): Buffer {
  let xml = Buffer.from(bytes).toString('latin1');
  for (let times = 1 + chance.below(4); times > 0; times--) {
    const changed = changeTags(xml, words, chance);
    if (changed.length <= MAX_TAGGED) xml = changed;
  }
  return Buffer.from(xml, 'latin1');
}

function changeTags(xml: string, words: readonly string[], chance: Chance): string {
  const tags = [...xml.matchAll(/<[^<>]*>/g)];
  if (tags.length < 3) return xml;
  const first = chance.below(tags.length);
  const last = Math.min(tags.length - 1, first + chance.below(chance.oneIn(3) ? tags.length : 8));
  const [start, end] = [tags[first]!.index, tags[last]!.index + tags[last]![0].length];
  const [before, middle, after] = [xml.slice(0, start), xml.slice(start, end), xml.slice(end)];
  const times = chance.oneIn(5) ? 3000 : 1 + chance.below(4);
  switch (chance.below(7)) {
    case 0:
      return before + middle.repeat(Math.min(times, Math.ceil(MAX_TAGGED / middle.length))) + after;
    case 1:
      return before + after;
    case 2: {
      const other = chance.pick(tags).index;
      return xml.slice(0, other) + middle + xml.slice(other);
    }
    case 3: {
      const [open] = tags[first]!;
      const [, name = 'x'] = /^<([\w:]+)/.exec(open) ?? [];
      return `${before}${`<${name}>`.repeat(times)}${middle}${`</${name}>`.repeat(times)}${after}`;
    }
    case 4:
      return before + chance.pick(words).repeat(times) + middle + after;
    case 5: {
      // The value of an attribute in the place of another.
      const values = [...middle.matchAll(/"[^"]*"/g)].map(([value]) => value);
      if (values.length === 0) return xml;
      return (
        before +
        middle.replace(/"[^"]*"/, () => chance.pick([...values, ...NUMBERS.map((one) => `"${one}"`), '""'])) +
        after
      );
    }
    default:
      return before + middle.replace(/\d+/, () => chance.pick(NUMBERS)) + after;
  }
}
