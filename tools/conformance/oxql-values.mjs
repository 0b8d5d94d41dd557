// OxQL cases hold tables as the public API shows them, with integers beyond 2^53 as strings. This reads them, and compares results.

const NUMBER_TOLERANCE = 1e-9;
const NS_PER_SECOND = 1_000_000_000n;

/** Nanoseconds since the epoch of an RFC 3339 time in UTC. */
export function timeNs(text) {
  const [, seconds, fraction = ""] = /^(.*?)(?:\.(\d+))?Z$/.exec(text);
  return BigInt(Date.parse(`${seconds}Z`) / 1000) * NS_PER_SECOND + BigInt(fraction.padEnd(9, "0"));
}

/** A field set from `{"name": {"type", "value"}}`. */
export function fieldsOf(fields) {
  return Object.entries(fields)
    .map(([name, { type, value }]) => ({ name, value: { type, value: /^[iu]\d/.test(type) ? BigInt(value) : value } }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

export function tableOf({ name, timeseries }) {
  return {
    name,
    timeseries: timeseries.map(({ fields, points, alignment }) => ({
      fields: fieldsOf(fields),
      points: {
        startTimesNs: points.start_times === null ? null : BigInt64Array.from(points.start_times, timeNs),
        timestampsNs: BigInt64Array.from(points.timestamps, timeNs),
        dimensions: points.values.map(({ metric_type, values }) => ({ metricType: metric_type, values: columnOf(values) })),
      },
      alignment:
        alignment === null || alignment === undefined
          ? null
          : { endTimeNs: timeNs(alignment.end_time), periodNs: BigInt(alignment.period_ns) },
    })),
  };
}

function columnOf({ type, values }) {
  const present = values.includes(null) ? Uint8Array.from(values, (value) => (value === null ? 0 : 1)) : null;
  if (type === "integer") return { type, values: values.map((value) => BigInt(value ?? 0)), present };
  if (type === "double") return { type, values: Float64Array.from(values, (value) => value ?? 0), present };
  if (type.endsWith("_distribution"))
    return { type, values: values.map((value) => value && distributionOf(value, type.startsWith("integer"))), present };
  return { type, values: values.map((value) => value ?? (type === "string" ? "" : false)), present };
}

/** A histogram from its JSON form. */
export function distributionOf(value, isInteger) {
  const number = (each) => (each === null || each === undefined ? null : isInteger ? BigInt(each) : Number(each));
  return {
    bins: value.bins.map(number),
    counts: value.counts.map(BigInt),
    min: number(value.min),
    max: number(value.max),
    sumOfSamples: number(value.sum_of_samples),
    squaredMean: value.squared_mean,
    p50: value.p50,
    p90: value.p90,
    p99: value.p99,
  };
}

/** The values of a column as the case files write them: bigint or number, null for missing. */
export function valuesOf(column) {
  return Array.from(column.values, (value, row) => (column.present !== null && column.present[row] === 0 ? null : value));
}

/** Why `actual` is not the expected tables, or null. Timeseries are a set, tables are ordered. Alignments count where the case has them. */
export function differenceOfTables(expected, actual) {
  if (expected.length !== actual.length) return `${actual.length} tables instead of ${expected.length}`;
  for (const [index, table] of expected.entries()) {
    const wanted = tableOf(table);
    const got = actual[index];
    if (got.name !== wanted.name) return `table ${got.name} instead of ${wanted.name}`;
    if (got.timeseries.length !== wanted.timeseries.length)
      return `${got.timeseries.length} timeseries instead of ${wanted.timeseries.length} in ${got.name}`;
    const byFields = new Map(got.timeseries.map((series) => [identity(series.fields), series]));
    for (const [at, series] of wanted.timeseries.entries()) {
      const other = byFields.get(identity(series.fields));
      if (other === undefined) return `no timeseries ${identity(series.fields)} in ${got.name}`;
      const reason = differenceOfSeries(series, other, "alignment" in table.timeseries[at]);
      if (reason !== null) return `${got.name} ${identity(series.fields)}: ${reason}`;
    }
  }
  return null;
}

/** Why the points differ from expected ones (both as of a table), or null. */
export function differenceOfPoints(wanted, got) {
  if (String(wanted.timestampsNs) !== String(got.timestampsNs)) return `timestamps ${got.timestampsNs}`;
  if (String(wanted.startTimesNs) !== String(got.startTimesNs)) return `start times ${got.startTimesNs}`;
  if (wanted.dimensions.length !== got.dimensions.length) return `${got.dimensions.length} dimensions`;
  for (const [index, { metricType, values }] of wanted.dimensions.entries()) {
    const other = got.dimensions[index];
    if (metricType !== other.metricType || values.type !== other.values.type) return `${other.metricType} of ${other.values.type}`;
    if (!sameList(valuesOf(values), valuesOf(other.values))) return `values ${valuesOf(other.values)}`;
  }
  return null;
}

function differenceOfSeries(wanted, got, withAlignment) {
  const alignment = (series) => `${series.alignment?.endTimeNs} ${series.alignment?.periodNs}`;
  if (withAlignment && alignment(wanted) !== alignment(got)) return `alignment ${alignment(got)}`;
  return differenceOfPoints(wanted.points, got.points);
}

/**
 * Why `actual` differs from `ideal_values`, or null. `inputs` are the input's timeseries (name and fields) in their order; a
 * timeseries stands where the first input of its table (of a joined one, of the first of its names) stands that has all its fields.
 */
export function differenceOfValues(ideal, actual, inputs) {
  if (ideal.length !== actual.length) return `${actual.length} tables instead of ${ideal.length}`;
  for (const [index, wanted] of ideal.entries()) {
    const [first] = actual[index].name.split(",");
    const own = inputs.filter(({ name }) => name === first);
    const place = ({ fields }) =>
      own.findIndex((input) => fields.every((field) => input.fields.some((each) => identity([each]) === identity([field]))));
    const got = actual[index].timeseries
      .toSorted((a, b) => place(a) - place(b))
      .map(({ points }) => {
        const lists = points.dimensions.map(({ values }) => valuesOf(values));
        return lists.length === 1 ? lists[0] : lists;
      });
    if (!same(wanted, got)) return `values ${JSON.stringify(got, (_key, value) => (typeof value === "bigint" ? String(value) : value))}`;
  }
  return null;
}

/** The names, types and values of a field set, for messages and as a key. */
export function identity(fields) {
  return fields.map(({ name, value }) => `${name}:${value.type}=${value.value}`).join(" ");
}

export function sameList(expected, actual) {
  return expected.length === actual.length && expected.every((value, index) => same(value, actual[index]));
}

/** Expected values may be numbers, or strings of digits for large integers; actual ones may be bigints. Doubles have a tolerance. */
function same(expected, actual) {
  if (Array.isArray(expected)) return Array.isArray(actual) && sameList(expected, actual);
  if (expected !== null && typeof expected === "object") {
    return actual !== null && typeof actual === "object" && Object.keys(expected).every((key) => same(expected[key], actual[key]));
  }
  if (typeof actual === "bigint") return expected !== null && String(expected) === String(actual);
  if (typeof expected === "number" && typeof actual === "number") {
    return Math.abs(expected - actual) <= NUMBER_TOLERANCE * Math.max(Math.abs(expected), Math.abs(actual));
  }
  return expected === actual;
}
