// Tags of a slide → its shapes: text, tables, pictures by their descriptions, charts and diagrams of other parts. Each
// shape has a tree of its own, because their order follows from their positions.
import type { FurnitureKind } from '@grainline/core';
import { ElementWalk } from '../../package/element-walk.ts';
import { Equation } from '../../package/equations.ts';
import type { Relationship } from '../../package/office.ts';
import { attributesOf } from '../../package/xml.ts';
import { HEADING_DEPTH, type SlideShape, type ShapeRole } from '../../slides/deck.ts';
import { TreeBuilder } from '../../tree/builder.ts';
import type { LinkTargets } from '../../tree/links.ts';
import type { TargetCount } from '../../tree/links.ts';
import { type SlideLayout, type Placeholder, placeholderOf, Position } from './layout.ts';
import { BodyText, type Bullets, type Bullet, bulletOf, levelNamed } from './text.ts';

/** The facts that the walk of a slide needs. */
export interface SlideSource {
  readonly layout: SlideLayout;
  readonly relationships: ReadonlyMap<string, Relationship>;
  readonly targets: LinkTargets;
  readonly counts: TargetCount;
  /** Adds the content of another part: a chart, a diagram. */
  readonly embedded: (kind: 'chart' | 'diagram', part: string, builder: TreeBuilder) => void;
}

/** A shape under construction. */
interface OpenShape {
  readonly builder: TreeBuilder;
  readonly position: Position;
  /** Bullets of its own list style. */
  readonly bullets: (Bullet | undefined)[];
  placeholder: Placeholder | undefined;
  /** Description of a picture. */
  description: string;
  isHidden: boolean;
}

/** Roles by the types of placeholders; all others are the content of a slide. */
const ROLES: ReadonlyMap<string, ShapeRole> = new Map<string, ShapeRole>([
  ['title', 'title'],
  ['ctrTitle', 'title'],
  ['subTitle', 'subtitle'],
  ['sldNum', 'page-number' satisfies FurnitureKind],
  ['dt', 'footer'],
  ['ftr', 'footer'],
  ['hdr', 'header'],
]);

/** Layouts of the slides that name the presentation or a section of it. */
const DIVIDERS: ReadonlySet<string> = new Set(['title', 'secHead']);

/** PowerPoint once described a picture by the name of its file. */
const FILE_NAME = /^\S+\.(?:png|jpe?g|gif|bmp|emf|wmf|tiff?|svg|ico)$|[\\/][^\\/]+\.\w{3,4}$/i;

/** Reads a slide, or the page of its notes. */
export class SlideWalk extends ElementWalk {
  readonly #source: SlideSource;
  /** The shapes of the open groups, the slide's own first. */
  readonly #groups: SlideShape[][] = [[]];
  readonly #groupPositions: Position[] = [];
  #shape: OpenShape | undefined;
  #body: BodyText | undefined;
  /** The place in a body: properties of a paragraph or run, text, or a list style with its level. */
  #place: 'none' | 'paragraph' | 'run' | 'text' | 'levels' = 'none';
  #level = -1;
  /** True until the first row of a table whose style sets that row off. */
  #isHeadDue = false;

  constructor(source: SlideSource) {
    super();
    this.#source = source;
  }

  /** The shapes of the slide in the order of the file. */
  get shapes(): readonly SlideShape[] {
    return this.#groups[0] ?? [];
  }

  protected enter(name: string, written: string): void {
    if (name.startsWith('p:')) this.#enterShape(name, written);
    else if (name.startsWith('a:')) this.#enterDrawing(name, written);
    else this.#enterForeign(name, written);
  }

  protected characters(text: string): void {
    if (this.#place === 'text') this.#body?.write(text);
  }

  #enterShape(name: string, written: string): void {
    switch (name) {
      case 'p:grpSp':
        this.#openGroup();
        break;
      case 'p:sp':
      case 'p:pic':
      case 'p:graphicFrame':
        if (this.#shape === undefined) this.#openShape(name === 'p:pic');
        else this.skip();
        break;
      case 'p:cNvPr':
        this.#name(attributesOf(written));
        break;
      case 'p:ph':
        if (this.#shape !== undefined) this.#shape.placeholder ??= placeholderOf(written);
        break;
      case 'p:txBody':
        this.#openBody();
        break;
      default:
    }
  }

  #openGroup(): void {
    const position = new Position();
    this.#groups.push([]);
    this.#groupPositions.push(position);
    this.atEnd(() => {
      const group = this.#groups.pop() ?? [];
      this.#groupPositions.pop();
      if (group.length > 0) this.#groups.at(-1)?.push({ role: 'other', box: position.box, nodes: [], group });
    });
  }

  #openShape(isPicture: boolean): void {
    const { targets } = this.#source;
    const shape: OpenShape = {
      builder: new TreeBuilder(targets),
      position: new Position(),
      bullets: [],
      placeholder: undefined,
      description: '',
      isHidden: false,
    };
    this.#shape = shape;
    this.atEnd(() => {
      if (isPicture && !FILE_NAME.test(shape.description)) shape.builder.image(shape.description, '');
      this.#shape = undefined;
      this.#add(shape);
    });
  }

