// Tokens of RTF → calls of the tree builder. A stack of group states; text waits in bytes until a token changes how it
// is read.
import { lenient } from '../../encoding/decoder.ts';
import { ExtractError } from '../../errors.ts';
import { TreeBuilder } from '../../tree/builder.ts';
import type { LinkTargets } from '../../tree/links.ts';
import type { TreeNode } from '../../tree/node.ts';
import type { TargetCount } from '../../tree/links.ts';
import { RunMarks } from '../../tree/run-marks.ts';
import { isRaised } from '../docx/styles.ts';
import { textInFont } from '../docx/symbols.ts';
import { ByteRun } from './byte-run.ts';
import {
  CHARACTERS,
  CODE_PAGES,
  DEFAULT_SIZE,
  encodingOfPage,
  initialState,
  MARKS,
  NEW_PARAGRAPH,
  WITHOUT_TEXT,
  withMark,
  type GroupState,
} from './state.ts';
import { RtfFonts } from './fonts.ts';
import { RtfStory } from './story.ts';
import { RtfStyles } from './styles.ts';
import type { RtfSink } from './tokens.ts';

/** Groups inside groups; Word writes some twenty. */
const MAX_GROUPS = 10_000;
/** Characters of names and instructions that are kept. */
const MAX_NAME = 4000;

/** Reads a whole file. */
export class RtfWalk implements RtfSink {
  /** Text of `\title`; '' when there is none. */
  title = '';
  /** Pages as the program counted them; 0 when it did not. */
  pages = 0;
  /** Author's page breaks. */
  pageBreaks = 0;
  /** The page of HTML that the file wraps ([MS-OXRTFEX]); undefined for all files but mail. */
  html: string | undefined;

  readonly #root: RtfStory;
  #story: RtfStory;
  readonly #count: TargetCount = { targets: 0 };
  readonly #targets: LinkTargets;
  #state = initialState();
  readonly #groups: GroupState[] = [];
  readonly #fonts = new RtfFonts();
  readonly #styles = new RtfStyles();
  #page = 1252;
  #defaultFont = 0;
  /** True behind `\*`. */
  #isOptional = false;
  /** Characters to skip behind a `\u`. */
  #skip = 0;
  readonly #bytes = new ByteRun();
  #text = '';
  #instruction = '';
  #notes = 0;

  readonly #knowsFixed: boolean;

  /** @param knowsFixed false reads text in fonts of a fixed pitch as in others */
  constructor(targets: LinkTargets, knowsFixed = true) {
    this.#targets = targets;
    this.#knowsFixed = knowsFixed;
    this.#root = this.#newStory();
    this.#story = this.#root;
  }

  /** True when a font of a fixed pitch is that of the text, and so shows no code. */
  get isMostlyFixed(): boolean {
    return this.#fonts.isMostlyFixed;
  }

