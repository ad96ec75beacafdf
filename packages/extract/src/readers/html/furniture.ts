// Elements of a page that its author declares as no part of the document: by element, by role, and by class names that
// frameworks and vendors give to them. Their content is checked when it is known (tree/regions.ts).
import type { FurnitureKind } from '@grainline/core';
import type { TreeBuilder } from '../../tree/builder.ts';
import type { RegionNode } from '../../tree/node.ts';
import type { Attributes } from './attributes.ts';
import type { Element, Role } from './elements.ts';
import type { AtEnd } from './open-elements.ts';

/** The furniture that is open; nested furniture is part of the outer one. */
export class OpenFurniture {
  readonly #builder: TreeBuilder;
  readonly #isMarked: boolean;
  readonly #marksBoxes: boolean;
  #isOpen = false;

  /**
   * @param isMarked false when furniture stays in the text
   * @param marksBoxes true when lists and paragraphs beside an article are marked, too
   */
  constructor(builder: TreeBuilder, isMarked: boolean, marksBoxes: boolean) {
    this.#builder = builder;
    this.#isMarked = isMarked;
    this.#marksBoxes = marksBoxes;
  }

  /** The label of the region that an element begins here; `undefined` for other elements. */
  labelAt(name: string, { role }: Element, attributes: Attributes): RegionNode['label'] | undefined {
    if (this.#isOpen || this.#builder.isInCode) return undefined;
    const furniture = this.#isMarked ? furnitureOf(name, role, attributes) : undefined;
    if (furniture !== undefined || !this.#marksBoxes) return furniture;
    if (name === 'select') return 'aside';
    return LINES.has(role) && attributes.size > 0 ? besideOf(name, attributes) : undefined;
  }

  /** Opens a region for an element, and returns the callback for its end. Words around it stay apart. */
  open(label: RegionNode['label'], { isSpecial }: Element): AtEnd {
    const builder = this.#builder;
    const part = (): void => (isSpecial ? builder.boundary() : builder.text(' '));
    part();
    builder.openFurniture(label);
    this.#isOpen = true;
    return () => {
      this.#isOpen = false;
      builder.closeAside();
      part();
    };
  }
}

/** Parts of a page by element and by role. */
const PARTS: ReadonlyMap<string, RegionNode['label']> = new Map([
  ['main', 'main'],
  ['article', 'article'],
  ['aside', 'aside'],
  ['complementary', 'aside'],
  ['footer', 'footer'],
  ['contentinfo', 'footer'],
  ['banner', 'aside'],
  ['nav', 'navigation'],
  ['navigation', 'navigation'],
  ['figure', 'figure'],
  ['figcaption', 'figure'],
]);

/** Words of names for what stands beside an article. */
const BESIDE =
  /(?:^|[_-])(?:sidebar|shar(?:e|es|ing)|social|related|recommend(?:ed|ations?)|newsletter|subscri(?:be|ption)|sponsor(?:ed|s)?|advert(?:s|isements?)?|footer|pager|next-(?:post|article|story)|about-(?:the-)?authors?|authors?-(?:bio|box|card|about|info|profile|articles?)|info-card|most-?(?:read|popular|viewed))(?:[_-]|$)/i;

/** Words that stand in names of parts of an article too. */
const MAYBE_BESIDE =
  /(?:^|[_-])(?:replies|signup|promos?|promoted|ads?|pop-?up|modal|teasers?|trending|print-?only|noprint|masthead|legal|copyright)(?:[_-]|$)|^widgets?(?:[_-]|$)/i;
const CONTENT = /content|article|body|main|story|post|entry|page|column|wrap/i;

/** Words for comments, also in French, German, Italian, Spanish and Portuguese. */
const COMMENTS = /(?:^|[_-])(?:comm?ent(?:s|aires?|arios?|i)?|kommentare?|disqus)(?:[_-]|$)/i;

/** `has-sidebar`, `no-comments` */
const IS_STATE = /^(?:has|no|with|without|hide|show|is|not|can)[_-]/i;

/** Parts of an article that have much text in links, or stand in an aside. */
const FIGURE = /(?:^|[_-])(?:figures?|photos?|images?|(?:fig)?captions?|thumb(?:inner|caption)?)(?:[_-]|$)/i;

/** The part of a page that a block is; a `box` when nothing tells. */
export function partOf(name: string, attributes: Attributes): RegionNode['label'] {
  const declared = PARTS.get(attributes.get('role')?.trim().toLowerCase() ?? '') ?? PARTS.get(name);
  if (declared !== undefined && declared !== 'aside') return declared;
  if (wordsOf(name, attributes).some((word) => FIGURE.test(word))) return 'figure';
  return declared ?? besideOf(name, attributes) ?? 'box';
}

/** The part beside an article that the names of an element say. */
function besideOf(name: string, attributes: Attributes): 'aside' | 'comments' | undefined {
  const words = wordsOf(name, attributes).filter((word) => !IS_STATE.test(word));
  if (words.some((word) => COMMENTS.test(word))) return 'comments';
  const isContent = words.some((word) => CONTENT.test(word));
  const isBeside = (word: string): boolean => BESIDE.test(word) || (!isContent && MAYBE_BESIDE.test(word));
  return words.some(isBeside) ? 'aside' : undefined;
}

/** The names of an element, their words parted. */
function wordsOf(name: string, attributes: Attributes): string[] {
  const classes = attributes.get('class') ?? '';
  // Generators make the id of a section from its title.
  const isSection = name === 'section' || /(?:^|\s)(?:section|level[1-6])(?:\s|$)/.test(classes);
  const names = isSection ? classes : `${classes} ${attributes.get('id') ?? ''}`;
  if (names.length < 3 || names.length > MAX_NAMES) return [];
  return names.replace(/([a-z])([A-Z])/g, '$1-$2').split(/\s+/);
}

/** Roles of elements that may stand beside an article without a block around them. */
const LINES: ReadonlySet<Role> = new Set(['paragraph', 'list', 'definitions']);

/** Roles of elements that stand for themselves, unlike parts of a table or a list. */
const WHOLE: ReadonlySet<Role> = new Set([
  'block',
  'paragraph',
  'list',
  'definitions',
  'table',
  'mark',
  'inline',
]);

const NAVIGATION_ROLE = /^\s*(?:navigation|menu|menubar|search)\s*$/i;

/**
 * Boxes of links: of Bootstrap and other style sheets, WordPress, MediaWiki, DocBook, GTK-Doc, Texinfo, Sphinx,
 * Javadoc.
 */
const NAVIGATION =
  /(?:^|\s)(?:nav(?:bar|box|header|footer)|(?:main|site|primary|secondary|post|posts|page|top|footer)[-_]?(?:nav|navigation|menu)|breadcrumbs?|navigation|nav-panel|pagination|sphinxsidebar|(?:top|bottom|sub)Nav)(?:\s|$)/i;

/**
 * Consent banners: the names of style sheets for them, and of OneTrust, Cookiebot, Quantcast, Didomi, Usercentrics,
 * TrustArc, Osano, Complianz, Borlabs, CookieYes, Klaro, Sourcepoint and Drupal.
 */
const CONSENT =
  /(?:^|\s)(?:(?:eu-|js-|gdpr-)?cookies?[-_]?(?:banner|consent|notice|bar|popup|message|alert|law-info-bar|compliance-banner|disclaimer|overlay|dialog|modal)|gdpr[-_](?:banner|consent|notice|popup)|consent[-_](?:banner|popup|dialog|modal)|cc-window|cky-consent-bar|cky-consent-container|onetrust-(?:consent-sdk|banner-sdk|pc-sdk)|CybotCookiebotDialog|qc-cmp2-container|didomi-(?:host|popup|notice)|usercentrics-root|truste[-_](?:box_overlay|consent-track|consent-content)|osano-cm-(?:window|dialog)|cmplz-cookiebanner|BorlabsCookieBox|klaro|sliding-popup)(?:\s|$)/i;

/** Also the classes of Bootstrap and GitHub for links that show when the keyboard reaches them. */
const SKIP_LINK =
  /(?:^|[\s_-])(?:skip[-_]?(?:links?|nav(?:igation)?|to[-_]?(?:main|content|nav)[\w-]{0,20})|skip-main|mw-jump-link|(?:visually-hidden|sr-only)-focusable|show-on-focus)(?:\s|$)/i;

/** Links to the source of a page: of Docusaurus, VitePress, MkDocs, mdBook, Sphinx, Docsy and others. */
const EDIT_LINK =
  /(?:^|\s)(?:theme-edit-this-page|edit-(?:this-)?(?:page|link)(?:-(?:link|button))?|edit-on-github|md-content__button|git-edit-button|wy-breadcrumbs-aside|td-page-meta|editthispage)(?:\s|$)/i;

/** Longest class or id that is read: those of hostile pages have no end. */
const MAX_NAMES = 500;

/** The kind of furniture that an element is declared as; `undefined` for others, and for the page itself. */
function furnitureOf(name: string, role: Role, attributes: Attributes): FurnitureKind | 'pager' | undefined {
  if (!WHOLE.has(role) || NEVER.has(name)) return undefined;
  if (name === 'nav') return 'navigation';
  if (attributes.size === 0) return undefined;
  if (NAVIGATION_ROLE.test(attributes.get('role') ?? '')) return 'navigation';
  const names = `${attributes.get('class') ?? ''} ${attributes.get('id') ?? ''}`;
  if (names.length < MIN_NAMES || names.length > MAX_NAMES) return undefined;
  if (role === 'mark' || role === 'inline') return linkKindOf(names);
  if (NAVIGATION.test(names)) return 'navigation';
  // Texinfo before version 7, above each section.
  if (names === 'header ') return 'pager';
  return CONSENT.test(names) ? 'consent' : linkKindOf(names);
}

/** Length of the shortest name above, with the blank. */
const MIN_NAMES = 6;

/** A page's own elements have classes that describe the page. */
const NEVER: ReadonlySet<string> = new Set(['html', 'body', 'main', 'article']);

function linkKindOf(names: string): FurnitureKind | undefined {
  if (SKIP_LINK.test(names)) return 'skip-link';
  return EDIT_LINK.test(names) ? 'edit-link' : undefined;
}
