import { expect } from "vitest";
import { fieldSetIdentity } from "../../src/core/index.ts";
import type { QueryOutcome } from "../../src/oxql/index.ts";

/** Expects two answers to agree: the same timeseries at the same times, the same gaps, integers equal and doubles but for the order of additions. */
export function expectAlike(put: QueryOutcome | Error, plain: QueryOutcome, text: string): void {
  if (put instanceof Error) throw put;
  expect(put.tables.length, text).toBe(plain.tables.length);
  for (const [i, table] of plain.tables.entries()) {
    const byIdentity = new Map(put.tables[i]!.timeseries.map((series) => [fieldSetIdentity(series.fields), series]));
    expect(byIdentity.size, text).toBe(table.timeseries.length);
    for (const { fields, points } of table.timeseries) {
      const other = byIdentity.get(fieldSetIdentity(fields))?.points;
      expect(other?.timestampsNs, text).toEqual(points.timestampsNs);
      const [wanted, found] = [points, other!].map(({ dimensions }) => dimensions[0]!.values);
      for (let row = 0; row < points.timestampsNs.length; row++) {
        const present = (column: typeof wanted): boolean => column!.present === null || column!.present[row] === 1;
        expect(present(found), `${text} row ${row}`).toBe(present(wanted));
        if (!present(wanted)) continue;
        const [a, b] = [Number(found!.values[row]), Number(wanted!.values[row])];
        if (!(Math.abs(a - b) <= 1e-12 * Math.max(Math.abs(a), Math.abs(b)))) throw new Error(`${text} row ${row}: ${a} instead of ${b}`);
      }
    }
  }
}