  /** The tree; the walk must not be used afterwards. */
  finish(): TreeNode[] {
    this.#flush();
    while (this.#groups.length > 0) this.close();
    return this.#root.finish(this.#state);
  }

  open(): void {
    this.#flush();
    this.#skip = 0;
    if (this.#groups.length >= MAX_GROUPS)
      throw new ExtractError('too_complex', { detail: `more than ${MAX_GROUPS} groups inside each other` });
    this.#groups.push(this.#state);
    this.#state = { ...this.#state, atEnd: undefined };
  }

  close(): void {
    this.#flush();
    this.#skip = 0;
    this.#isOptional = false;
    this.#state.atEnd?.();
    this.#state = this.#groups.pop() ?? this.#state;
  }

  byte(code: number): void {
    if (this.#skip > 0) this.#skip--;
    else if (this.#state.destination !== 'none') this.#bytes.push(code);
  }

  symbol(character: string): void {
    if (character === '*') {
      this.#isOptional = true;
      return;
    }
    if (this.#skip > 0) {
      this.#skip--;
      return;
    }
    this.#decode();
    if (character === '~') this.#text += '\u00a0';
    else if (character === '_') this.#text += '\u2011';
    else if ('\\{}'.includes(character)) this.#text += character;
    else if (character === '\n' || character === '\r') this.word('par', undefined);
  }

  word(name: string, value: number | undefined): void {
    if (name === 'u') {
      this.#decode();
      this.#text += String.fromCharCode((value ?? 0) & 0xffff);
      this.#skip = this.#state.skipped;
      return;
    }
    if (this.#skip > 0) {
      this.#skip--;
      return;
    }
    this.#flush();
    const isOptional = this.#isOptional;
    this.#isOptional = false;
    if (this.#begins(name, value)) return;
    const isStyle = name === 'cs' && this.#state.destination === 'styles';
    if ((isOptional && !isStyle) || WITHOUT_TEXT.has(name)) this.#state.destination = 'none';
    else if (this.#state.destination === 'fonts')
      this.#state.font = this.#fonts.word(name, value, this.#state.font);
    else if (this.#state.destination === 'styles') this.#styles.word(name, value);
    else if (this.#formats(name, value)) return;
    else this.#writes(name);
  }

  /** Control words that begin a destination. Returns false for others. */
  #begins(name: string, value: number | undefined): boolean {
    const state = this.#state;
    switch (name) {
      case 'fonttbl':
        state.destination = 'fonts';
        return true;
      case 'stylesheet':
        state.destination = 'styles';
        return true;
      case 'info':
        state.destination = 'none';
        return true;
      case 'title':
        state.destination = 'title';
        return true;
      case 'fldinst':
        state.destination = 'instruction';
        this.#instruction = '';
        state.atEnd = () => this.#endInstruction();
        return true;
      case 'listtext':
      case 'pntext':
        state.destination = 'label';
        this.#story.label = '';
        return true;
      case 'htmltag':
        state.destination = 'html';
        return true;
      case 'shptxt':
        if (state.destination === 'none') this.#beginAside();
        return true;
      case 'footnote':
        if (state.destination === 'text') this.#beginNote();
        return true;
      case 'nesttableprops':
        state.destination = 'text';
        return true;
      case 'shpinst':
      case 'pn':
      case 'nonesttables':
        state.destination = 'none';
        return true;
      case 'fromhtml':
        if (value !== 0) this.html = '';
        return true;
      default:
        return false;
    }
  }

  #beginAside(): void {
    const { builder } = this.#story;
    this.#state.destination = 'text';
    builder.openAside();
    const around = this.#story;
    this.#story = this.#newStory(builder);
    this.#state.atEnd = () => {
      this.#story.endAll(this.#state);
      this.#story = around;
      builder.closeAside();
    };
  }

  #beginNote(): void {
    const around = this.#story;
    const label = String(++this.#notes);
    around.writeReference(label, this.#state);
    this.#story = this.#newStory();
    this.#state.atEnd = () => {
      this.#root.builder.footnote(label, this.#story.finish(this.#state));
      this.#story = around;
    };
  }

  #newStory(builder = new TreeBuilder(this.#targets)): RtfStory {
    return new RtfStory(builder, {
      targets: this.#targets,
      marks: (of) => new RunMarks(of, this.#count),
      headingOf: ({ outline, style }) => (outline >= 0 ? outline + 1 : this.#styles.headingOf(style)),
      roleOf: ({ style }) => this.#styles.roleOf(style),
      isFixed: ({ font }) => this.#knowsFixed && this.#fonts.isFixed(font),
    });
  }

  /** Control words that change the state. Returns false for others. */
  #formats(name: string, value: number | undefined): boolean {
    const state = this.#state;
    const isOn = value !== 0;
    const mark = MARKS[name];
    if (mark !== undefined) {
      state.marks = withMark(state.marks, mark, isOn);
      return true;
    }
    switch (name) {
      case 'pard':
        Object.assign(state, NEW_PARAGRAPH);
        return true;
      case 'plain':
        Object.assign(state, {
          marks: new Set(),
          isHidden: false,
          font: this.#defaultFont,
          size: DEFAULT_SIZE,
        });
        return true;
      case 'v':
      case 'deleted':
        state.isHidden = isOn;
        return true;
      case 'f':
        state.font = value ?? 0;
        return true;
      case 'fs':
        state.size = value ?? DEFAULT_SIZE;
        return true;
      case 'up':
        state.marks = withMark(state.marks, 'raised', isRaised(value ?? 6, state.size));
        return true;
      case 's':
        state.style = value ?? 0;
        return true;
      case 'outlinelevel':
        state.outline = (value ?? 9) < 9 ? (value ?? -1) : -1;
        return true;
      case 'ilvl':
        state.listLevel = Math.max(0, value ?? 0);
        return true;
      case 'li':
        state.indent = value ?? 0;
        return true;
      case 'fi':
        state.firstIndent = value ?? 0;
        return true;
      case 'cs':
        state.marks = withMark(state.marks, 'code', this.#styles.isCode(value ?? 0));
        return true;
      case 'sub':
      case 'nosupersub':
        state.marks = withMark(state.marks, 'raised', false);
        return true;
      case 'intbl':
        state.isInTable = true;
        return true;
      case 'itap':
        state.tableDepth = value ?? 0;
        return true;
      case 'uc':
        state.skipped = Math.min(16, Math.max(0, value ?? 1));
        return true;
      case 'htmlrtf':
        state.isForRtf = isOn;
        return true;
      default:
        return this.#declares(name, value) || this.#story.tableWord(name, value);
    }
  }

  /** Control words about the file as a whole. Returns false for others. */
  #declares(name: string, value: number | undefined): boolean {
    switch (name) {
      case 'ansicpg':
        this.#page = value ?? 1252;
        return true;
      case 'mac':
      case 'pc':
      case 'pca':
        this.#page = CODE_PAGES[name];
        return true;
      case 'deff':
        this.#defaultFont = value ?? 0;
        this.#state.font = this.#defaultFont;
        return true;
      case 'nofpages':
        this.pages = value ?? 0;
        return true;
      default:
        return false;
    }
  }

  /** Control words that are text, or end a part of it. */
  #writes(name: string): void {
    const character = CHARACTERS[name];
    const isText = this.#state.destination === 'text';
    if (character !== undefined) this.#emit(character);
    else if (name === 'par' || name === 'sect') {
      if (this.#state.destination === 'html' || this.html !== undefined) this.#emit('\n');
      else if (isText) this.#story.endParagraph(this.#state);
    } else if (name === 'line') {
      if (isText && this.html === undefined) this.#story.breakLine(this.#state);
      else this.#emit('\n');
    } else if (name === 'page') this.pageBreaks++;
    else if (isText) this.#story.endPart(name, this.#state);
  }

  #endInstruction(): void {
    const [, isLocal, target = ''] = /^\s*HYPERLINK\s+(\\l\s+)?"?([^"\s\\]+)/i.exec(this.#instruction) ?? [];
    const field = this.#groups.at(-1);
    if (field !== undefined && isLocal === undefined) field.link = target;
  }

  /** Turns the waiting bytes into text. */
  #decode(): void {
    if (this.#bytes.isEmpty) return;
    const page = this.#fonts.pageOf(this.#state.font) ?? this.#page;
    const bytes = this.#bytes.take();
    const reading = lenient(bytes, encodingOfPage(page)) ?? lenient(bytes, 'windows-1252');
    this.#text += reading?.text ?? '';
  }

  #flush(): void {
    this.#decode();
    if (this.#text === '') return;
    const text = this.#text.replace(/[\0\uFEFF]/g, '').toWellFormed();
    this.#text = '';
    this.#emit(text);
  }

  #emit(text: string): void {
    const { destination, isHidden, isForRtf, font } = this.#state;
    switch (destination) {
      case 'text':
        if (this.html !== undefined) {
          if (!isForRtf) this.html += text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
        } else if (!isHidden) {
          this.#fonts.count(font, text.length);
          this.#story.write(textInFont(text, this.#fonts.nameOf(font)), this.#state);
        }
        break;
      case 'html':
        this.html = (this.html ?? '') + text;
        break;
      case 'fonts':
        this.#fonts.addName(font, text);
        break;
      case 'styles':
        this.#styles.name(text);
        break;
      case 'title':
        this.title = `${this.title}${text}`.slice(0, MAX_NAME);
        break;
      case 'instruction':
        this.#instruction = `${this.#instruction}${text}`.slice(0, MAX_NAME);
        break;
      case 'label':
        this.#story.label = `${this.#story.label ?? ''}${text}`.slice(0, MAX_NAME);
        break;
      case 'none':
    }
  }
}
