// Cases of query.json: whole queries over raw samples in memory.
import { ZonemeterError } from "../../dist/core/index.js";
import { execute, parse, plan } from "../../dist/oxql/index.js";
import { compileRegex } from "../../dist/oxql/regex.js";
import { MemoryData } from "./memory-data.mjs";
import { catalogueOf } from "./oxql-catalogue.mjs";
import { storedValue } from "./oxql-delta.mjs";
import { attempt, DIALECTS } from "./oxql-refusal.mjs";
import { judge } from "./oxql-table-ops.mjs";
import { fieldsOf, timeNs } from "./oxql-values.mjs";

export async function runCase(testCase) {
  const inputs = testCase.data.map(({ timeseries_name: name, fields }) => ({ name, fields: fieldsOf(fields) }));
  for (const dialect of testCase.error === undefined ? DIALECTS : ["upstream"]) {
    const reason = judge(await ask(testCase, dialect), testCase, inputs);
    if (reason !== null) return `${dialect}: ${reason}`;
  }
  return null;
}

async function ask({ now, schema, data, query: text }, dialect) {
  const nowNs = timeNs(now);
  const catalogue = catalogueOf(schema);
  const source = new MemoryData(
    data.map((series) => storedSeries(series, catalogue)),
    {
      matches: (pattern, value) => compileRegex(pattern)(value),
      limitError: (message) => new ZonemeterError("limit", message),
      asStored: dialect === "upstream",
    },
  );
  const running = attempt(() => {
    const query = parse(text, { nowNs, dialect });
    plan(query, catalogue, { dialect });
    return execute(query, { catalogue, data: source, nowNs, signal: new AbortController().signal, dialect });
  });
  if (running.value === undefined) return running;
  return running.value.then(
    ({ tables }) => ({ value: tables }),
    (error) =>
      attempt(() => {
        throw error;
      }),
  );
}

function storedSeries({ timeseries_name: timeseriesName, fields, samples }, catalogue) {
  const { datumType } = catalogue.get(timeseriesName);
  return {
    timeseriesName,
    fields: fieldsOf(fields),
    samples: samples.map(({ start_time: start, timestamp, value }) => ({
      startTimeNs: start === undefined ? null : timeNs(start),
      timestampNs: timeNs(timestamp),
      value: storedValue(value, datumType),
    })),
  };
}
