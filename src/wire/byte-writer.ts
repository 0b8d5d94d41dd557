/** Text on its way into a buffer that grows. */
export class ByteWriter {
  #buffer: Buffer;
  #length = 0;

  constructor(expectedBytes: number) {
    this.#buffer = Buffer.allocUnsafe(Math.max(1024, expectedBytes));
  }

  text(text: string): void {
    // No character takes more than three bytes for each of its code units.
    this.#reserve(text.length * 3);
    this.#length += this.#buffer.write(text, this.#length);
  }

  bytes(bytes: Buffer): void {
    this.#reserve(bytes.length);
    this.#buffer.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** All that was written. The writer is done with. */
  finish(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  #reserve(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, Math.ceil(this.#buffer.length * 1.5)));
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
  }
}
