import { QUERY_UPSAMPLE_FACTOR } from "../core/index.ts";
import { columnName, type WideDesign } from "./layout.ts";
import { identifier, integerLiteral } from "./literal.ts";
import { unpackedSample } from "./packed-sample.ts";
import { seriesTable } from "./statements.ts";
import { windowName, windowNumber, windowRows, type WindowQuery } from "./window-statement.ts";

/** Windows of series as `windowRows` puts them together, aligned and reduced by group. */
export interface GroupQuery extends WindowQuery {
  readonly design: WideDesign;
  /** Ids as the window rows have them, each of a known series. Rows of others are passed over. */
  readonly ids: readonly bigint[];
  /** Open fields that the series of a group agree on. */
  readonly groupFields: readonly string[];
  /** For each column the number of its group: those whose enumerated fields agree as far as they are grouped by. */
  readonly columnGroups: readonly number[];
  /** Counters that have no sample before their first window, and that may have one in this hour bucket or an earlier one: they are doubtful. */
  readonly earlierBucket: number | null;
}

/**
 * Rows of eight 64-bit numbers, one for each group and window in which a timeseries has a place: the least id of the group, the group of the columns,
 * the window's number (-1: none, only the last number counts), how many timeseries have a value there, the sum, the least and the greatest of the
 * values as doubles, and whether something about the group is doubtful, so that its timeseries must be looked at one by one.
 */
export function groupStatement(query: GroupQuery, limit: number): string {
  const values = query.columns[0]!.cumulative ? ratesOfCounters(query) : meansOfGauges(query);
  const columns = ["gid", "cg", "k", "toUInt64(countIf(there)) AS n", "sumIf(v, there)", "minIf(v, there)", "maxIf(v, there)"];
  return `SELECT ${columns.join(", ")}, toUInt64(max(doubt)) FROM (${values}) GROUP BY gid, cg, k LIMIT ${limit}`;
}

/** One row of one number: whether the windows of any series of gauges lie too far apart. Rows that are stored twice do no harm here. */
export function gapStatement(query: GroupQuery): string {
  return `SELECT toUInt64(max(doubt)) FROM (${meansOfGauges(query)})`;
}

/** A row for each series, column and window: the mean. */
function meansOfGauges(query: GroupQuery): string {
  const rows = `SELECT id, w, one.1 AS c, one.2 AS cg, one.3 AS n, one.4 AS s, toUnixTimestamp64Nano(one.5) AS first_t, toUnixTimestamp64Nano(one.6) AS last_t FROM (${windowRows(query)}) ARRAY JOIN ${perColumn(query, 4)} AS one WHERE n != 0`;
  const joined = `SELECT *, ${lagged("last_t", "p_t")}, ${lagged("toUInt8(1)", "has")} FROM (${rows}) AS r INNER JOIN (${seriesRows(query)}) AS s ON r.id = s.sid WINDOW before AS (PARTITION BY id, c ORDER BY w ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)`;
  return `SELECT gid, cg, toInt64(w) - 1 AS k, s / n AS v, 1 AS there, has AND ${isGap("first_t - p_t", query)} AS doubt FROM (${joined})`;
}

/**
 * A row for each timeseries and window that its samples reach into. Between the last sample of one window and the first of the next a counter has grown
 * evenly, and so it has within a window, so each window has two intervals, which are dealt out to the windows that they lie in. This is
 * `rate` of the language, in its numbers and its order.
 */
