/** Reads ClickHouse's RowBinary, the counterpart of RowBinaryWriter. Results come from our own statements, so a short read is a defect. */
export class RowBinaryReader {
  readonly #buffer: Buffer;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get atEnd(): boolean {
    return this.#at >= this.#buffer.length;
  }

  u8(): number {
    return this.#buffer.readUInt8(this.#take(1));
  }

  u32(): number {
    return this.#buffer.readUInt32LE(this.#take(4));
  }

  u64(): bigint {
    return this.#buffer.readBigUInt64LE(this.#take(8));
  }

  i64(): bigint {
    return this.#buffer.readBigInt64LE(this.#take(8));
  }

  f64(): number {
    return this.#buffer.readDoubleLE(this.#take(8));
  }

  /** Any integer of 1, 2, 4 or 8 bytes as a bigint. */
  integer(bytes: number, signed: boolean): bigint {
    if (bytes === 8) return signed ? this.i64() : this.u64();
    const at = this.#take(bytes);
    return BigInt(signed ? this.#buffer.readIntLE(at, bytes) : this.#buffer.readUIntLE(at, bytes));
  }

  string(): string {
    const bytes = this.#count();
    const at = this.#take(bytes);
    return this.#buffer.toString("utf8", at, at + bytes);
  }

  /** An array, each element as `read` takes it. */
  array<T>(read: () => T): T[] {
    return Array.from({ length: this.#count() }, read);
  }

  /** So many bytes as they are. */
  raw(bytes: number): Uint8Array {
    const at = this.#take(bytes);
    return Uint8Array.from(this.#buffer.subarray(at, at + bytes));
  }

  /** Hyphenated lower-case text of a UUID. */
  uuid(): string {
    const hex = this.u64().toString(16).padStart(16, "0") + this.u64().toString(16).padStart(16, "0");
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
  }

  /** A length in LEB128. */
  #count(): number {
    let count = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.u8();
      count += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return count;
    }
  }

  #take(bytes: number): number {
    const at = this.#at;
    this.#at += bytes;
    if (this.#at > this.#buffer.length) throw new RangeError("a result ends within a row");
    return at;
  }
}
