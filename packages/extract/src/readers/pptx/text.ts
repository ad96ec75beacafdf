// The text of a shape or cell of DrawingML → paragraphs, items and headings: runs with their marks, bullets and numbers
// by the levels of the shape, its layout and its master (ECMA-376 part 1, section 21.1.2).
import { numeral } from '../../numerals.ts';
import { attributeOf, attributesOf } from '../../package/xml.ts';
import type { TreeBuilder } from '../../tree/builder.ts';
import { Flow } from '../../tree/flow.ts';
import type { MarkKind } from '../../tree/inline.ts';
import type { TargetCount } from '../../tree/links.ts';
import { NO_MARKS, RunMarks } from '../../tree/run-marks.ts';

/** What stands before a paragraph: a bullet, a number of a kind, or nothing. */
export interface Bullet {
  readonly kind: 'none' | 'bullet' | 'number';
  /** The kind of number, such as `arabicPeriod`. */
  readonly scheme: string;
  readonly start: number;
}

/** Bullets by level, from 0; a level that says nothing is `undefined`. */
export type Bullets = readonly (Bullet | undefined)[];

const NONE: Bullet = { kind: 'none', scheme: '', start: 1 };

/** PowerPoint has nine levels. */
const LEVELS = 9;

/** The bullet that an element of paragraph properties sets; `undefined` for other elements. */
export function bulletOf(name: string, written: string): Bullet | undefined {
  switch (name) {
    case 'a:buNone':
      return NONE;
    case 'a:buChar':
    case 'a:buBlip':
      return { ...NONE, kind: 'bullet' };
    case 'a:buAutoNum': {
      const attributes = attributesOf(written);
      const start = Number.parseInt(attributes.get('startAt') ?? '', 10);
      return { kind: 'number', scheme: attributes.get('type') ?? '', start: start >= 1 ? start : 1 };
    }
    default:
      return undefined;
  }
}

/** The level of a paragraph or of a level's properties, `<a:lvl3pPr>`; -1 for other elements. */
export function levelNamed(name: string): number {
  const level = /^a:lvl([1-9])pPr$/.exec(name)?.[1];
  return level === undefined ? -1 : Number(level) - 1;
}

/** A paragraph under construction. */
interface Paragraph {
  level: number;
  bullet: Bullet | undefined;
  isBegun: boolean;
}

/** Collects the text of one body into a builder. */
export class BodyText {
  readonly #builder: TreeBuilder;
  readonly #flow: Flow;
  readonly #marks: RunMarks;
  /** The layers of bullets, the nearest first. */
  readonly #bullets: readonly Bullets[];
  readonly #isHeading: boolean;
  #paragraph: Paragraph | undefined;
  #run: ReadonlySet<MarkKind> = NO_MARKS;
  #address = '';
  /** Numbers of the levels, until another paragraph of the level or above comes. */
  readonly #numbers: ({ readonly scheme: string; number: number } | undefined)[] = [];

  constructor(
    builder: TreeBuilder,
    { bullets, isHeading, counts }: { bullets: readonly Bullets[]; isHeading: boolean; counts: TargetCount },
  ) {
    this.#builder = builder;
    this.#flow = new Flow(builder);
    this.#marks = new RunMarks(builder, counts);
    this.#bullets = bullets;
    this.#isHeading = isHeading;
  }

  openParagraph(): void {
    this.#paragraph = { level: 0, bullet: undefined, isBegun: false };
  }