function ratesOfCounters(query: GroupQuery): string {
  const { columns, earlierBucket, fromNs, periodNs } = query;
  const { scanType } = columns[0]!.valueType;
  // The lower half of the earliest sample is turned.
  const [firstTime, firstValue] = unpackedSample("bitXor(one.3, toUInt128(18446744073709551615))", scanType);
  const [lastTime, lastValue] = unpackedSample("one.4", scanType);
  const rows = `SELECT id, w, one.1 AS c, one.2 AS cg, ${firstTime} AS first_t, ${firstValue} AS first_v, ${lastTime} AS last_t, ${lastValue} AS last_v FROM (${windowRows(query)}) ARRAY JOIN ${perColumn(query, 2)} AS one WHERE one.4 != 0`;
  const lags = [lagged("id", "p_id"), lagged("w", "p_w"), lagged("last_t", "p_t"), lagged("last_v", "p_v"), lagged("toUInt8(1)", "has")];
  const joined = `SELECT *, ${lags.join(", ")} FROM (${rows}) AS r INNER JOIN (${seriesRows(query)}) AS s ON r.id = s.sid WINDOW before AS (PARTITION BY rep, c ORDER BY start_ns, w ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)`;
  const doubts = [
    // What was before the range is not among what was read.
    earlierBucket === null || fromNs === null
      ? "0"
      : `NOT same AND w != 0 AND first_b <= ${earlierBucket} AND start_ns < ${integerLiteral(fromNs)}`,
    // Two incarnations at one time.
    "has AND NOT same AND (start_ns < p_t OR first_t <= p_t)",
    `follows AND ${isGap("first_t - p_t", query)}`,
    // Differences that do not fit 64 bits turn round.
    "same AND (first_v >= p_v) != (between >= 0)",
    "(last_v >= first_v) != (within >= 0)",
  ];
  const steps = `SELECT *, has AND p_id = id AS same, has AND p_w != 0 AND w != 0 AS follows, toInt64(first_v - p_v) AS between, toInt64(last_v - first_v) AS within, toInt64(w) - 1 AS own, (${doubts.map((doubt) => `(${doubt})`).join(" OR ")}) AS doubt, least(if(same, p_t, start_ns), first_t) AS since, if(same, toFloat64(between), toFloat64(first_v)) AS grown FROM (${joined})`;
  // Windows before the first of a timeseries are none of it; of doubtful ones it does not matter.
  const firstOwn = `if(follows AND since < first_t AND NOT doubt, ${windowNumber(`since + 1`, query)}, own)`;
  const nothing = "(toInt64(0), toInt64(0), toFloat64(0), toInt64(-1), toInt64(-1))";
  const intervals = `multiIf(w = 0, [${nothing}], last_t > first_t, [(since, first_t, grown, ${firstOwn}, own), (first_t, last_t, toFloat64(within), own, own)], [(since, first_t, grown, ${firstOwn}, own)])`;
  const dealt = `SELECT gid, cg, rep, c, doubt, i.1 AS a, i.2 AS z, i.3 AS g, arrayJoin(range(i.4, i.5 + 1)) AS k FROM (SELECT gid, cg, rep, c, doubt, arrayJoin(${intervals}) AS i FROM (${steps}))`;
  const period = integerLiteral(periodNs);
  const windowEnd = `(k * ${period} + ${integerLiteral(query.endTimeNs % periodNs)})`;
  const overlap = `if(z > a, least(z, ${windowEnd}) - greatest(a, ${windowEnd} - ${period}), 0)`;
  const shares = `SELECT gid, cg, rep, c, k, doubt, ${overlap} AS o, if(z > a, g * (o / (z - a)), g) AS share FROM (${dealt})`;
  return `SELECT any(gid) AS gid, any(cg) AS cg, k, max(doubt) AS doubt, sum(o) AS covered, covered > 0 AS there, if(there, sum(share) * 1e9 / covered, 0) AS v FROM (${shares}) GROUP BY rep, c, k`;
}

/** `[(place, group, …the window's numbers), …]` */
function perColumn({ columnGroups }: GroupQuery, numbers: number): string {
  const tuples = columnGroups.map((group, place) => {
    const parts = Array.from({ length: numbers }, (_, part) => `${windowName(place)}.${part + 1}`);
    return `(toUInt64(${place}), toUInt64(${group}), ${parts.join(", ")})`;
  });
  return `[${tuples.join(", ")}]`;
}

/**
 * A row for each series: `sid`, start and first hour, `rep`, the least id among the series of its fields, and `gid`, the least among those of its
 * group. The ids are written out, so that no series counts that came to be since the question was planned.
 */
function seriesRows({ design, groupFields, ids }: GroupQuery): string {
  const open = design.openFields.map(({ name }, place) => ({ name, column: identifier(columnName(name)), alias: `field_${place}` }));
  const grouped = open.filter(({ name }) => groupFields.includes(name));
  const least = (by: typeof open): string =>
    `min(sid) OVER (${by.length === 0 ? "" : `PARTITION BY ${by.map(({ alias }) => alias).join(", ")}`})`;
  const fields = open.map(({ alias, column }) => `any(${column}) AS ${alias}`);
  const list = ids.map(integerLiteral).join(", ");
  const one = `SELECT sid, toUnixTimestamp64Nano(any(start_time)) AS start_ns, min(first_b) AS first_hour, ${fields.join(", ")} FROM ${seriesTable(design)} WHERE sid IN (${list}) GROUP BY sid`;
  return `SELECT sid, start_ns, first_hour AS first_b, ${least(open)} AS rep, ${least(grouped)} AS gid FROM (${one})`;
}

function lagged(expression: string, name: string): string {
  return `lagInFrame(${expression}) OVER before AS ${name}`;
}

/** Neighbours that `align` refuses. */
function isGap(distance: string, { periodNs }: GroupQuery): string {
  return `(${distance} <= 0 OR ${distance} > ${integerLiteral(BigInt(QUERY_UPSAMPLE_FACTOR) * periodNs)})`;
}
