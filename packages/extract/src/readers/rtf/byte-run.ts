// A run of bytes that grows: a list of numbers takes eight times its memory.

const FIRST_BYTES = 256;

/** Collects bytes one by one. */
export class ByteRun {
  #bytes = new Uint8Array(FIRST_BYTES);
  #length = 0;

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  push(byte: number): void {
    if (this.#length === this.#bytes.length) {
      const longer = new Uint8Array(2 * this.#length);
      longer.set(this.#bytes);
      this.#bytes = longer;
    }
    this.#bytes[this.#length++] = byte;
  }

  /** The bytes so far, valid until the next push; begins a new run. */
  take(): Uint8Array {
    const bytes = this.#bytes.subarray(0, this.#length);
    this.#length = 0;
    return bytes;
  }
}
