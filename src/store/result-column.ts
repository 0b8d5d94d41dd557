import type { Column } from "../oxql/index.ts";
import { wordsOf, type RunValues } from "./sample-run.ts";
import type { WideColumn } from "./wide-table.ts";

/** Scanned values as OxQL has them: every integer type is an integer, and only what passes 2^63-1 is unsigned. */
export function resultColumn({ valueType }: WideColumn, values: RunValues): Column {
  if (valueType.sqlType === "Bool")
    return { type: "boolean", values: Array.from(values as BigUint64Array, (value) => value !== 0n), present: null };
  if (values instanceof Float64Array) return { type: "double", values, present: null };
  if (values instanceof BigInt64Array) return { type: "integer", values, present: null };
  if (values instanceof BigUint64Array) {
    const signed = passesSigned(values) ? values : new BigInt64Array(values.buffer, values.byteOffset, values.length);
    return { type: "integer", values: signed, present: null };
  }
  return { type: "string", values, present: null };
}

function passesSigned(values: BigUint64Array): boolean {
  const words = wordsOf(values);
  for (let i = 1; i < words.length; i += 2) if (words[i]! >= 0x8000_0000) return true;
  return false;
}