  /** `<a:pPr>`. */
  properties(written: string): void {
    const level = Number.parseInt(attributeOf(written, 'lvl'), 10);
    if (this.#paragraph !== undefined && level >= 0) this.#paragraph.level = Math.min(LEVELS - 1, level);
  }

  /** A child of `<a:pPr>` that sets the bullet. */
  bullet(bullet: Bullet): void {
    if (this.#paragraph !== undefined) this.#paragraph.bullet = bullet;
  }

  closeParagraph(): void {
    this.#marks.end();
    if (this.#paragraph?.isBegun === true) this.#builder.boundary();
    this.#paragraph = undefined;
  }

  /** Properties of the next run, and the address of its link. */
  openRun(): void {
    this.#run = NO_MARKS;
    this.#address = '';
  }

  /** `<a:rPr>`. */
  runProperties(written: string): void {
    const attributes = attributesOf(written);
    const marks = new Set<MarkKind>();
    if (isTrue(attributes.get('b'))) marks.add('strong');
    if (isTrue(attributes.get('i'))) marks.add('emphasis');
    if (/^(?:sng|dbl)Strike$/.test(attributes.get('strike') ?? '')) marks.add('strike');
    if (Number.parseInt(attributes.get('baseline') ?? '', 10) > 0) marks.add('raised');
    this.#run = marks;
  }

  link(address: string): void {
    this.#address = address;
  }

  write(text: string): void {
    if (text === '') return;
    if (text.trim() === '') {
      if (this.#paragraph?.isBegun === true) this.#builder.text(text);
      return;
    }
    this.#begin();
    this.#marks.set(this.#run, this.#address);
    this.#builder.text(text);
  }

  lineBreak(): void {
    if (this.#paragraph?.isBegun !== true) return;
    this.#marks.endLink();
    this.#builder.lineBreak();
  }

  /** Ends the body. */
  end(): void {
    this.#flow.end();
  }

  /** Enters the builder with the first text: a paragraph without text has no bullet. */
  #begin(): void {
    const paragraph = this.#paragraph;
    if (paragraph === undefined || paragraph.isBegun) return;
    paragraph.isBegun = true;
    if (this.#isHeading) return;
    const { level } = paragraph;
    const bullet =
      paragraph.bullet ?? this.#bullets.find((layer) => layer[level] !== undefined)?.[level] ?? NONE;
    this.#numbers.length = Math.min(this.#numbers.length, level + 1);
    if (bullet.kind === 'none') {
      this.#numbers[level] = undefined;
      this.#flow.end();
      this.#builder.boundary();
      return;
    }
    const number = bullet.kind === 'number' ? this.#countOn(level, bullet) : 0;
    const label = bullet.kind === 'number' ? numberLabel(bullet.scheme, number) : '';
    this.#flow.openItem({ level, number, label, isMarked: true });
  }

  #countOn(level: number, { scheme, start }: Bullet): number {
    const last = this.#numbers[level];
    const key = `${scheme} ${start}`;
    const number = last?.scheme === key ? last.number + 1 : start;
    this.#numbers[level] = { scheme: key, number };
    return number;
  }
}

const isTrue = (value = ''): boolean => value === '1' || value === 'true';

/** Formats of numbers by the beginnings of their names (ECMA-376 part 1, section 20.1.10.61). */
const FORMATS: readonly (readonly [start: RegExp, format: string])[] = [
  [/^alphaLc/, 'lowerLetter'],
  [/^alphaUc/, 'upperLetter'],
  [/^romanLc/, 'lowerRoman'],
  [/^romanUc/, 'upperRoman'],
  [/^circleNum/, 'decimalEnclosedCircle'],
  [/^ea1Ch[ST]/, 'chineseCounting'],
  [/^ea1Jpn/, 'japaneseCounting'],
  [/^thaiAlpha/, 'thaiLetters'],
  [/^hebrew/, 'hebrew2'],
];

/** The label of a number, with the blank behind: `3. `, `(b) `. */
function numberLabel(scheme: string, number: number): string {
  const format = FORMATS.find(([start]) => start.test(scheme))?.[1] ?? 'decimal';
  const figure = numeral(format, number);
  if (scheme.endsWith('ParenBoth')) return `(${figure}) `;
  if (scheme.endsWith('ParenR')) return `${figure}) `;
  return scheme.endsWith('Period') ? `${figure}. ` : `${figure} `;
}
