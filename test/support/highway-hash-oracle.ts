/**
 * HighwayHash-64 with the zero key written a second time, in bigint and as close to its definition as it goes, to hold the fast one
 * against on any input.
 */
const MASK = (1n << 64n) - 1n;
const A = [0xdbe6d5d5fe4cce2fn, 0xa4093822299f31d0n, 0x13198a2e03707344n, 0x243f6a8885a308d3n];
const B = [0x3bd39e10cb0ef593n, 0xc0acf169b5f18a8cn, 0xbe5466cf34e90c6cn, 0x452821e638d01377n];
const ZIPPER = [3, 12, 2, 5, 14, 1, 15, 0, 11, 4, 10, 13, 9, 6, 8, 7];

const low = (x: bigint): bigint => x & 0xffffffffn;
const high = (x: bigint): bigint => x >> 32n;
const swapHalves = (x: bigint): bigint => (low(x) << 32n) | high(x);

function zipper(even: bigint, odd: bigint): [bigint, bigint] {
  const pair = even | (odd << 64n);
  let mixed = 0n;
  for (const [to, from] of ZIPPER.entries()) mixed |= ((pair >> BigInt(8 * from)) & 0xffn) << BigInt(8 * to);
  return [mixed & MASK, mixed >> 64n];
}

export function highwayHash64Oracle(bytes: Uint8Array): bigint {
  const mul0 = [...A];
  const mul1 = [...B];
  const v0 = [...A];
  const v1 = [...B];

  const update = (lanes: readonly bigint[]): void => {
    for (let i = 0; i < 4; i++) {
      v1[i] = (v1[i]! + mul0[i]! + lanes[i]!) & MASK;
      mul0[i] = mul0[i]! ^ (low(v1[i]!) * high(v0[i]!));
      v0[i] = (v0[i]! + mul1[i]!) & MASK;
      mul1[i] = mul1[i]! ^ (low(v0[i]!) * high(v1[i]!));
    }
    for (const [to, from] of [
      [v0, v1],
      [v1, v0],
    ] as const) {
      for (const i of [0, 2]) {
        const [even, odd] = zipper(from[i]!, from[i + 1]!);
        to[i] = (to[i]! + even) & MASK;
        to[i + 1] = (to[i + 1]! + odd) & MASK;
      }
    }
  };
  const lanesOf = (packet: Uint8Array): bigint[] => {
    const view = new DataView(packet.buffer, packet.byteOffset, 32);
    return [0, 8, 16, 24].map((at) => view.getBigUint64(at, true));
  };

  const padded = Uint8Array.from(bytes);
  let at = 0;
  for (; at + 32 <= padded.length; at += 32) update(lanesOf(padded.subarray(at, at + 32)));
  const rest = padded.subarray(at);
  const n = rest.length;
  if (n > 0) {
    const rotate = (x: bigint): bigint => ((x << BigInt(n)) | (x >> BigInt(32 - n))) & 0xffffffffn;
    for (let i = 0; i < 4; i++) {
      v0[i] = (v0[i]! + (BigInt(n) << 32n) + BigInt(n)) & MASK;
      v1[i] = (rotate(high(v1[i]!)) << 32n) | rotate(low(v1[i]!));
    }
    const packet = new Uint8Array(32);
    const m = n % 4;
    packet.set(rest.subarray(0, n - m));
    if ((n & 16) !== 0) {
      packet.set(rest.subarray(n - 4), 28);
    } else if (m > 0) {
      const last = rest.subarray(n - m);
      packet.set([last[0]!, last[m >> 1]!, last[m - 1]!], 16);
    }
    update(lanesOf(packet));
  }
  for (let round = 0; round < 4; round++) update([2, 3, 0, 1].map((i) => swapHalves(v0[i]!)));
  return (v0[0]! + v1[0]! + mul0[0]! + mul1[0]!) & MASK;
}
