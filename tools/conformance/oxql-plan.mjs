// Cases of plan.json: what a query gives, or why it is refused, found without data.
import { parse, plan } from "../../dist/oxql/index.js";
import { catalogueOf } from "./oxql-catalogue.mjs";
import { attempt, CLOCK_NS, DIALECTS, isVerdict } from "./oxql-refusal.mjs";

export function runCase(testCase) {
  const catalogue = catalogueOf(testCase.schema);
  const reasons = (testCase.error === undefined ? DIALECTS : ["upstream"]).map((dialect) => {
    const result = attempt(() => plan(parse(testCase.query, { nowNs: CLOCK_NS, dialect }), catalogue, { dialect }));
    const reason = againstUpstream(result, testCase);
    if (reason === null || (testCase.quirk && isVerdict(testCase.ideal, result))) return null;
    return `${dialect}: ${reason}`;
  });
  return reasons.find((reason) => reason !== null) ?? null;
}

function againstUpstream({ value, kind, message }, { error, expected_output: expected }) {
  if (error !== undefined)
    return kind === error ? null : `expected ${error}, got ${value === undefined ? `${kind}: ${message}` : "a plan"}`;
  if (value === undefined) return `is refused as ${kind}: ${message}`;
  const actual = value.tables.map((table, index) => described(table, expected[index]));
  const wanted = expected.map((table) => ({ ...table, fields: sorted(table.fields) }));
  const [a, b] = [JSON.stringify(actual), JSON.stringify(wanted.map((table, index) => pick(table, actual[index])))];
  return a === b ? null : `expected ${b}, got ${a}`;
}

/** In the form of the case. Metric types are compared where it gives them. */
function described(table, expected) {
  return {
    name: table.name,
    fields: sorted(Object.fromEntries(table.fields)),
    ...(expected?.metric_types === undefined ? {} : { metric_types: table.columns.map(({ metricType }) => metricType) }),
    data_types: table.columns.map(({ dataType }) => dataType),
    period_ns: table.alignment === null ? null : String(table.alignment.periodNs),
  };
}

/** The same keys in the same order. */
function pick(table, like) {
  return like === undefined ? table : Object.fromEntries(Object.keys(like).map((key) => [key, table[key]]));
}

function sorted(fields) {
  return Object.fromEntries(Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1)));
}
