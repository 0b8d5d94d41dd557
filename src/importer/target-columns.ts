import {
  fieldSet,
  fitsInteger,
  isIntegerType,
  type Catalogue,
  type DatumType,
  type Field,
  type FieldSchema,
  type FieldSet,
  type FieldValue,
  type TimeseriesSchema,
} from "../core/index.ts";
import type { BlockColumn } from "../store/index.ts";

/** 2^32 */
const WORD = 0x1_0000_0000;

/** A column that is being filled, and how a value gets into it. */
export interface TargetColumn extends BlockColumn {
  readonly cumulative: boolean;
  /** False where the value does not fit the metric's type. */
  put(row: number, value: bigint | number): boolean;
}

/** The columns of one target that readings have filled so far, found by the names that readings have. */
export class TargetColumns {
  readonly #catalogue: Catalogue;
  readonly #targetName: string;
  readonly #rows: number;
  readonly #byReading = new Map<string, TargetColumn | null>();

  /** Columns have room for so many rows. */
  constructor(catalogue: Catalogue, targetName: string, rows: number) {
    this.#catalogue = catalogue;
    this.#targetName = targetName;
    this.#rows = rows;
  }

  all(): TargetColumn[] {
    return [...this.#byReading.values()].filter((column) => column !== null);
  }

  /** The column of a reading, or null where the schemas have no place for it. */
  of(metric: string, labels: Readonly<Record<string, string>>): TargetColumn | null {
    let key = metric;
    for (const name in labels) key += `\n${name}=${labels[name]!}`;
    let column = this.#byReading.get(key);
    if (column === undefined) this.#byReading.set(key, (column = this.#make(metric, labels)));
    return column;
  }

  /** The column of a reading without labels. */
  unlabelled(metric: string): TargetColumn | null {
    const known = this.#byReading.get(metric);
    return known === undefined ? this.of(metric, {}) : known;
  }

  clear(): void {
    for (const { present } of this.all()) present.fill(0);
  }

  #make(metric: string, labels: Readonly<Record<string, string>>): TargetColumn | null {
    const schema = this.#catalogue.get(`${this.#targetName}:${metric}`);
    if (schema === undefined) return null;
    const enumerated = schema.fields.filter((field) => field.source === "metric" && field.values !== null);
    const fits = enumerated.every(({ name, values }) => values!.includes(labels[name] ?? ""));
    if (!fits || enumerated.length !== Object.keys(labels).length) return null;
    const texts = enumerated.map(({ name }) => `${name}=${labels[name]!}`);
    return makeColumn(texts.length === 0 ? metric : `${metric}(${texts.join(",")})`, schema.datumType, this.#rows);
  }
}

function makeColumn(label: string, type: DatumType, rows: number): TargetColumn | null {
  const scalar = type.replace("cumulative_", "");
  const cumulative = scalar !== type;
  const present = new Uint8Array(rows);
  if (scalar === "f64") {
    const values = new Float64Array(rows);
    const put = (row: number, value: bigint | number): boolean => {
      values[row] = Number(value);
      if (!Number.isFinite(values[row])) return false;
      present[row] = 1;
      return true;
    };
    return { label, values, present, cumulative, put };
  }
  if (scalar !== "u64" && scalar !== "i64") return null;
  const values = scalar === "u64" ? new BigUint64Array(rows) : new BigInt64Array(rows);
  const words = new Uint32Array(values.buffer);
  const put = (row: number, value: bigint | number): boolean => {
    if (typeof value === "number" && value >= 0) {
      if (!Number.isSafeInteger(value)) return false;
      // Low word first, as on every platform that the engine has a build for: no bigint is made.
      words[2 * row] = value % WORD;
      words[2 * row + 1] = value / WORD;
    } else {
      if (typeof value === "number" && !Number.isSafeInteger(value)) return false;
      const whole = BigInt(value);
      if (!fitsInteger(scalar, whole)) return false;
      values[row] = whole;
    }
    present[row] = 1;
    return true;
  };
  return { label, values, present, cumulative, put };
}

/** All fields of a target's series but the enumerated ones, with these values. Every metric of a target has the same. */
export function seriesFields(catalogue: Catalogue, targetName: string, values: Readonly<Record<string, string>>): FieldSet {
  const schema = [...catalogue].find((candidate: TimeseriesSchema) => candidate.targetName === targetName);
  const fields = schema?.fields.filter((field) => field.source === "target" || field.values === null) ?? [];
  return fieldSet(fields.map((field): Field => ({ name: field.name, value: fieldValueOf(field, values[field.name] ?? "") })));
}

function fieldValueOf({ type }: FieldSchema, text: string): FieldValue {
  if (isIntegerType(type)) return { type, value: BigInt(text) };
  return type === "bool" ? { type, value: text === "true" } : { type, value: text };
}
