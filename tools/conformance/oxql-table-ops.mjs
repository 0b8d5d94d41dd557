// One table operation on given tables: `table-ops.json`.
import { differenceOfTables, differenceOfValues, fieldsOf, tableOf, timeNs } from "./oxql-values.mjs";

/** Why the case fails, or null. `oxql` is the room's outside; without it the built one is taken. */
export async function runCase(test, oxql = undefined) {
  const { parseOperation, runOperation } = oxql ?? (await import("../../dist/oxql/index.js"));
  const endTimeNs = timeNs(test.query_end);
  let actual;
  try {
    const operation = parseOperation(test.op, { nowNs: endTimeNs, dialect: "upstream" });
    actual = runOperation(test.tables.map(tableOf), operation, { endTimeNs, dialect: "upstream" });
  } catch (error) {
    return error.kind === test.error ? null : `failed with ${error.kind}: ${error.message}`;
  }
  const reasons = [];
  if (test.error === undefined) reasons.push(differenceOfTables(test.expected, actual));
  else reasons.push(`succeeded instead of failing with ${test.error}`);
  if (test.quirk && test.ideal !== undefined) reasons.push(differenceOfTables(test.ideal, actual));
  const inputs = test.tables.flatMap(({ timeseries }) => timeseries.map(({ fields }) => fieldsOf(fields)));
  if (test.quirk && test.ideal_values !== undefined) reasons.push(differenceOfValues(test.ideal_values, actual, inputs));
  return reasons.includes(null) ? null : reasons[0];
}
