import { IMPORT_BLOCK_ROWS, type Catalogue } from "../core/index.ts";
import type { Reading, RecordedInstant, RecordedSubject, RowSink, SledIdentity } from "../sources/index.ts";
import { RowCollector, type Withheld } from "./row-collector.ts";

const ZONES = "zone_resource";
const SLEDS = "sled_resource";

/** The targets that rows are of. */
export const IMPORT_TARGETS: readonly string[] = [ZONES, SLEDS];

/** Rows of sleds: one for each report, so a smaller block holds as long a time. */
const SLED_BLOCK_ROWS = IMPORT_BLOCK_ROWS / 10;

/** Sends the rows of zones and those of sleds to a block each. */
export class RowBlocks implements RowSink {
  readonly zones: RowCollector;
  readonly sleds: RowCollector;
  /** Rows begun. */
  rows = 0;
  /** Serial numbers of the sleds that they are of, as they came. */
  readonly serials = new Set<string>();
  #sled: SledIdentity | null = null;
  #current: RowCollector;

  constructor(catalogue: Catalogue, withheld: Withheld) {
    this.zones = new RowCollector(catalogue, ZONES, IMPORT_BLOCK_ROWS, withheld);
    this.sleds = new RowCollector(catalogue, SLEDS, SLED_BLOCK_ROWS, withheld);
    this.#current = this.zones;
  }

  /** Those that have to be stored before they can take an instant. */
  withoutRoomFor({ rows }: RecordedInstant): RowCollector[] {
    return [...(this.zones.room < rows ? [this.zones] : []), ...(this.sleds.room === 0 ? [this.sleds] : [])];
  }

  row(subject: RecordedSubject, timestampNs: bigint): void {
    this.#current.end();
    this.#current = subject.of.kind === "zone" ? this.zones : this.sleds;
    this.#current.begin(subject, timestampNs);
    this.rows += 1;
    if (subject.sled === this.#sled) return;
    this.#sled = subject.sled;
    this.serials.add(subject.sled.sledSerial);
  }

  reading(reading: Reading): void {
    this.#current.reading(reading);
  }

  readonly measured = (metric: string, measurement: bigint | number | string): void => this.#current.measured(metric, measurement);

  end(): void {
    this.#current.end();
  }
}
