import { integerLiteral } from "./literal.ts";
import type { WideColumn } from "./wide-table.ts";

const SIGN = integerLiteral(1n << 63n);

/**
 * SQL of a 128-bit number for a sample: its time in the upper half, below it 64 bits that order as its value does. The maximum of such numbers
 * is the newest sample, and of two at one time the larger; it costs an eighth of the maximum of pairs.
 */
export function packedSample(value: string, type: WideColumn["valueType"]["scanType"]): string {
  return `bitShiftLeft(toUInt128(toUnixTimestamp64Nano(ts)), 64) + ${orderedBits(value, type)}`;
}

/** SQL of 64 bits that order as the values do. */
export function orderedBits(value: string, type: WideColumn["valueType"]["scanType"]): string {
  const bits = `reinterpretAsUInt64(${value})`;
  if (type === "Int64") return `bitXor(${bits}, ${SIGN})`;
  if (type === "Float64") return `if(bitTest(${bits}, 63), bitNot(${bits}), bitXor(${bits}, ${SIGN}))`;
  return value;
}

/** SQL of the time and the value of a packed sample, 8 bytes each. */
export function unpackedSample(packed: string, type: WideColumn["valueType"]["scanType"]): [time: string, value: string] {
  const low = `toUInt64(${packed})`;
  const time = `toInt64(bitShiftRight(${packed}, 64))`;
  if (type === "Int64") return [time, `reinterpretAsInt64(bitXor(${low}, ${SIGN}))`];
  if (type === "Float64") return [time, `reinterpretAsFloat64(if(bitTest(${low}, 63), bitXor(${low}, ${SIGN}), bitNot(${low})))`];
  return [time, low];
}
