import { join } from "node:path";
import { snapshotsOf } from "../tools/fleet/csv.mjs";
import { fleetMeta } from "../tools/fleet/load.mjs";

const MINUTE = 60;
const HOUR = 3_600;
const DAY = 86_400;
const GROWN_BYTES = 67_108_864;

/**
 * The answers to the eight questions by plain loops over a fleet's files: no query language, no store. Each is a map from what tells one
 * value from the others to the value. Increases are spread evenly over the time in which they came.
 */
export async function trueAnswers(fleet) {
  const meta = fleetMeta(fleet);
  const { end } = meta;
  const minutely = new Increases(end, MINUTE, HOUR);
  const quarter = new Increases(end, 15 * MINUTE, 15 * MINUTE);
  const hourly = new Increases(end, HOUR, 7 * DAY);
  const resident = new Means(end, MINUTE);
  const [before, now] = [new Means(end, 5 * MINUTE), new Means(end, 5 * MINUTE)];
  const last = new Map();
  const names = new Map();
  let zone = null;
  for (const sled of meta.sleds) {
    const previous = new Map();
    for await (const rows of snapshotsOf(join(fleet, "truth", `sled-${sled.sled}.csv`))) {
      for (const row of rows) {
        if (row.ts > end) continue;
        const { ts, zoneType } = row;
        const key = `${sled.serial}|${row.zone}`;
        const growth = growthOf(previous.get(row.zone), row);
        previous.set(row.zone, row);
        for (const increases of [minutely, quarter, hourly]) increases.add(key, zoneType, growth);
        const bytes = Number(row.rssBytes);
        if (zoneType.startsWith("clickhouse") && ts > end - DAY) resident.add(key, ts, bytes);
        if (ts > end - 5 * MINUTE) now.add(key, ts, bytes);
        if (ts > end - 6 * HOUR - 5 * MINUTE && ts <= end - 6 * HOUR) before.add(key, ts, bytes);
        if (ts > end - DAY) names.set(key, 1);
        if (ts > end - 5 * MINUTE) last.set(key, { ...row, growth });
        if (zone === null && zoneType === "nexus" && ts > end - MINUTE) zone = row.zone;
      }
    }
  }
  const cpus = new Map(meta.sleds.map(({ serial, cpus: count }) => [serial, count]));
  const perMinute = minutely.rates((key) => key);
  const perQuarter = [...quarter.rates((key) => key)].sort(([, a], [, b]) => b - a);
  const grown = [...now.means()].flatMap(([key, mean]) => {
    const earlier = before.means().get(`${key.slice(0, key.lastIndexOf("|"))}|${end - 6 * HOUR}`);
    return earlier !== undefined && mean - earlier > GROWN_BYTES ? [[key, mean - earlier]] : [];
  });
  const one = [...last].find(([key]) => key.endsWith(`|${zone}`))[1];
  return {
    zone,
    answers: {
      Q1: minutely.rates((key, type) => (type === "crucible" ? key : null)),
      Q2: new Map(perQuarter.slice(0, 10)),
      Q3: resident.means(),
      Q4: hourly.rates((_key, type) => type),
      Q5: new Map([
        ["cpu_nsec(user)", one.growth.user],
        ["cpu_nsec(sys)", one.growth.sys],
        ["cpu_nsec(waitrq)", one.growth.waitrq],
        ["memory_resident", Number(one.rssBytes)],
        ["swap_reserved", Number(one.virtBytes)],
      ]),
      Q6: names,
      Q7: new Map(grown),
      Q8: new Map([...perMinute].map(([key, used]) => [key, (100 * used) / cpus.get(key.slice(0, key.indexOf("|")))])),
    },
  };
}

/** What a zone's counters grew since its sample before, or since it booted. */
function growthOf(before, row) {
  const same = before !== undefined && before.bootTs === row.bootTs ? before : null;
  const since = same === null ? row.bootTs : same.ts;
  const grown = (name) => Number(BigInt(row[name]) - (same === null ? 0n : BigInt(same[name])));
  return { since, until: row.ts, user: grown("userNs"), sys: grown("sysNs"), waitrq: grown("waitrqNs") };
}

/** Rates of each zone's CPU time in windows that step back from the end. */
class Increases {
  #end;
  #period;
  #range;
  #series = new Map();

  constructor(end, period, range) {
    this.#end = end;
    this.#period = period;
    this.#range = range;
  }

  add(key, type, { since, until, user, sys }) {
    if (until <= this.#end - this.#range) return;
    let series = this.#series.get(key);
    if (series === undefined) {
      // Windows are there from the first sample on.
      const oldest = Math.floor((this.#end - until) / this.#period);
      this.#series.set(key, (series = { type, oldest, windows: new Map() }));
    }
    for (let number = Math.floor((this.#end - until) / this.#period); number <= series.oldest; number++) {
      const to = this.#end - number * this.#period;
      if (to <= since && until > since) break;
      const overlap = Math.min(until, to) - Math.max(since, to - this.#period);
      const share = until === since ? 1 : overlap / (until - since);
      const window = series.windows.get(to) ?? { user: 0, sys: 0, seconds: 0 };
      window.user += user * share;
      window.sys += sys * share;
      window.seconds += overlap;
      series.windows.set(to, window);
      if (until === since) break;
    }
  }

  /** CPUs in use, added up over the zones that `groupOf` gives one name; null leaves a zone out. */
  rates(groupOf) {
    const rates = new Map();
    for (const [key, { type, windows }] of this.#series) {
      const group = groupOf(key, type);
      if (group === null) continue;
      for (const [to, { user, sys, seconds }] of windows) {
        if (seconds === 0) continue;
        const at = `${group}|${to}`;
        rates.set(at, (rates.get(at) ?? 0) + (user + sys) / seconds / 1e9);
      }
    }
    return rates;
  }
}

class Means {
  #end;
  #period;
  #windows = new Map();

  constructor(end, period) {
    this.#end = end;
    this.#period = period;
  }

  add(key, ts, value) {
    const at = `${key}|${this.#end - Math.floor((this.#end - ts) / this.#period) * this.#period}`;
    const window = this.#windows.get(at) ?? { sum: 0, count: 0 };
    window.sum += value;
    window.count += 1;
    this.#windows.set(at, window);
  }

  means() {
    return new Map([...this.#windows].map(([at, { sum, count }]) => [at, sum / count]));
  }
}
