// Whole queries over raw samples in memory: `query.json`.
import { MemoryData } from "./memory-data.mjs";
import { storedValue } from "./oxql-delta.mjs";
import { differenceOfTables, differenceOfValues, fieldsOf, timeNs } from "./oxql-values.mjs";

/** Why the case fails, or null. The modules are those of the product; without them the built ones are taken. */
export async function runCase(test, modules = undefined) {
  const { oxql, core, compileRegex } = modules ?? (await builtModules());
  const nowNs = timeNs(test.now);
  const schemas = test.schema.map(schemaOf);
  const types = new Map(schemas.map(({ timeseriesName, datumType }) => [timeseriesName, datumType]));
  const catalogue = new core.Catalogue(schemas);
  const data = new MemoryData(test.data.map((series) => storedSeries(series, types)), {
    matches: (pattern, text) => compileRegex(pattern)(text),
    limitError: (message) => new core.ZonemeterError("limit", message),
  });
  let actual;
  try {
    const query = oxql.parse(test.query, { nowNs, dialect: "upstream" });
    oxql.plan(query, catalogue, { dialect: "upstream" });
    const signal = new AbortController().signal;
    actual = (await oxql.execute(query, { catalogue, data, nowNs, signal, dialect: "upstream" })).tables;
  } catch (error) {
    return error.kind === test.error ? null : `failed with ${error.kind}: ${error.message}`;
  }
  const reasons = [test.error === undefined ? differenceOfTables(test.expected, actual) : `succeeded instead of failing with ${test.error}`];
  const inputs = test.data.map(({ fields }) => fieldsOf(fields));
  if (test.quirk && test.ideal_values !== undefined) reasons.push(differenceOfValues(test.ideal_values, actual, inputs));
  return reasons.includes(null) ? null : reasons[0];
}

async function builtModules() {
  const [oxql, core, { compileRegex }] = await Promise.all([
    import("../../dist/oxql/index.js"),
    import("../../dist/core/index.js"),
    import("../../dist/oxql/regex.js"),
  ]);
  return { oxql, core, compileRegex };
}

/** A schema of the case files, which have names and types alone. */
export function schemaOf({ timeseries_name, datum_type, fields }) {
  const [targetName, metricName] = timeseries_name.split(":");
  const described = Object.entries(fields).map(([name, type]) => ({ name, type, source: "target", description: "", values: null }));
  return {
    timeseriesName: timeseries_name,
    targetName,
    metricName,
    version: 1,
    targetDescription: "",
    metricDescription: "",
    authzScope: "fleet",
    visibility: "operator_only",
    units: "none",
    datumType: datum_type,
    fields: described.sort((a, b) => (a.name < b.name ? -1 : 1)),
  };
}

function storedSeries({ timeseries_name, fields, samples }, types) {
  const datumType = types.get(timeseries_name);
  return {
    timeseriesName: timeseries_name,
    fields: fieldsOf(fields),
    samples: samples.map(({ start_time, timestamp, value }) => ({
      startTimeNs: start_time === undefined ? null : timeNs(start_time),
      timestampNs: timeNs(timestamp),
      value: storedValue(value, datumType),
    })),
  };
}
