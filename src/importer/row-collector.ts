import type { Catalogue, FieldSet } from "../core/index.ts";
import { withoutNumbers, type Reading, type RecordedSubject, type Tally } from "../sources/index.ts";
import type { BlockSeries, RowBlock } from "../store/index.ts";
import { seriesFields, TargetColumns, type TargetColumn } from "./target-columns.ts";

/** Why a limit has no value: nothing is withheld there. */
const NO_CAP = "no cap is set";

export interface Withheld {
  readonly rows: Tally;
  readonly values: Tally;
}

/** The columns of one target, filled a row at a time. */
export class RowCollector {
  readonly targetName: string;
  readonly #catalogue: Catalogue;
  readonly #withheld: Withheld;
  readonly #columns: TargetColumns;
  readonly #seriesOf: Uint32Array;
  readonly #timestampsNs: BigInt64Array;
  #series: BlockSeries[] = [];
  /** Places of series by subject: of those with counters, and of those without, whose start time is of no use. */
  #withCounters = new Map<RecordedSubject, number>();
  #withGauges = new Map<RecordedSubject, number>();
  #subject: RecordedSubject | null = null;
  #ofRow = 0;
  #hasCounter = false;
  #count = 0;

  constructor(catalogue: Catalogue, targetName: string, rows: number, withheld: Withheld) {
    this.#catalogue = catalogue;
    this.#withheld = withheld;
    this.targetName = targetName;
    this.#columns = new TargetColumns(catalogue, targetName, rows);
    this.#seriesOf = new Uint32Array(rows);
    this.#timestampsNs = new BigInt64Array(rows);
  }

  get count(): number {
    return this.#count;
  }

  /** Rows that still have room. */
  get room(): number {
    return this.#seriesOf.length - this.#count;
  }

  begin(subject: RecordedSubject, timestampNs: bigint): void {
    if (this.room === 0) throw new RangeError("an instant has more rows than was said");
    this.#subject = subject;
    this.#timestampsNs[this.#count] = timestampNs;
    this.#ofRow = 0;
    this.#hasCounter = false;
  }

  /** `measurement`: a value, or why there is none. */
  put(column: TargetColumn | null, metric: string, measurement: bigint | number | string): void {
    if (typeof measurement === "string") {
      if (measurement !== NO_CAP) this.#withheld.values.add(withoutNumbers(measurement));
    } else if (column === null) this.#withheld.values.add(`no schema has a place for ${metric}`);
    else if (!column.put(this.#count, measurement)) this.#withheld.values.add(`${column.label} does not fit the type of its schema`);
    else {
      this.#ofRow += 1;
      if (column.cumulative) this.#hasCounter = true;
    }
  }

  measured(metric: string, measurement: bigint | number | string): void {
    this.put(this.#columns.unlabelled(metric), metric, measurement);
  }

  reading(reading: Reading): void {
    this.put(this.#columns.of(reading.metric, reading.labels), reading.metric, reading.value ?? (reading as { reason: string }).reason);
  }

  /** Ends the row; one without any value is withheld. */
  end(): void {
    if (this.#subject === null) return;
    if (this.#ofRow === 0) this.#withheld.rows.add("no value in it can be used");
    else {
      this.#seriesOf[this.#count] = this.#placeOf(this.#subject);
      this.#count += 1;
    }
    this.#subject = null;
  }

  /** The rows so far, on the collector's own memory: they hold until `clear`. */
  block(): RowBlock {
    return {
      targetName: this.targetName,
      count: this.#count,
      series: this.#series,
      seriesOf: this.#seriesOf,
      timestampsNs: this.#timestampsNs,
      columns: this.#columns.all().filter(({ present }) => present.includes(1)),
    };
  }

  clear(): void {
    this.#columns.clear();
    this.#series = [];
    this.#withCounters = new Map();
    this.#withGauges = new Map();
    this.#count = 0;
  }

  #placeOf(subject: RecordedSubject): number {
    const places = this.#hasCounter ? this.#withCounters : this.#withGauges;
    const known = places.get(subject);
    if (known !== undefined) return known;
    const startTimeNs = this.#hasCounter ? subject.of.startTimeNs : 0n;
    const place = this.#series.push({ fields: this.#fieldsOf(subject), startTimeNs }) - 1;
    places.set(subject, place);
    return place;
  }

  #fieldsOf({ of, sled, source }: RecordedSubject): FieldSet {
    const own = of.kind === "zone" ? { zone_name: of.zoneName, zone_type: of.zoneType, zone_id: of.zoneId } : {};
    return seriesFields(this.#catalogue, this.targetName, {
      rack_id: sled.rackId,
      sled_id: sled.sledId,
      sled_model: sled.sledModel,
      sled_revision: String(sled.sledRevision),
      sled_serial: sled.sledSerial,
      source,
      ...own,
    });
  }
}
