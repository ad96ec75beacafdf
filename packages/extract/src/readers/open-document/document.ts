// The parts of an OpenDocument file, of a package or of one flat XML document: its styles, its content, its metadata,
// and the objects inside. Nothing outside the file is ever opened.
import { ExtractError } from '../../errors.ts';
import { openPackage, xmlText, type Consumption, type Parts } from '../../package/parts.ts';
import { attributesOf, readXml, type XmlVisitor } from '../../package/xml.ts';
import { ObjectVisitor } from './object.ts';
import type { OpenStory } from './story.ts';
import { OpenStyles } from './styles.ts';

/** An OpenDocument file whose styles and metadata are known. */
export interface OpenDocumentFile {
  readonly styles: OpenStyles;
  readonly title: string;
  /** Number of pages that its program has counted; 0 when unknown. */
  readonly pages: number;
  /** Reads the content, whose body is the element of this name in `office:body`. Throws `corrupted` without one. */
  readonly visitBody: (name: string, visitor: XmlVisitor) => void;
  /** Adds an object of the package: a chart as its source table, a formula. Returns false for others. */
  readonly object: (name: string, story: OpenStory) => boolean;
}

const CONTENT = 'content.xml';

/**
 * Opens a document. Throws as `openPackage` does, and `encrypted` when the package names a part as encrypted, which its
 * ZIP archive does not.
 */
export function openDocument(
  bytes: Uint8Array,
  spent: Consumption = { tags: 0, bytes: 0 },
): OpenDocumentFile {
  const isPackage = bytes[0] === 0x50 && bytes[1] === 0x4b;
  return isPackage ? openPacked(openPackage(bytes, spent)) : openFlat(bytes, spent);
}

function openPacked(parts: Parts): OpenDocumentFile {
  assertReadable(parts);
  const styles = new OpenStyles();
  visitIfSound(parts, 'styles.xml', styles.visitor(false));
  const meta = new MetaVisitor();
  visitIfSound(parts, 'meta.xml', meta);
  return {
    styles,
    ...meta.facts(),
    visitBody: (name, visitor) => {
      const body = new BodyVisitor(name, styles.visitor(true), visitor);
      if (!parts.visit(CONTENT, body)) throw damaged();
      body.end();
    },
    object: (name, story) => addObject(parts, name, story),
  };
}

/** A flat document is read twice, its styles and metadata first. */
function openFlat(bytes: Uint8Array, spent: Consumption): OpenDocumentFile {
  const xml = xmlText(bytes);
  const styles = new OpenStyles();
  const meta = new MetaVisitor();
  const [sheet, ignore] = [styles.visitor(true), new BodyVisitor('', NOTHING, NOTHING)];
  readXml(xml, together([sheet, meta, ignore]), spent);
  return {
    styles,
    ...meta.facts(),
    visitBody: (name, visitor) => {
      const body = new BodyVisitor(name, NOTHING, visitor);
      readXml(xml, body, spent);
      body.end();
    },
    object: () => false,
  };
}

function assertReadable(parts: Parts): void {
  const open = (name: string): void => {
    if (name.endsWith('encryption-data')) throw new ExtractError('encrypted');
  };
  visitIfSound(parts, 'META-INF/manifest.xml', { ...NOTHING, open });
}

/** A part that is damaged says nothing: the text does not depend on it. */
function visitIfSound(parts: Parts, name: string, visitor: XmlVisitor): void {
  try {
    parts.visit(name, visitor);
  } catch (error) {
    if (!(error instanceof ExtractError && error.code === 'corrupted')) throw error;
  }
}

const ignore = (): void => undefined;
const NOTHING: XmlVisitor = { open: ignore, close: ignore, text: ignore };

function together(visitors: readonly XmlVisitor[]): XmlVisitor {
  return {
    open: (name, written) => {
      for (const visitor of visitors) visitor.open(name, written);
    },
    close: (name) => {
      for (const visitor of visitors) visitor.close(name);
    },
    text: (text) => {
      for (const visitor of visitors) visitor.text(text);
    },
  };
}

/** Passes the content of the body on, and what stands before it to the styles. */
class BodyVisitor implements XmlVisitor {
  readonly #name: string;
  readonly #styles: XmlVisitor;
  readonly #body: XmlVisitor;
  #depth = 0;
  /** Depth of the body, or 0 outside. */
  #inside = 0;
  #isFound = false;

  constructor(name: string, styles: XmlVisitor, body: XmlVisitor) {
    this.#name = name;
    this.#styles = styles;
    this.#body = body;
  }

  open(name: string, written: string): void {
    this.#depth++;
    if (this.#inside > 0) this.#body.open(name, written);
    else if (name === this.#name && this.#depth === 3) {
      this.#inside = this.#depth;
      this.#isFound = true;
    } else this.#styles.open(name, written);
  }

  close(name: string): void {
    if (this.#inside === this.#depth) this.#inside = 0;
    else if (this.#inside > 0) this.#body.close(name);
    else this.#styles.close(name);
    this.#depth--;
  }

  text(text: string): void {
    if (this.#inside > 0) this.#body.text(text);
  }

  /** @throws ExtractError `corrupted` when there was no body of the name */
  end(): void {
    if (!this.#isFound) throw damaged();
  }
}

const damaged = (): ExtractError =>
  new ExtractError('corrupted', { detail: 'it holds no OpenDocument content of its kind' });

/** Reads the title and the number of pages. */
class MetaVisitor implements XmlVisitor {
  #title: string | undefined;
  #pages = 0;
  #isTitle = false;

  open(name: string, written: string): void {
    this.#isTitle = name === 'dc:title' && this.#title === undefined;
    if (name === 'meta:document-statistic')
      this.#pages = Number.parseInt(attributesOf(written).get('page-count') ?? '', 10) || 0;
  }

  close(): void {
    this.#isTitle = false;
  }

  text(text: string): void {
    if (this.#isTitle) this.#title = (this.#title ?? '') + text;
  }

  facts(): { title: string; pages: number } {
    return { title: (this.#title ?? '').replace(/\s+/g, ' ').trim(), pages: this.#pages };
  }
}

/** `./Object 1`: its content is a formula, or a chart with its table. */
function addObject(parts: Parts, name: string, story: OpenStory): boolean {
  const folder = name.replace(/^\.\//, '').replace(/\/+$/, '');
  const object = new ObjectVisitor();
  if (/^[a-z][a-z\d+.-]*:/i.test(name) || !parts.visit(`${folder}/${CONTENT}`, object)) return false;
  return object.addTo(story);
}
