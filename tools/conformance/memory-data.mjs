/**
 * OxQL data over plain arrays, written without any part of the product so that it can stand beside it: the conformance runner feeds
 * cases from it, and the tests of the language use it through `test/support/memory-data.ts`. Its types are in `memory-data.d.mts`.
 */

/** Conditions are tested one row at a time, in the plainest way. */
export class MemoryData {
  /** Requests in the order in which they came, for tests of push-down. */
  requests = [];
  #series;
  #matches;
  #limitError;

  /** With `asStored` rows that are stored twice stay two, as upstream reads them. */
  constructor(series, { matches, limitError, asStored = false }) {
    this.#series = series.map((one) => ({ ...one, samples: inOrder(asStored ? one.samples : collapse(one.samples)) }));
    this.#matches = matches;
    this.#limitError = limitError;
  }

  async select(request, signal) {
    this.requests.push(request);
    // Answers come in later turns of the event loop, as a store's do.
    await new Promise((resolve) => setImmediate(resolve));
    signal.throwIfAborted();
    const selected = this.#series
      .filter((series) => series.timeseriesName === request.schema.timeseriesName)
      .map((series) => ({ fields: series.fields, rows: this.#rows(series, request) }))
      .filter(({ rows }) => rows.length > 0);
    const count = selected.reduce((sum, { rows }) => sum + rows.length, 0);
    if (count > request.maxRows) throw this.#limitError(`${count} rows are more than ${request.maxRows}.`);
    return {
      series: selected.map(({ fields, rows }) => columns(fields, rows, request.schema.datumType)),
      statements: [
        { id: `memory-${this.requests.length}`, text: request.schema.timeseriesName, elapsedMs: 0, rowsRead: BigInt(count), bytesRead: 0n },
      ],
    };
  }

  #rows(series, { alternatives, limit, lookBack }) {
    const rows = series.samples;
    const possible = alternatives.filter(({ fields }) => fields.every((term) => this.#fieldHolds(term, series.fields)));
    const wanted = rows.map(
      (row) => alternatives.length === 0 || possible.some(({ times }) => times.every((term) => timeHolds(term, row))),
    );
    const before = new Set();
    if (lookBack) {
      for (let i = 1; i < rows.length; i++) {
        if (!wanted[i] || wanted[i - 1] || rows[i].startTimeNs !== rows[i - 1].startTimeNs) continue;
        let at = i - 1;
        while (at >= 0 && (rows[at].value === null || wanted[at])) at -= 1;
        if (at >= 0 && rows[at].startTimeNs === rows[i].startTimeNs) before.add(rows[at]);
      }
    }
    let kept = rows.filter((_row, index) => wanted[index]);
    if (limit !== null) {
      const byTime = kept.toSorted((a, b) => compare(a.timestampNs, b.timestampNs));
      const chosen = new Set(limit.end === "first" ? byTime.slice(0, limit.count) : byTime.slice(-limit.count));
      kept = kept.filter((row) => chosen.has(row));
    }
    const all = new Set([...before, ...kept]);
    return kept.length === 0 ? [] : rows.filter((row) => all.has(row));
  }

  #fieldHolds(term, fields) {
    const { value } = fields.find(({ name }) => name === term.identifier);
    const literals = term.kind === "in" ? term.literals : [term.literal];
    const holds = (literal) => {
      const operator = term.kind === "in" ? "==" : term.operator;
      if (operator === "~=") return this.#matches(literal.value, value.value);
      if (operator === "!~=") return !this.#matches(literal.value, value.value);
      return ordered(operator, compare(value.value, literal.value));
    };
    return literals.some(holds) !== (term.kind === "in" && term.negated);
  }
}

function timeHolds({ operator, literal }, { timestampNs }) {
  return ordered(operator, compare(timestampNs, literal.valueNs));
}

function ordered(operator, order) {
  return { "==": order === 0, "!=": order !== 0, "<": order < 0, "<=": order <= 0, ">": order > 0, ">=": order >= 0 }[operator];
}

function compare(a, b) {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Each pair of start time and timestamp once: the later one given stays. */
function collapse(samples) {
  return [...new Map(samples.map((sample) => [`${sample.startTimeNs} ${sample.timestampNs}`, sample])).values()];
}

/** In order of (start time, timestamp). */
function inOrder(samples) {
  return samples.toSorted((a, b) => compare(a.startTimeNs ?? 0n, b.startTimeNs ?? 0n) || compare(a.timestampNs, b.timestampNs));
}

function columns(fields, rows, datumType) {
  const counted = datumType.startsWith("cumulative_") || datumType.startsWith("histogram_");
  const times = (name) => BigInt64Array.from(rows, (row) => row[name]);
  return {
    fields,
    startTimesNs: counted ? times("startTimeNs") : null,
    timestampsNs: times("timestampNs"),
    values: valueColumn(
      rows.map(({ value }) => value),
      datumType,
    ),
  };
}

/** The column that stored values of a datum type make; null is a missing one. */
export function valueColumn(values, datumType) {
  const present = values.includes(null) ? Uint8Array.from(values, (value) => (value === null ? 0 : 1)) : null;
  const filled = (missing) => values.map((value) => value ?? missing);
  if (datumType.startsWith("histogram_")) {
    return { type: datumType.startsWith("histogram_f") ? "double_distribution" : "integer_distribution", values, present };
  }
  if (datumType === "bool") return { type: "boolean", values: filled(false), present };
  if (datumType === "string") return { type: "string", values: filled(""), present };
  if (/f32|f64/.test(datumType)) return { type: "double", values: Float64Array.from(filled(0)), present };
  const integers = filled(0n);
  const wide = integers.some((value) => value >= 1n << 63n);
  return { type: "integer", values: wide ? BigUint64Array.from(integers) : BigInt64Array.from(integers), present };
}