  #add({ builder, position, placeholder, isHidden }: OpenShape): void {
    const nodes = builder.finish();
    if (isHidden || nodes.length === 0) return;
    const role = placeholder === undefined ? 'other' : (ROLES.get(placeholder.type) ?? 'body');
    const box = position.box ?? this.#source.layout.inherited(placeholder).box;
    this.#groups.at(-1)?.push({ role, box, nodes });
  }

  #name(attributes: ReadonlyMap<string, string>): void {
    const shape = this.#shape;
    if (shape === undefined) return;
    shape.description = attributes.get('descr') ?? '';
    shape.isHidden = /^(?:1|true)$/.test(attributes.get('hidden') ?? '');
  }

  /** The text of a shape, or of a cell. */
  #openBody(): void {
    const shape = this.#shape;
    if (shape === undefined) return;
    const { builder, placeholder } = shape;
    const isTitle = placeholder !== undefined && ROLES.get(placeholder.type) === 'title';
    const isDivider = placeholder?.type === 'ctrTitle' || DIVIDERS.has(this.#source.layout.type);
    if (isTitle) builder.openHeading(isDivider ? HEADING_DEPTH.divider : HEADING_DEPTH.slide);
    const inherited = this.#source.layout.inherited(placeholder).bullets;
    this.#begin([shape.bullets, ...inherited], isTitle);
    this.atEnd(() => {
      this.#endBody();
      if (isTitle) builder.closeHeading();
    });
  }

  #begin(bullets: readonly Bullets[], isHeading: boolean): void {
    const builder = this.#shape?.builder;
    if (builder === undefined) return;
    this.#body = new BodyText(builder, { bullets, isHeading, counts: this.#source.counts });
  }

  #endBody(): void {
    this.#body?.end();
    this.#body = undefined;
  }

  #enterDrawing(name: string, written: string): void {
    const level = levelNamed(name);
    const bullet = bulletOf(name, written);
    if (level >= 0 && this.#place === 'levels') {
      this.#level = level;
      this.atEnd(() => (this.#level = -1));
    } else if (bullet !== undefined) this.#setBullet(bullet);
    else if (this.#body !== undefined) this.#enterBody(this.#body, name, written);
    else if (name.startsWith('a:t')) this.#enterTable(name, written);
    else (this.#shape?.position ?? this.#groupPositions.at(-1))?.read(name, written);
  }

  #setBullet(bullet: Bullet): void {
    if (this.#place === 'paragraph') this.#body?.bullet(bullet);
    else if (this.#level >= 0 && this.#shape !== undefined) this.#shape.bullets[this.#level] = bullet;
  }

  #enterBody(body: BodyText, name: string, written: string): void {
    switch (name) {
      case 'a:lstStyle':
        this.#enterPlace('levels');
        break;
      case 'a:p':
        body.openParagraph();
        this.atEnd(() => body.closeParagraph());
        break;
      case 'a:pPr':
        body.properties(written);
        this.#enterPlace('paragraph');
        break;
      case 'a:r':
      case 'a:fld':
        body.openRun();
        break;
      case 'a:rPr':
        body.runProperties(written);
        this.#enterPlace('run');
        break;
      case 'a:hlinkClick':
        if (this.#place === 'run') body.link(this.#addressOf(attributesOf(written).get('id') ?? ''));
        break;
      case 'a:t':
        this.#enterPlace('text');
        break;
      case 'a:br':
        body.lineBreak();
        break;
      default:
    }
  }

  #enterPlace(place: 'paragraph' | 'run' | 'text' | 'levels'): void {
    const outside = this.#place;
    this.#place = place;
    this.atEnd(() => (this.#place = outside));
  }

  /** The address of a link; '' for one inside the presentation. */
  #addressOf(id: string): string {
    const relationship = this.#source.relationships.get(id);
    return relationship?.isExternal === true ? relationship.target : '';
  }

  /** A table outside a body. */
  #enterTable(name: string, written: string): void {
    const builder = this.#shape?.builder;
    if (builder === undefined) return;
    const close = (): void => builder.close();
    switch (name) {
      case 'a:tbl':
        builder.openTable();
        this.#isHeadDue = false;
        this.atEnd(close);
        break;
      case 'a:tblPr':
        this.#isHeadDue = /^(?:1|true)$/.test(attributesOf(written).get('firstRow') ?? '');
        break;
      case 'a:tr':
        builder.openRow({ header: this.#isHeadDue });
        this.#isHeadDue = false;
        this.atEnd(close);
        break;
      case 'a:tc':
        this.#openCell(builder, attributesOf(written));
        break;
      case 'a:txBody':
        this.#begin([], false);
        this.atEnd(() => this.#endBody());
        break;
      default:
    }
  }

  /** A cell that another one covers has no content. */
  #openCell(builder: TreeBuilder, attributes: ReadonlyMap<string, string>): void {
    const isOn = (attribute: string): boolean => /^(?:1|true)$/.test(attributes.get(attribute) ?? '');
    if (isOn('hMerge') || isOn('vMerge')) {
      this.skip();
      return;
    }
    builder.openCell({
      colspan: Number.parseInt(attributes.get('gridSpan') ?? '', 10) || 1,
      rowspan: Number.parseInt(attributes.get('rowSpan') ?? '', 10) || 1,
    });
    this.atEnd(() => builder.close());
  }

  /** Equations, charts and diagrams. */
  #enterForeign(name: string, written: string): void {
    if (name === 'm:oMath') this.#openEquation();
    else if (name === 'c:chart') this.#embed('chart', attributesOf(written).get('id'));
    else if (name === 'dgm:relIds') this.#embed('diagram', attributesOf(written).get('dm'));
  }

  #openEquation(): void {
    const equation = new Equation();
    this.divert(equation);
    this.atEnd(() => {
      const latex = equation.latex();
      this.#body?.openRun();
      if (latex !== '') this.#body?.write(`$${latex}$`);
    });
  }

  #embed(kind: 'chart' | 'diagram', id = ''): void {
    const relationship = this.#source.relationships.get(id);
    if (this.#shape === undefined || relationship === undefined || relationship.isExternal) return;
    this.#source.embedded(kind, relationship.target, this.#shape.builder);
  }
}
