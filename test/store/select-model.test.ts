import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fieldValue, type FieldSet, type Sample } from "../../src/core/index.ts";
import type { Comparison, Membership, SelectAlternative, SelectRequest } from "../../src/oxql/index.ts";
import type { Store } from "../../src/store/index.ts";
import { Random } from "../support/random.ts";
import { fieldIn, fieldIs, freshDirectory, NOW_NS, openStoreAt, selectRows, timeIs, type SampleRow } from "../support/store-at.ts";
import { zoneSnapshot } from "../support/zone-samples.ts";
import { sledFields } from "../support/zone-schema.ts";

const SECOND = 1_000_000_000n;
const HOUR = 3_600n * SECOND;
const BEGIN = NOW_NS - 40n * HOUR;
const NAMES = ["zone_resource:cpu_nsec", "zone_resource:memory_resident", "zone_resource:cpu_used"];

/** Every sample that was ever handed in, once. */
type Model = Map<string, { readonly name: string; readonly fields: FieldSet; readonly row: SampleRow }>;

/** Snapshots of a few zones over forty hours: quick and slow sources, restarts, gaps, gauges that come with counters and alone. */
function randomSnapshots(random: Random): Sample[][] {
  const snapshots: Sample[][] = [];
  for (let zone = 0; zone < 7; zone++) {
    const type = random.pick(["crucible", "propolis", "ntp"]);
    const sled = random.below(3);
    const everySeconds = BigInt(random.pick([300, 900, 4000]));
    let startTimeNs = BEGIN - BigInt(random.below(3)) * HOUR;
    let timestampNs = BEGIN + BigInt(random.below(7_200)) * SECOND;
    while (timestampNs < NOW_NS) {
      const value = BigInt(random.below(1_000_000)) << BigInt(random.below(44));
      const counters = {
        "cpu_nsec(state=user)": value,
        "cpu_nsec(state=sys)": value + 1n,
        ...(random.chance(0.3) ? { "cpu_nsec(state=waitrq)": 2n ** 64n - 1n - value } : {}),
      };
      const gauges = { memory_resident: value ^ 77n, ...(random.chance(0.5) ? { cpu_used: Number(value) / 7 } : {}) };
      const at = { sled, type, zone, startTimeNs, timestampNs };
      const shape = random.below(10);
      if (shape < 6) snapshots.push(zoneSnapshot({ ...at, values: { ...counters, ...gauges } }));
      // The snapshot falls apart: its gauges come without the counters, perhaps again with them.
      else if (shape < 8) snapshots.push(zoneSnapshot({ ...at, values: counters }), zoneSnapshot({ ...at, values: gauges }));
      else if (shape < 9)
        snapshots.push(zoneSnapshot({ ...at, values: gauges }), zoneSnapshot({ ...at, values: { ...counters, ...gauges } }));
      else snapshots.push(zoneSnapshot({ ...at, source: "vmusage", values: gauges }));
      timestampNs += everySeconds * SECOND + BigInt(random.below(1_000));
      if (random.chance(0.05)) timestampNs += BigInt(random.below(12)) * HOUR;
      if (random.chance(0.04)) startTimeNs = timestampNs - BigInt(random.below(20)) * SECOND;
    }
  }
  return snapshots;
}

function remember(model: Model, sample: Sample): void {
  const fields = [...sample.target.fields, ...sample.metric.fields].sort((a, b) => (a.name < b.name ? -1 : 1));
  const series = fields.map(({ name, value }) => `${name}=${String(value.value)}`).join(" ");
  const startTimeNs = "startTimeNs" in sample.datum ? sample.datum.startTimeNs : null;
  const value = sample.datum.type === "missing" ? null : sample.datum.value;
  const key = [sample.timeseriesName, series, startTimeNs, sample.timestampNs].join("|");
  model.set(key, { name: sample.timeseriesName, fields, row: { series, startTimeNs, timestampNs: sample.timestampNs, value } });
}

function fieldHolds(condition: Comparison | Membership, fields: FieldSet): boolean {
  const { value } = fieldValue(fields, condition.identifier)!;
  if (condition.kind === "in")
    return condition.literals.some((literal) => "value" in literal && literal.value === value) !== condition.negated;
  const wanted = (condition.literal as { value: string | bigint }).value;
  switch (condition.operator) {
    case "~=":
      return new RegExp(wanted as string).test(value as string);
    case "!~=":
      return !new RegExp(wanted as string).test(value as string);
    default:
      return compares(condition.operator, value as string | bigint, wanted);
  }
}

