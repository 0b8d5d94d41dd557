import type { Histogram, HistogramType, IntegerType, Quantile } from "../core/index.ts";
import type { JsonScanner } from "./json-scanner.ts";
import { readFloat, readInteger } from "./read-scalars.ts";

type Support = IntegerType | "f32" | "f64";
type Value = bigint | number;

const readValue = (scanner: JsonScanner, support: Support): Value =>
  support === "f32" || support === "f64" ? readFloat(scanner, support) : readInteger(scanner, support);

/** A histogram with the start time that stands among its keys. `readTime` reads a time at the cursor. */
export function readHistogram(
  scanner: JsonScanner,
  type: HistogramType,
  readTime: () => bigint,
): { startTimeNs: bigint; value: Histogram } {
  const start = scanner.pos;
  const support = type.slice("histogram_".length) as Support;
  const sumType = support === "f32" || support === "f64" ? "f64" : "i64";
  const found: Partial<Record<string, unknown>> = {};
  for (let key = scanner.firstKey("a histogram"); key !== null; key = scanner.nextKey()) {
    if (Object.hasOwn(found, key)) scanner.fail(start, `a histogram with one "${key}"`);
    if (key === "start_time") found[key] = readTime();
    else if (key === "bins") found[key] = readBins(scanner, support);
    else if (key === "n_samples") found[key] = readInteger(scanner, "u64");
    else if (key === "min" || key === "max") found[key] = readValue(scanner, support);
    else if (key === "sum_of_samples") found[key] = readValue(scanner, sumType);
    else if (key === "squared_mean") found[key] = readFloat(scanner, "f64");
    else if (key === "p50" || key === "p90" || key === "p99") found[key] = readQuantile(scanner);
    else scanner.skipValue();
  }
  const need = <T>(key: string): T => (Object.hasOwn(found, key) ? (found[key] as T) : scanner.fail(start, `a histogram with "${key}"`));
  const bins = need<Bins>("bins");
  need<bigint>("n_samples");
  return {
    startTimeNs: need("start_time"),
    value: {
      ...bins,
      min: need("min"),
      max: need("max"),
      sumOfSamples: need("sum_of_samples"),
      squaredMean: need("squared_mean"),
      p50: need("p50"),
      p90: need("p90"),
      p99: need("p99"),
    },
  };
}

type Bins = Pick<Histogram, "edges" | "counts">;

/** Left edges and counts of bins that join without a gap, which is what upstream's constructors guarantee. */
function readBins(scanner: JsonScanner, support: Support): Bins {
  const start = scanner.pos;
  const edges: Value[] = [];
  const counts: bigint[] = [];
  let previousEnd: Value | null = null;
  for (let more = scanner.firstItem("an array of bins"); more; more = scanner.nextItem()) {
    const at = scanner.pos;
    let range: BinRange | undefined;
    let count: bigint | undefined;
    for (let key = scanner.firstKey("a bin"); key !== null; key = scanner.nextKey()) {
      if (key === "range") range = readRange(scanner, support);
      else if (key === "count") count = readInteger(scanner, "u64");
      else scanner.skipValue();
    }
    if (range === undefined || count === undefined) return scanner.fail(at, 'a bin with "range" and "count"');
    if (edges.length > 0 && range.start !== previousEnd) scanner.fail(at, "a bin that begins where the one before ends");
    edges.push(range.start);
    counts.push(count);
    previousEnd = range.end;
  }
  if (edges.length === 0) scanner.fail(start, "at least one bin");
  return { edges, counts };
}

interface BinRange {
  readonly start: Value;
  /** Null: without an end. */
  readonly end: Value | null;
}

function readRange(scanner: JsonScanner, support: Support): BinRange {
  const at = scanner.pos;
  let type: string | undefined;
  let start: Value | undefined;
  let end: Value | undefined;
  for (let key = scanner.firstKey("a range"); key !== null; key = scanner.nextKey()) {
    if (key === "type") type = scanner.string("the type of a range");
    else if (key === "start") start = readValue(scanner, support);
    else if (key === "end") end = readValue(scanner, support);
    else scanner.skipValue();
  }
  if (type === "range" && start !== undefined && end !== undefined) return { start, end };
  if (type === "range_from" && start !== undefined) return { start, end: null };
  return scanner.fail(at, "a range with start and end, or a range_from with start");
}

function readQuantile(scanner: JsonScanner): Quantile {
  const start = scanner.pos;
  let p: number | undefined;
  let markerHeights: number[] | undefined;
  let markerPositions: bigint[] | undefined;
  let desiredMarkerPositions: number[] | undefined;
  for (let key = scanner.firstKey("a quantile"); key !== null; key = scanner.nextKey()) {
    if (key === "p") p = readFloat(scanner, "f64");
    else if (key === "marker_heights") markerHeights = readFive(scanner, () => readFloat(scanner, "f64"));
    else if (key === "marker_positions") markerPositions = readFive(scanner, () => readInteger(scanner, "u64"));
    else if (key === "desired_marker_positions") desiredMarkerPositions = readFive(scanner, () => readFloat(scanner, "f64"));
    else scanner.skipValue();
  }
  if (p === undefined || markerHeights === undefined || markerPositions === undefined || desiredMarkerPositions === undefined) {
    return scanner.fail(start, "a quantile with p, marker_heights, marker_positions and desired_marker_positions");
  }
  return { p, markerHeights, markerPositions, desiredMarkerPositions };
}

function readFive<T>(scanner: JsonScanner, read: () => T): T[] {
  const start = scanner.pos;
  const items: T[] = [];
  for (let more = scanner.firstItem("an array of five numbers"); more; more = scanner.nextItem()) items.push(read());
  if (items.length !== 5) scanner.fail(start, "an array of five numbers");
  return items;
}
