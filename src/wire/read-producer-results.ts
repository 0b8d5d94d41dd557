import { isUtf8 } from "node:buffer";
import {
  TIMESERIES_NAME_PATTERN,
  WIRE_INTERN_BYTES,
  ZonemeterError,
  type Datum,
  type MetricsError,
  type ProducerResult,
  type Sample,
} from "../core/index.ts";
import { InternedObjects } from "./interned-objects.ts";
import { JsonScanner } from "./json-scanner.ts";
import { DatumReader } from "./read-datum.ts";
import { readNamedFields, type NamedFields } from "./read-fields.ts";
import { readInteger, TimeReader } from "./read-scalars.ts";
import { readTagged } from "./read-tagged.ts";

const RESULT_SHAPE = { tag: "status", content: "info", expected: 'a result such as {"status": "ok", "info": []}' };
const ERROR_SHAPE = { tag: "type", content: "content", expected: 'an error such as {"type": "datum_error", "content": "…"}' };

/**
 * Reads bodies of `GET /{producer_id}`. Kept for many bodies, it gives equal targets and metrics as the same objects again, so readers
 * behind it may remember what they found out about one. Not to be used from within itself.
 */
export class ProducerResultsReader {
  readonly #scanner = new JsonScanner();
  readonly #datums = new DatumReader();
  readonly #timestamps = new TimeReader();
  readonly #targets: InternedObjects<NamedFields>;
  readonly #metrics: InternedObjects<NamedFields>;
  #checkedName = "";
  readonly #readInfo = (scanner: JsonScanner, status: string, absent: boolean): ProducerResult => this.#info(scanner, status, absent);

  constructor(internBytes: number = WIRE_INTERN_BYTES) {
    this.#targets = new InternedObjects(internBytes / 2);
    this.#metrics = new InternedObjects(internBytes / 2);
  }

  /**
   * The results in a body. Keys may stand in any order, unknown ones are ignored. One bad sample refuses the whole body, as upstream
   * does: ZonemeterError `invalid_input` that names the path and the value.
   */
  read(body: Uint8Array): ProducerResult[] {
    const bytes = Buffer.isBuffer(body) ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength);
    if (!isUtf8(bytes)) throw new ZonemeterError("invalid_input", "The producer's answer is not UTF-8 text.");
    const scanner = this.#scanner;
    scanner.open(bytes);
    try {
      scanner.skipSpace();
      const results: ProducerResult[] = [];
      for (let more = scanner.firstItem("an array of results"); more; more = scanner.nextItem()) {
        results.push(readTagged(scanner, RESULT_SHAPE, this.#readInfo));
      }
      scanner.end();
      return results;
    } finally {
      scanner.open(Buffer.alloc(0));
    }
  }

  #info(scanner: JsonScanner, status: string, absent: boolean): ProducerResult {
    if (absent || (status !== "ok" && status !== "err")) scanner.fail(scanner.pos, '"info" of a result whose status is "ok" or "err"');
    if (status === "err") return { status, error: readTagged(scanner, ERROR_SHAPE, readError) };
    const samples: Sample[] = [];
    for (let more = scanner.firstItem("an array of samples"); more; more = scanner.nextItem()) samples.push(this.#sample(scanner));
    return { status: "ok", samples };
  }

  #sample(scanner: JsonScanner): Sample {
    const start = scanner.pos;
    let timestampNs: bigint | undefined;
    let datum: Datum | undefined;
    let timeseriesName: string | undefined;
    let timeseriesVersion = 0;
    let target: NamedFields | undefined;
    let metric: NamedFields | undefined;
    for (let key = scanner.firstKey("a sample"); key !== null; key = scanner.nextKey()) {
      if (key === "measurement" && datum === undefined) {
        const measurementAt = scanner.pos;
        for (let inner = scanner.firstKey("a measurement"); inner !== null; inner = scanner.nextKey()) {
          if (inner === "timestamp" && timestampNs === undefined) timestampNs = this.#timestamps.read(scanner);
          else if (inner === "datum" && datum === undefined) datum = this.#datums.read(scanner);
          else if (inner === "timestamp" || inner === "datum") scanner.fail(measurementAt, `a measurement with one "${inner}"`);
          else scanner.skipValue();
        }
        if (timestampNs === undefined || datum === undefined) scanner.fail(measurementAt, 'a measurement with "timestamp" and "datum"');
      } else if (key === "timeseries_name" && timeseriesName === undefined) timeseriesName = this.#name(scanner);
      else if (key === "timeseries_version" && timeseriesVersion === 0) {
        const at = scanner.pos;
        timeseriesVersion = Number(readInteger(scanner, "u8"));
        if (timeseriesVersion === 0) scanner.fail(at, "a version from 1 to 255");
      } else if (key === "target" && target === undefined) target = this.#namedFields(scanner, this.#targets);
      else if (key === "metric" && metric === undefined) metric = this.#namedFields(scanner, this.#metrics);
      else if (KNOWN_KEYS.has(key)) scanner.fail(start, `a sample with one "${key}"`);
      else scanner.skipValue();
    }
    if (datum === undefined || timestampNs === undefined || timeseriesName === undefined || target === undefined || metric === undefined) {
      return scanner.fail(start, 'a sample with "measurement", "timeseries_name", "target" and "metric"');
    }
    return { timeseriesName, timeseriesVersion: timeseriesVersion || 1, target, metric, timestampNs, datum };
  }

  /** A `target:metric` name. Upstream borrows it from the text, so it cannot hold an escape sequence. */
  #name(scanner: JsonScanner): string {
    const start = scanner.pos;
    const name = scanner.string("a timeseries name");
    const escaped = scanner.pos - start !== name.length + 2;
    if (escaped || (name !== this.#checkedName && !TIMESERIES_NAME_PATTERN.test(name))) {
      scanner.fail(start, "a timeseries name such as target:metric in lower case");
    }
    this.#checkedName = name;
    return name;
  }

  #namedFields(scanner: JsonScanner, interned: InternedObjects<NamedFields>): NamedFields {
    const start = scanner.pos;
    const length = interned.expect(scanner.bytes, start);
    if (length > 0) scanner.pos = start + length;
    else {
      const end = scanner.objectEnd();
      if (interned.find(scanner.bytes, start, end)) scanner.pos = end;
      else {
        const named = readNamedFields(scanner);
        interned.set(scanner.bytes, start, scanner.pos, named);
      }
    }
    return interned.value;
  }
}

const KNOWN_KEYS = new Set(["measurement", "timeseries_name", "timeseries_version", "target", "metric"]);

/** An error of any type is taken over as it is: collectors only log it. */
function readError(scanner: JsonScanner, type: string, absent: boolean): MetricsError {
  if (absent) return { type };
  const start = scanner.pos;
  scanner.skipValue();
  return { type, content: JSON.parse(scanner.bytes.toString("utf8", start, scanner.pos)) as unknown };
}

/** Reads one body with nothing remembered from others. */
export function readProducerResults(body: Uint8Array): ProducerResult[] {
  return new ProducerResultsReader().read(body);
}
