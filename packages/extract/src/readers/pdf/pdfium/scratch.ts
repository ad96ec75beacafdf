// Memory for the results of PDFium's functions, which are called for each word of a page.
import type { Pdfium } from './engine.ts';

/** Four doubles or six floats. */
export const SCRATCH_BYTES = 32;

/** Memory for PDFium's results, with numeric views. Growing memory invalidates the views, so they are made anew. */
export class Scratch {
  readonly #pdfium: Pdfium;
  readonly pointer: number;
  #doubles = new Float64Array(0);
  #floats = new Float32Array(0);

  constructor(pdfium: Pdfium, pointer: number) {
    this.#pdfium = pdfium;
    this.pointer = pointer;
  }

  /** Four doubles. */
  get doubles(): Float64Array {
    if (this.#doubles.length === 0) this.#renew();
    return this.#doubles;
  }

  /** Eight floats, in the same place. */
  get floats(): Float32Array {
    if (this.#floats.length === 0) this.#renew();
    return this.#floats;
  }

  #renew(): void {
    const { buffer, byteOffset } = this.#pdfium.view(this.pointer, SCRATCH_BYTES);
    this.#doubles = new Float64Array(buffer, byteOffset, SCRATCH_BYTES / Float64Array.BYTES_PER_ELEMENT);
    this.#floats = new Float32Array(buffer, byteOffset, SCRATCH_BYTES / Float32Array.BYTES_PER_ELEMENT);
  }
}
