// Cases of table-ops.json: one operation on given tables.
import { parseOperation, runOperation } from "../../dist/oxql/index.js";
import { attempt, DIALECTS, isVerdict } from "./oxql-refusal.mjs";
import { differenceOfTables, differenceOfValues, fieldsOf, tableOf, timeNs } from "./oxql-values.mjs";

export function runCase(testCase) {
  const { op, query_end: queryEnd, tables, error } = testCase;
  const endTimeNs = timeNs(queryEnd);
  const inputs = tables.flatMap(({ name, timeseries }) => timeseries.map(({ fields }) => ({ name, fields: fieldsOf(fields) })));
  const reasons = (error === undefined ? DIALECTS : ["upstream"]).map((dialect) => {
    const result = attempt(() =>
      runOperation(tables.map(tableOf), parseOperation(op, { nowNs: endTimeNs, dialect }), { endTimeNs, dialect }),
    );
    const reason = judge(result, testCase, inputs);
    return reason === null ? null : `${dialect}: ${reason}`;
  });
  return reasons.find((reason) => reason !== null) ?? null;
}

/** Why a result is neither upstream's nor, for a quirk, the plain one; or null. Both kinds of cases that have tables are judged so. */
export function judge(result, { error, expected, quirk, ideal, ideal_values: idealValues }, inputs) {
  const { value, kind, message } = result;
  if (quirk && isVerdict(ideal, result)) return null;
  if (value === undefined) return kind === error ? null : `${kind}: ${message}`;
  const reasons = [error === undefined ? differenceOfTables(expected, value) : `gives tables instead of ${error}`];
  if (quirk && Array.isArray(ideal)) reasons.push(differenceOfTables(ideal, value));
  if (quirk && idealValues !== undefined) reasons.push(differenceOfValues(idealValues, value, inputs));
  return reasons.includes(null) ? null : reasons[0];
}
