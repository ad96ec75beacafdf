// Views of one text follow each other: the one that the visitor scrolls leads, and a view that appears begins where the
// last one was left.

/** A view that can lead and follow. */
export interface FollowedView {
  /** Offset of the first text in the window; undefined when there is none. */
  offsetAtTop(): number | undefined;
  /** Scrolls so that an offset is the first text in the window. */
  showOffset(offset: number): void;
}

/** Events by which a visitor begins to scroll a view. */
const BEGINNINGS = ['wheel', 'pointerdown', 'touchstart', 'keydown'] as const;

/** The connection of the views of one document. */
export class Following {
  readonly #views = new Map<HTMLElement, FollowedView>();
  #leader: HTMLElement | undefined;
  #offset: number | undefined;

  /** Adds the view inside `host`, which scrolls; the result removes it. */
  join(host: HTMLElement, view: FollowedView): () => void {
    this.#views.set(host, view);
    const takeOver = (): void => {
      this.#leader = host;
    };
    let frame = 0;
    const follow = (): void => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => this.#publish(host, view));
    };
    for (const name of BEGINNINGS) host.addEventListener(name, takeOver, { passive: true });
    host.addEventListener('scroll', follow, { passive: true });
    if (this.#offset !== undefined) view.showOffset(this.#offset);
    return () => {
      for (const name of BEGINNINGS) host.removeEventListener(name, takeOver);
      host.removeEventListener('scroll', follow);
      this.#views.delete(host);
      if (this.#leader === host) this.#leader = undefined;
      cancelAnimationFrame(frame);
    };
  }

  /** Lets each view go to a chunk by itself: none leads until the visitor scrolls. */
  pause(): void {
    this.#leader = undefined;
  }

  #publish(host: HTMLElement, view: FollowedView): void {
    const offset = view.offsetAtTop();
    if (offset === undefined || offset === this.#offset) return;
    this.#offset = offset;
    if (this.#leader !== host) return;
    for (const [other, follower] of this.#views) if (other !== host) follower.showOffset(offset);
  }
}
