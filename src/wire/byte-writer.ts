/** Text on its way into buffers, one after the other. */
export class ByteWriter {
  readonly #bufferBytes: number;
  #buffer: Buffer = Buffer.alloc(0);
  #length = 0;

  /** A buffer begins with so many bytes, and grows where it gets more. */
  constructor(bufferBytes: number) {
    this.#bufferBytes = bufferBytes;
  }

  /** Bytes written since the last `take`. */
  get length(): number {
    return this.#length;
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

  /** What was written since the last call. */
  take(): Buffer {
    const taken = this.#buffer.subarray(0, this.#length);
    this.#buffer = Buffer.alloc(0);
    this.#length = 0;
    return taken;
  }

  #reserve(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, this.#bufferBytes, Math.ceil(this.#buffer.length * 1.5)));
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
  }
}
