import { DATUM_TYPES, isHistogramType, isIntegerType, type Datum, type DatumType } from "../core/index.ts";
import type { JsonScanner } from "./json-scanner.ts";
import { readHistogram } from "./read-histogram.ts";
import { readBoolean, readFloat, readInteger, TimeReader } from "./read-scalars.ts";
import { readTagged } from "./read-tagged.ts";

const DATUM_SHAPE = { tag: "type", content: "datum", expected: 'a datum such as {"type": "u64", "datum": 1}' };
const KNOWN = new Set<string>(DATUM_TYPES);

/** Reads datums of all 27 types and `missing`. */
export class DatumReader {
  readonly #startTimes = new TimeReader();
  readonly #readContent = (scanner: JsonScanner, type: string, absent: boolean): Datum => this.#content(scanner, type, absent);

  read(scanner: JsonScanner): Datum {
    return readTagged(scanner, DATUM_SHAPE, this.#readContent);
  }

  #content(scanner: JsonScanner, type: string, absent: boolean): Datum {
    if (absent) return scanner.fail(scanner.pos, 'a datum with "datum"');
    switch (type) {
      case "cumulative_u64":
      case "cumulative_i64":
        return this.#cumulative(scanner, type, (at) => readInteger(at, type === "cumulative_u64" ? "u64" : "i64"));
      case "cumulative_f64":
      case "cumulative_f32":
        return this.#cumulative(scanner, type, (at) => readFloat(at, type === "cumulative_f64" ? "f64" : "f32"));
      case "f64":
      case "f32":
        return { type, value: readFloat(scanner, type) };
      case "bool":
        return { type, value: readBoolean(scanner) };
      case "string":
        return { type, value: scanner.string("a string") };
      case "bytes":
        return { type, value: readBytes(scanner) };
      case "missing":
        return this.#missing(scanner);
    }
    if (isIntegerType(type)) return { type, value: readInteger(scanner, type) };
    if (KNOWN.has(type) && isHistogramType(type as DatumType)) {
      const histogramType = type as Extract<DatumType, `histogram_${string}`>;
      return { type: histogramType, ...readHistogram(scanner, histogramType, () => this.#startTimes.read(scanner)) };
    }
    return scanner.fail(scanner.pos, `the datum of a known type instead of ${JSON.stringify(type)}`);
  }

  #cumulative<T extends "cumulative_u64" | "cumulative_i64" | "cumulative_f64" | "cumulative_f32", V>(
    scanner: JsonScanner,
    type: T,
    readValue: (scanner: JsonScanner) => V,
  ): Datum {
    const start = scanner.pos;
    let startTimeNs: bigint | undefined;
    let value: V | undefined;
    for (let key = scanner.firstKey("a counter"); key !== null; key = scanner.nextKey()) {
      if (key === "start_time" && startTimeNs === undefined) startTimeNs = this.#startTimes.read(scanner);
      else if (key === "value" && value === undefined) value = readValue(scanner);
      else if (key === "start_time" || key === "value") scanner.fail(start, `a counter with one "${key}"`);
      else scanner.skipValue();
    }
    if (startTimeNs === undefined || value === undefined) return scanner.fail(start, 'a counter with "start_time" and "value"');
    return { type, startTimeNs, value } as unknown as Datum;
  }

  #missing(scanner: JsonScanner): Datum {
    const start = scanner.pos;
    let datumType: string | undefined;
    let startTimeNs: bigint | null = null;
    for (let key = scanner.firstKey("a missing datum"); key !== null; key = scanner.nextKey()) {
      if (key === "datum_type") datumType = scanner.string("a datum type");
      else if (key === "start_time") startTimeNs = scanner.word("null") ? null : this.#startTimes.read(scanner);
      else scanner.skipValue();
    }
    if (datumType === undefined || !KNOWN.has(datumType)) return scanner.fail(start, 'a missing datum with a known "datum_type"');
    return { type: "missing", datumType: datumType as DatumType, startTimeNs };
  }
}

function readBytes(scanner: JsonScanner): Uint8Array {
  const bytes: number[] = [];
  for (let more = scanner.firstItem("an array of bytes"); more; more = scanner.nextItem()) bytes.push(Number(readInteger(scanner, "u8")));
  return Uint8Array.from(bytes);
}
