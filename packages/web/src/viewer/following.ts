// Views of one text follow each other: the one that the visitor scrolls leads, and a view that appears begins where the
// last one was left.

/**
 * A place of the text in a window: the offset that stands at a share of the window's height. The share grows from 0 to
 * 1 as the view is scrolled from its beginning to its end, so that the ends of all views belong together. At the ends
 * the offset has no meaning.
 */
export interface ReadingPlace {
  readonly offset: number;
  readonly share: number;
}

/** A view that can lead and follow. */
export interface FollowedView {
  /** Offset of the text at a share of the window's height; undefined when there is none. */
  offsetAt(share: number): number | undefined;
  /** Scrolls to a place; to the beginning of the view for the share 0, and to its end for 1. */
  showPlace(place: ReadingPlace): void;
}

/** Events by which a visitor begins to scroll a view. */
export const BEGINNINGS = ['wheel', 'pointerdown', 'touchstart', 'keydown'] as const;

/** The connection of the views of one document. */
export class Following {
  readonly #views = new Map<HTMLElement, FollowedView>();
  /** Views whose scrolling counts. A view that follows is none: its own place differs by parts of a line. */
  #leaders = new Set<HTMLElement>();
  #place: ReadingPlace | undefined;

  /** Adds the view inside `host`, which scrolls by input inside `area`; the result removes it. */
  join(host: HTMLElement, view: FollowedView, area = host): () => void {
    this.#views.set(host, view);
    const takeOver = (): void => {
      this.#leaders = new Set([host]);
    };
    let frame = 0;
    const follow = (): void => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => this.#publish(host, view));
    };
    for (const name of BEGINNINGS) area.addEventListener(name, takeOver, { passive: true });
    host.addEventListener('scroll', follow, { passive: true });
    if (this.#place === undefined) this.#leaders.add(host);
    else view.showPlace(this.#place);
    return () => {
      for (const name of BEGINNINGS) area.removeEventListener(name, takeOver);
      host.removeEventListener('scroll', follow);
      this.#views.delete(host);
      this.#leaders.delete(host);
      cancelAnimationFrame(frame);
    };
  }

  /** Lets each view go to a chunk by itself: all lead until the visitor scrolls one. */
  pause(): void {
    this.#leaders = new Set(this.#views.keys());
  }

  #publish(host: HTMLElement, view: FollowedView): void {
    if (!this.#leaders.has(host)) return;
    const share = shareOf(host);
    const offset = share > 0 && share < 1 ? view.offsetAt(share) : 0;
    if (offset === undefined) return;
    this.#place = { offset, share };
    if (this.#leaders.size > 1) return;
    for (const [other, follower] of this.#views) if (other !== host) follower.showPlace(this.#place);
  }
}

/** How far a view is scrolled, from 0 to 1. Browsers end up to a pixel before the last height. */
function shareOf({ scrollTop, scrollHeight, clientHeight }: HTMLElement): number {
  const most = scrollHeight - clientHeight;
  if (scrollTop <= 0) return 0;
  return scrollTop >= most - 1 ? 1 : scrollTop / most;
}
