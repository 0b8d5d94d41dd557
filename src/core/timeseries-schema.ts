import type { DatumType } from "./datum.ts";
import { compareNames, type FieldType } from "./field.ts";

/** Who may see a timeseries. Names that nothing declares are `operator_only`. */
export type Visibility = "operator_only" | "customer";
export type AuthzScope = "fleet" | "silo" | "project" | "viewable_to_all";

export const UNITS = [
  "none",
  "count",
  "bytes",
  "seconds",
  "nanoseconds",
  "volts",
  "amps",
  "watts",
  "degrees_celsius",
  "rpm",
  "joules",
] as const;
export type Units = (typeof UNITS)[number];

export interface FieldSchema {
  readonly name: string;
  readonly type: FieldType;
  readonly source: "target" | "metric";
  readonly description: string;
  /** Every value the field can take, where the schema enumerates them; null where it is open. */
  readonly values: readonly string[] | null;
}

/** One timeseries as declared in TOML. `fields` are sorted by name. */
export interface TimeseriesSchema {
  readonly timeseriesName: string;
  readonly targetName: string;
  readonly metricName: string;
  readonly version: number;
  readonly targetDescription: string;
  readonly metricDescription: string;
  readonly authzScope: AuthzScope;
  readonly visibility: Visibility;
  readonly units: Units;
  readonly datumType: DatumType;
  readonly fields: readonly FieldSchema[];
}

/** Upstream's pattern for `target:metric`. */
export const TIMESERIES_NAME_PATTERN = /^(([a-z]+[a-z0-9]*)(_([a-z0-9]+))*):(([a-z]+[a-z0-9]*)(_([a-z0-9]+))*)$/;

/** The timeseries that one principal knows about. Iteration is in name order. */
export class Catalogue {
  readonly #byName: ReadonlyMap<string, TimeseriesSchema>;

  constructor(schemas: Iterable<TimeseriesSchema>) {
    const sorted = [...schemas].sort((a, b) => compareNames(a.timeseriesName, b.timeseriesName));
    this.#byName = new Map(sorted.map((schema) => [schema.timeseriesName, schema]));
  }

  get(timeseriesName: string): TimeseriesSchema | undefined {
    return this.#byName.get(timeseriesName);
  }

  names(): string[] {
    return [...this.#byName.keys()];
  }

  get size(): number {
    return this.#byName.size;
  }

  [Symbol.iterator](): IterableIterator<TimeseriesSchema> {
    return this.#byName.values();
  }

  /** What a customer may know of: the schemas marked `customer`. */
  forCustomers(): Catalogue {
    return new Catalogue([...this].filter((schema) => schema.visibility === "customer"));
  }
}
