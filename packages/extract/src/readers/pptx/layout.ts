// The layouts and masters of a presentation: what a placeholder of a slide inherits from them, which is its position
// and its bullets. Their own text is not read.
import { ElementWalk } from '../../package/element-walk.ts';
import type { OfficePackage } from '../../package/office.ts';
import { attributeOf, attributesOf } from '../../package/xml.ts';
import type { SlideBox } from '../../slides/order.ts';
import { type Bullets, type Bullet, bulletOf, levelNamed } from './text.ts';

/** The key of a placeholder: its type, `body` when it says none, and its index. */
export interface Placeholder {
  readonly type: string;
  readonly idx: string;
}

/** The properties of a placeholder in a layout or master. */
interface Template extends Placeholder {
  box: SlideBox | undefined;
  readonly bullets: (Bullet | undefined)[];
}

/** What a placeholder of a slide inherits. */
export interface Inherited {
  readonly box: SlideBox | undefined;
  /** The nearest first. */
  readonly bullets: readonly Bullets[];
}

/** A layout with its master. */
export interface SlideLayout {
  /** Its type, such as `title` and `secHead`; '' when it says none. */
  readonly type: string;
  readonly inherited: (placeholder: Placeholder | undefined) => Inherited;
}

interface Sheet {
  readonly type: string;
  readonly templates: readonly Template[];
  /** Bullets of a master by the kind of text: `title`, `body`, `other`. */
  readonly styles: ReadonlyMap<string, Bullets>;
}

const NO_SHEET: Sheet = { type: '', templates: [], styles: new Map() };

/** Reads `<p:ph>`. */
export function placeholderOf(written: string): Placeholder {
  const attributes = attributesOf(written);
  return { type: attributes.get('type') ?? 'body', idx: attributes.get('idx') ?? '' };
}

/** Layouts by the parts that refer to them, each read once. */
export class Layouts {
  readonly #parts: OfficePackage;
  readonly #sheets = new Map<string, Sheet>();
  readonly #known = new Map<string, SlideLayout>();

  constructor(parts: OfficePackage) {
    this.#parts = parts;
  }

  /** The layout of a slide. */
  of(slide: string): SlideLayout {
    const name = this.#related(slide, 'slideLayout') ?? '';
    let layout = this.#known.get(name);
    if (layout === undefined) {
      layout = layoutOf(this.#sheet(name), this.#sheet(this.#related(name, 'slideMaster') ?? ''));
      this.#known.set(name, layout);
    }
    return layout;
  }

  #related(part: string, type: string): string | undefined {
    const all = part === '' ? [] : [...this.#parts.relationshipsOf(part).values()];
    return all.find((relationship) => relationship.type === type && !relationship.isExternal)?.target;
  }

  /** A sheet that is missing says nothing; text does not depend on it. */
  #sheet(name: string): Sheet {
    let sheet = this.#sheets.get(name);
    if (sheet === undefined) {
      const walk = new SheetWalk();
      sheet = this.#parts.visit(name, walk) ? walk.sheet() : NO_SHEET;
      this.#sheets.set(name, sheet);
    }
    return sheet;
  }
}

function layoutOf(layout: Sheet, master: Sheet): SlideLayout {
  return {
    type: layout.type,
    inherited: (placeholder) => {
      if (placeholder === undefined) return { box: undefined, bullets: [] };
      const near = templateIn(layout, placeholder, true);
      const far = templateIn(master, near ?? placeholder, false);
      const style = master.styles.get(styleOf(placeholder.type));
      const bullets = [near?.bullets, far?.bullets, style].filter((layer) => layer !== undefined);
      return { box: near?.box ?? far?.box, bullets };
    },
  };
}

/** A layout names placeholders by index, a master by type. */
function templateIn(
  { templates }: Sheet,
  { type, idx }: Placeholder,
  byIndex: boolean,
): Template | undefined {
  const indexed = byIndex && idx !== '' ? templates.find((template) => template.idx === idx) : undefined;
  return indexed ?? templates.find((template) => baseType(template.type) === baseType(type));
}

const baseType = (type: string): string =>
  type === 'ctrTitle'
    ? 'title'
    : /^(?:subTitle|obj|chart|tbl|dgm|media|clipArt|pic)$/.test(type)
      ? 'body'
      : type;

function styleOf(type: string): string {
  const base = baseType(type);
  return base === 'title' || base === 'body' ? base : 'other';
}

const STYLES: ReadonlyMap<string, string> = new Map([
  ['p:titleStyle', 'title'],
  ['p:bodyStyle', 'body'],
  ['p:otherStyle', 'other'],
]);

/** Most placeholders of a sheet; layouts have some ten, and each shape of a slide looks for its own. */
const MAX_TEMPLATES = 100;

/** Collects a layout or a master. */
class SheetWalk extends ElementWalk {
  #type = '';
  readonly #templates: Template[] = [];
  readonly #styles = new Map<string, Bullets>();
  #template: Template | undefined;
  /** The target of levels. */
  #bullets: (Bullet | undefined)[] | undefined;
  #level = -1;
  readonly #position = new Position();

  sheet(): Sheet {
    return { type: this.#type, templates: this.#templates, styles: this.#styles };
  }

  protected enter(name: string, written: string): void {
    const style = STYLES.get(name);
    const level = levelNamed(name);
    if (name === 'p:sldLayout') this.#type = attributeOf(written, 'type');
    else if (name === 'p:sp' || name === 'p:pic' || name === 'p:graphicFrame') {
      this.#position.begin();
      this.atEnd(() => this.#endShape());
    } else if (name === 'p:ph') this.#template = { ...placeholderOf(written), box: undefined, bullets: [] };
    else if (name === 'a:lstStyle') this.#bullets = this.#template?.bullets;
    else if (style !== undefined) this.#styles.set(style, (this.#bullets = []));
    else if (level >= 0) {
      this.#level = level;
      this.atEnd(() => (this.#level = -1));
    } else if (name === 'a:p') this.skip();
    else if (this.#level >= 0) {
      const bullet = bulletOf(name, written);
      if (bullet !== undefined && this.#bullets !== undefined) this.#bullets[this.#level] = bullet;
    } else this.#position.read(name, written);
  }

  protected characters(): void {
    // Text of layouts and masters is a prompt or a decoration.
  }

  #endShape(): void {
    if (this.#template !== undefined && this.#templates.length < MAX_TEMPLATES) {
      this.#template.box = this.#position.box;
      this.#templates.push(this.#template);
    }
    this.#template = undefined;
  }
}

/** Reads the position of a shape, `<a:off x y/>` and `<a:ext cx cy/>`, in EMU. */
export class Position {
  #corner: readonly [number, number] | undefined;
  #size: readonly [number, number] | undefined;

  begin(): void {
    this.#corner = undefined;
    this.#size = undefined;
  }

  read(name: string, written: string): void {
    if (name === 'a:off') this.#corner ??= numbersOf(written, 'x', 'y');
    else if (name === 'a:ext' && written.includes('cx')) this.#size ??= numbersOf(written, 'cx', 'cy');
  }

  get box(): SlideBox | undefined {
    if (this.#corner === undefined || this.#size === undefined) return undefined;
    const [left, top] = this.#corner;
    const [width, height] = this.#size;
    return { left, top, width, height };
  }
}

function numbersOf(written: string, one: string, other: string): [number, number] {
  const attributes = attributesOf(written);
  return [Number(attributes.get(one)), Number(attributes.get(other))];
}
