/**
 * HighwayHash-64 with the all-zero key, the hash under upstream's timeseries keys.
 *
 * The state is four lanes of 64 bits in each of v0, v1, mul0 and mul1. They are kept as 32-bit words (low word first) in one array,
 * because bigint arithmetic is some fifty times slower. All sums and products are modulo 2^64.
 */

const V0 = 0;
const V1 = 8;
const MUL0 = 16;
const MUL1 = 24;
const PACKET_BYTES = 32;

/** Words of mul0 and mul1 at the start; with a zero key v0 and v1 start as copies of them. */
const INITIAL_MUL0 = [0xfe4cce2f, 0xdbe6d5d5, 0x299f31d0, 0xa4093822, 0x03707344, 0x13198a2e, 0x85a308d3, 0x243f6a88];
const INITIAL_MUL1 = [0xcb0ef593, 0x3bd39e10, 0xb5f18a8c, 0xc0acf169, 0x34e90c6c, 0xbe5466cf, 0x38d01377, 0x452821e6];
const INITIAL_STATE = Int32Array.from([...INITIAL_MUL0, ...INITIAL_MUL1, ...INITIAL_MUL0, ...INITIAL_MUL1]);

// Reused from call to call: a hash never yields to anything else before it is done.
const state = new Int32Array(32);
const packet = new Int32Array(8);
const tail = new Uint8Array(PACKET_BYTES);

/** HighwayHash-64 of `bytes` under the zero key, as an unsigned 64-bit number. */
export function highwayHash64(bytes: Uint8Array): bigint {
  state.set(INITIAL_STATE);
  const whole = bytes.length - (bytes.length % PACKET_BYTES);
  for (let at = 0; at < whole; at += PACKET_BYTES) {
    loadPacket(bytes, at);
    update();
  }
  if (whole < bytes.length) updateWithTail(bytes, whole);
  for (let round = 0; round < 4; round++) {
    permuteV0IntoPacket();
    update();
  }
  return sumOfFirstLanes();
}

function loadPacket(bytes: Uint8Array, at: number): void {
  for (let i = 0, p = at; i < 8; i++, p += 4) {
    packet[i] = bytes[p]! | (bytes[p + 1]! << 8) | (bytes[p + 2]! << 16) | (bytes[p + 3]! << 24);
  }
}

function update(): void {
  for (let i = 0; i < 8; i += 2) mixLane(i);
  zipperMerge(V1, V0);
  zipperMerge(V1 + 4, V0 + 4);
  zipperMerge(V0, V1);
  zipperMerge(V0 + 4, V1 + 4);
}

/** v1 += mul0 + packet; mul0 ^= low(v1) * high(v0); v0 += mul1; mul1 ^= low(v0) * high(v1), all in the lane at word `i`. */
function mixLane(i: number): void {
  const s = state;
  const v0High = s[V0 + i + 1]!;
  let low = (s[MUL0 + i]! + packet[i]!) | 0;
  let high = (s[MUL0 + i + 1]! + packet[i + 1]! + carry(low, packet[i]!)) | 0;
  const v1Low = (s[V1 + i]! + low) | 0;
  const v1High = (s[V1 + i + 1]! + high + carry(v1Low, low)) | 0;
  s[V1 + i] = v1Low;
  s[V1 + i + 1] = v1High;
  s[MUL0 + i] = s[MUL0 + i]! ^ Math.imul(v1Low, v0High);
  s[MUL0 + i + 1] = s[MUL0 + i + 1]! ^ highProduct(v1Low, v0High);
  low = (s[V0 + i]! + s[MUL1 + i]!) | 0;
  high = (v0High + s[MUL1 + i + 1]! + carry(low, s[MUL1 + i]!)) | 0;
  s[V0 + i] = low;
  s[V0 + i + 1] = high;
  s[MUL1 + i] = s[MUL1 + i]! ^ Math.imul(low, v1High);
  s[MUL1 + i + 1] = s[MUL1 + i + 1]! ^ highProduct(low, v1High);
}

/** 1 where the 32-bit sum `sum`, one of whose terms was `term`, ran over. */
function carry(sum: number, term: number): number {
  return sum >>> 0 < term >>> 0 ? 1 : 0;
}

/** The high word of the unsigned product of two 32-bit words; every step stays below 2^53, where numbers are exact. */
function highProduct(a: number, b: number): number {
  const whole = a >>> 0;
  const low = whole * (b & 0xffff);
  const high = whole * (b >>> 16);
  return ((high + Math.floor(low / 0x10000)) / 0x10000) | 0;
}

/**
 * Adds the bytes of two lanes of `from`, reordered, to two lanes of `to`. Numbering the 16 bytes of the pair from the low end, the
 * result takes them in the order 3 12 2 5 14 1 15 0, 11 4 10 13 9 6 8 7.
 */
function zipperMerge(from: number, to: number): void {
  const s = state;
  const a = s[from]!; // bytes 0..3
  const b = s[from + 1]!; // bytes 4..7
  const c = s[from + 2]!; // bytes 8..11
  const d = s[from + 3]!; // bytes 12..15
  addAt(
    to,
    (a >>> 24) | ((d & 0xff) << 8) | (a & 0xff0000) | ((b & 0xff00) << 16),
    ((d >>> 16) & 0xff) | (a & 0xff00) | ((d >>> 8) & 0xff0000) | (a << 24),
  );
  addAt(
    to + 2,
    (c >>> 24) | ((b & 0xff) << 8) | (c & 0xff0000) | ((d & 0xff00) << 16),
    ((c >>> 8) & 0xff) | ((b >>> 8) & 0xff00) | ((c & 0xff) << 16) | (b & 0xff000000),
  );
}

function addAt(word: number, low: number, high: number): void {
  const sum = (state[word]! + low) | 0;
  state[word] = sum;
  state[word + 1] = state[word + 1]! + high + carry(sum, low);
}

/** Mixes in the last 1 to 31 bytes, whose length is part of the hash. */
function updateWithTail(bytes: Uint8Array, start: number): void {
  const length = bytes.length - start;
  const odd = length % 4;
  for (let i = 0; i < 8; i += 2) {
    addAt(V0 + i, length, length);
    state[V1 + i] = rotateLeft(state[V1 + i]!, length);
    state[V1 + i + 1] = rotateLeft(state[V1 + i + 1]!, length);
  }
  tail.fill(0);
  const end = start + length;
  for (let i = 0; i < length - odd; i++) tail[i] = bytes[start + i]!;
  if (length >= 16) {
    for (let i = 0; i < 4; i++) tail[28 + i] = bytes[end - 4 + i]!;
  } else if (odd > 0) {
    tail[16] = bytes[end - odd]!;
    tail[17] = bytes[end - odd + (odd >> 1)]!;
    tail[18] = bytes[end - 1]!;
  }
  loadPacket(tail, 0);
  update();
}

function rotateLeft(word: number, count: number): number {
  return (word << count) | (word >>> (32 - count));
}

/** Lanes 2, 3, 0, 1 of v0, each with its halves swapped. */
function permuteV0IntoPacket(): void {
  for (let i = 0; i < 8; i++) packet[i] = state[V0 + (((i + 4) % 8) ^ 1)]!;
}

function sumOfFirstLanes(): bigint {
  let low = 0;
  let high = 0;
  for (const word of [V0, V1, MUL0, MUL1]) {
    low += state[word]! >>> 0;
    high += state[word + 1]! >>> 0;
  }
  return BigInt.asUintN(64, (BigInt(high) << 32n) + BigInt(low));
}
