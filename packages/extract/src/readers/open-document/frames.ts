// The open frames of a document, each in the text of the one before. The contents of a frame are the same in other
// forms; the first that is read counts.

interface Frame {
  /** True for a part of a line. */
  readonly isInline: boolean;
  hasContent: boolean;
  isPicture: boolean;
  /** Its description, else its title. */
  description: string;
  title: string;
}

/** A picture by its words. */
export interface FramedPicture {
  readonly description: string;
  readonly isInline: boolean;
}

/** Collects what the frames hold. */
export class OpenFrames {
  readonly #frames: Frame[] = [];
  /** The title or description of a frame that is being read. */
  #naming: 'title' | 'description' | undefined;

  open(isInline: boolean): void {
    this.#frames.push({ isInline, hasContent: false, isPicture: false, description: '', title: '' });
  }

  /** Ends a frame; its picture, if it holds one with a description. */
  close(): FramedPicture | undefined {
    const frame = this.#frames.pop();
    if (frame?.isPicture !== true) return undefined;
    const description = frame.description.trim() === '' ? frame.title.trim() : frame.description.trim();
    return description === '' ? undefined : { description, isInline: frame.isInline };
  }

  /** Begins the title or description of the frame, or ends it. */
  name(naming: 'title' | 'description' | undefined): void {
    this.#naming = naming;
  }

  /** Returns false for text that is no name of a frame. */
  takes(text: string): boolean {
    const frame = this.#frames.at(-1);
    if (this.#naming === undefined || frame === undefined) return false;
    frame[this.#naming] += text;
    return true;
  }

  /** Returns false when another form of the frame's content has been read. */
  use(): boolean {
    const frame = this.#frames.at(-1);
    if (frame === undefined) return true;
    const isFirst = !frame.hasContent;
    frame.hasContent = true;
    return isFirst;
  }

  usePicture(): void {
    const frame = this.#frames.at(-1);
    if (frame !== undefined && this.use()) frame.isPicture = true;
  }
}