function compares(operator: Comparison["operator"], a: string | bigint, b: string | bigint): boolean {
  return { "==": a === b, "!=": a !== b, "<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b, "~=": false, "!~=": false }[operator];
}

/** The answer in the plainest way: every sample is looked at. */
function expected(
  model: Model,
  name: string,
  alternatives: readonly SelectAlternative[],
  limit: SelectRequest["limit"],
  lookBack: boolean,
): SampleRow[] {
  const bySeries = new Map<string, SampleRow[]>();
  const kept = new Set<SampleRow>();
  for (const { name: of, fields, row } of model.values()) {
    if (of !== name) continue;
    bySeries.set(row.series, [...(bySeries.get(row.series) ?? []), row]);
    const wanted = (one: SelectAlternative): boolean =>
      one.fields.every((condition) => fieldHolds(condition, fields)) &&
      one.times.every(({ operator, literal }) => compares(operator, row.timestampNs, (literal as { valueNs: bigint }).valueNs));
    if (alternatives.length === 0 || alternatives.some(wanted)) kept.add(row);
  }
  const answer: SampleRow[] = [];
  for (const series of [...bySeries.keys()].sort()) {
    const rows = bySeries
      .get(series)!
      .sort((a, b) => Number((a.startTimeNs ?? 0n) - (b.startTimeNs ?? 0n)) || Number(a.timestampNs - b.timestampNs));
    if (limit !== null) {
      const byTime = rows.filter((row) => kept.has(row)).sort((a, b) => Number(a.timestampNs - b.timestampNs));
      const inLimit = limit.end === "first" ? byTime.slice(0, limit.count) : byTime.slice(-limit.count);
      for (const row of byTime) if (!inLimit.includes(row)) kept.delete(row);
    }
    answer.push(
      ...rows.filter(
        (row, i) =>
          kept.has(row) || (lookBack && row.startTimeNs !== null && kept.has(rows[i + 1]!) && rows[i + 1]!.startTimeNs === row.startTimeNs),
      ),
    );
  }
  return answer;
}

function randomAlternative(random: Random, name: string): SelectAlternative {
  const fields: (Comparison | Membership)[] = [];
  const times: Comparison[] = [];
  const text = [
    ["zone_type", ["crucible", "propolis", "ntp", "none"]],
    ["source", ["kstat", "vmusage"]],
    ["sled_serial", ["BRM44220", "BRM44221", "BRM44222"]],
  ] as const;
  for (const [field, values] of name.endsWith("cpu_nsec") ? [...text, ["state", ["user", "sys", "waitrq"]] as const] : text) {
    if (random.chance(0.7)) continue;
    if (random.chance(0.5)) fields.push(fieldIs(field, random.pick(["==", "!=", "<", ">="]), random.pick(values)));
    else fields.push(fieldIn(field, [random.pick(values), random.pick(values)], random.chance(0.3)));
  }
  if (random.chance(0.15))
    fields.push(fieldIs("zone_name", random.pick(["~=", "!~="]), random.pick(["^oxz_[cp]", "00[135]$", "propolis|ntp"])));
  if (random.chance(0.1))
    fields.push(
      fieldIs("sled_id", random.pick(["==", "!="]), { type: "uuid", value: String(fieldValue(sledFields(1), "sled_id")!.value) }),
    );
  if (random.chance(0.1))
    fields.push(fieldIs("sled_revision", random.pick(["<", ">="]), { type: "integer", value: BigInt(random.pick([6, 7, -1])) }));
  for (let i = random.below(3); i > 0; i--)
    times.push(timeIs(random.pick([">", ">=", "<", "<=", ">", "!="]), BEGIN + (40n * HOUR * BigInt(random.below(1000))) / 1000n));
  return { fields, times };
}

describe("select against a plain model", () => {
  const seed = Number(process.hrtime.bigint() % 1_000_000_007n);
  const random = new Random(seed);
  const directory = freshDirectory();
  const model: Model = new Map();
  let store: Store;

  beforeAll(async () => {
    store = await openStoreAt(directory.path);
    const snapshots = random.shuffled(randomSnapshots(random));
    let batch = 0;
    for (let at = 0; at < snapshots.length; batch++) {
      const size = 1 + random.below(200);
      const again = random.chance(0.3) ? snapshots.slice(Math.max(0, at - 30), at) : [];
      const samples = [...again, ...snapshots.slice(at, at + size)].flat();
      const report = await store.insert(samples, `batch ${batch}`);
      expect(report).toMatchObject({ stored: samples.length, messages: [] });
      // Every so often an answer is lost, and the batch comes again.
      if (random.chance(0.3)) await store.insert(samples, `batch ${batch}`);
      for (const sample of samples) remember(model, sample);
      at += size;
    }
  });

  afterAll(async () => {
    await store.close();
    directory.remove();
  });

  const ask = async (questions: number): Promise<void> => {
    for (let question = 0; question < questions; question++) {
      const name = random.pick(NAMES);
      const any = Array.from({ length: random.pick([0, 1, 1, 1, 2, 3]) }, () => randomAlternative(random, name));
      const limit = random.chance(0.5) ? null : { end: random.pick(["first", "last"] as const), count: random.pick([1, 1, 2, 5, 40, 700]) };
      const lookBack = random.chance(0.5);
      const asked = JSON.stringify({ seed, question, name, any, limit, lookBack }, (_key, value: unknown) =>
        typeof value === "bigint" ? String(value) : value,
      );
      expect(await selectRows(store, name, { any, limit, lookBack }), asked).toEqual(expected(model, name, any, limit, lookBack));
    }
  };

  it(`gives the same samples (seed ${seed})`, async () => {
    expect(model.size).toBeGreaterThan(300);
    await ask(150);
  });

  it(`gives the same samples after reopening (seed ${seed})`, async () => {
    await store.close();
    store = await openStoreAt(directory.path);
    await ask(50);
  });
});
