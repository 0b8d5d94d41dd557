import type { Arithmetic, MapOperation } from "../ast.ts";
import { columnsNamed } from "../column-names.ts";
import { formatDuration } from "../format-duration.ts";
import { signedDifference, toDoubles, wordsOf } from "../int64-words.ts";
import { queryError } from "../query-error.ts";
import type { Table, Timeseries } from "../table.ts";
import type { OperationContext } from "./context.ts";
import { isNumeric } from "./numeric-columns.ts";
import { commonAlignment } from "./alignment.ts";

/** One value for each point; a missing one is NaN in `values` and 0 in `present`. */
interface Computed {
  readonly values: Float64Array;
  readonly present: Uint8Array;
}

/**
 * Computes one double column from the columns of an aligned table. A result is missing where an operand is, where `ago` looks at a
 * time without a point, and where it is not a finite number, as after a division by zero. Fields, times and alignment stay. Throws
 * `not_aligned`, `invalid_identifier`, `non_numeric`, `type_mismatch` (an `ago` that is no multiple of the period).
 */
export function map(tables: readonly Table[], operation: MapOperation, _context: OperationContext): Table[] {
  return tables.map((table) => {
    if (table.timeseries.length === 0) return table;
    const { periodNs } = commonAlignment(table, "map", "not_aligned", operation.position);
    return { name: table.name, timeseries: table.timeseries.map((series) => mapOne(series, table.name, periodNs, operation.expression)) };
  });
}

function mapOne(series: Timeseries, tableName: string, periodNs: bigint, expression: Arithmetic): Timeseries {
  const { timestampsNs } = series.points;
  const { values, present } = new Evaluation(series, tableName, periodNs).of(expression);
  for (let i = 0; i < values.length; i++) if (!Number.isFinite(values[i]!)) present[i] = 0;
  const column = { type: "double", values, present: present.includes(0) ? present : null } as const;
  return { ...series, points: { startTimesNs: null, timestampsNs, dimensions: [{ metricType: "gauge", values: column }] } };
}

class Evaluation {
  readonly #series: Timeseries;
  readonly #tableName: string;
  readonly #periodNs: bigint;

  constructor(series: Timeseries, tableName: string, periodNs: bigint) {
    this.#series = series;
    this.#tableName = tableName;
    this.#periodNs = periodNs;
  }

  /** The arrays are fresh: the caller may change them. */
  of(expression: Arithmetic): Computed {
    const length = this.#series.points.timestampsNs.length;
    switch (expression.kind) {
      case "constant":
        return { values: new Float64Array(length).fill(expression.value), present: new Uint8Array(length).fill(1) };
      case "column":
        return this.#column(expression);
      case "negate": {
        const { values, present } = this.of(expression.operand);
        return { values: values.map((value) => -value), present };
      }
      case "binary":
        return binary(expression.operator, this.of(expression.left), this.of(expression.right));
      case "ago":
        return this.#ago(expression);
    }
  }

  #column({ name, position }: Extract<Arithmetic, { kind: "column" }>): Computed {
    const { dimensions, timestampsNs } = this.#series.points;
    const named = columnsNamed(this.#tableName, dimensions.length, name);
    if (named.length !== 1) {
      const problem = named.length > 1 ? "names several columns of" : "is no column of";
      throw queryError(
        "invalid_identifier",
        `"${name}" ${problem} ${this.#tableName}: write the whole name of one of them${dimensions.length === 1 ? ", or datum" : ""}.`,
        position,
      );
    }
    const column = dimensions[named[0]!]!.values;
    if (!isNumeric(column))
      throw queryError("non_numeric", `"${name}" holds ${column.type} values: only numbers can be computed with.`, position);
    const values = column.type === "integer" ? toDoubles(column.values) : column.values.slice();
    return { values, present: column.present?.slice() ?? new Uint8Array(timestampsNs.length).fill(1) };
  }

  /** The operand at the point that lies `durationNs` before each point. */
  #ago({ operand, durationNs, position }: Extract<Arithmetic, { kind: "ago" }>): Computed {
    if (durationNs % this.#periodNs !== 0n) {
      const [duration, period] = [formatDuration(durationNs), formatDuration(this.#periodNs)];
      throw queryError("type_mismatch", `ago looks back ${duration}, which is not a multiple of the period of ${period}.`, position);
    }
    const { values, present } = this.of(operand);
    const { timestampsNs } = this.#series.points;
    const times = wordsOf(timestampsNs);
    const distance = Number(durationNs);
    const shifted = { values: new Float64Array(values.length), present: new Uint8Array(values.length) };
    for (let i = 0, from = 0; i < values.length; i++) {
      while (signedDifference(times, i, times, from) > distance) from += 1;
      if (signedDifference(times, i, times, from) !== distance) continue;
      shifted.values[i] = values[from]!;
      shifted.present[i] = present[from]!;
    }
    return shifted;
  }
}

function binary(operator: "+" | "-" | "*" | "/", left: Computed, right: Computed): Computed {
  const { values, present } = left;
  const other = right.values;
  for (let i = 0; i < values.length; i++) {
    present[i]! &= right.present[i]!;
    switch (operator) {
      case "+":
        values[i]! += other[i]!;
        break;
      case "-":
        values[i]! -= other[i]!;
        break;
      case "*":
        values[i]! *= other[i]!;
        break;
      case "/":
        values[i]! /= other[i]!;
        break;
    }
  }
  return { values, present };
}
