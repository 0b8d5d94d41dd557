import { ZonemeterError } from "../../src/core/index.ts";
import { compileRegex } from "../../src/oxql/regex.ts";
import { MemoryData, type StoredSeries } from "../../tools/conformance/memory-data.mjs";

export { MemoryData, valueColumn, type StoredSample, type StoredSeries, type StoredValue } from "../../tools/conformance/memory-data.mjs";

/** OxQL data over plain arrays that keeps the whole contract of `OxqlData`: conditions, limit, look-back, row limit, signal. */
export function memoryData(series: readonly StoredSeries[]): MemoryData {
  return new MemoryData(series, {
    matches: (pattern, text) => compileRegex(pattern)(text),
    limitError: (message) => new ZonemeterError("limit", message),
  });
}
