/** Writes ClickHouse's RowBinary: fixed-width little-endian numbers, strings with a LEB128 length, no row separators. */
export class RowBinaryWriter {
  #buffer: Buffer;
  #length = 0;

  constructor(expectedBytes: number) {
    this.#buffer = Buffer.allocUnsafe(Math.max(64, expectedBytes));
  }

  /** What has been written. Shares memory with the writer. */
  bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#length);
  }

  u8(value: number): void {
    this.#reserve(1);
    this.#length = this.#buffer.writeUInt8(value, this.#length);
  }

  u16(value: number): void {
    this.#reserve(2);
    this.#length = this.#buffer.writeUInt16LE(value, this.#length);
  }

  u32(value: number): void {
    this.#reserve(4);
    this.#length = this.#buffer.writeUInt32LE(value, this.#length);
  }

  u64(value: bigint): void {
    this.#reserve(8);
    this.#length = this.#buffer.writeBigUInt64LE(value, this.#length);
  }

  i64(value: bigint): void {
    this.#reserve(8);
    this.#length = this.#buffer.writeBigInt64LE(value, this.#length);
  }

  f32(value: number): void {
    this.#reserve(4);
    this.#length = this.#buffer.writeFloatLE(value, this.#length);
  }

  f64(value: number): void {
    this.#reserve(8);
    this.#length = this.#buffer.writeDoubleLE(value, this.#length);
  }

  string(value: string): void {
    const bytes = Buffer.byteLength(value);
    this.#reserve(bytes + 10);
    this.#count(bytes);
    this.#length += this.#buffer.write(value, this.#length);
  }

  /** An array: its length, then each element as `write` puts it. */
  array<T>(values: readonly T[], write: (value: T) => void): void {
    this.#reserve(10);
    this.#count(values.length);
    for (const value of values) write(value);
  }

  /** Bytes as they are, without their length. */
  raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#buffer.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** A UUID of 16 bytes in text order: ClickHouse keeps it as two 64-bit halves, each little-endian. */
  uuid(text: string): void {
    const hex = text.replaceAll("-", "");
    this.u64(BigInt(`0x${hex.slice(0, 16)}`));
    this.u64(BigInt(`0x${hex.slice(16)}`));
  }

  /** A length in LEB128; the caller has reserved 10 bytes. */
  #count(value: number): void {
    let rest = value;
    while (rest >= 0x80) {
      this.#buffer[this.#length++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.#buffer[this.#length++] = rest;
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(2 * this.#buffer.length, this.#length + bytes));
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
  }
}
