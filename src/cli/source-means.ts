import { fieldValue } from "../core/index.ts";
import type { Table } from "../oxql/index.ts";

/** Mean of one quantity of one zone as each source that has it says. All means are over the same windows: those that every one of them has. */
export interface ZoneMeans {
  readonly sled: string;
  readonly zone: string;
  readonly windows: number;
  readonly bySource: ReadonlyMap<string, number>;
}

export interface Comparison {
  /** Zones that two sources or more have, in order of sled and zone. */
  readonly zones: readonly ZoneMeans[];
  /** Zones that only one source has, or that no window is common to. */
  readonly alone: number;
}

interface Windows {
  readonly sled: string;
  readonly zone: string;
  /** Value by window, by source. */
  readonly bySource: Map<string, Map<bigint, number>>;
}

/** Puts the answers of queries side by side that ended with `group_by [sled_serial, zone_name, source]`. */
export function compareSources(tables: readonly Table[]): Comparison {
  const found = new Map<string, Windows>();
  for (const { fields, points } of tables.flatMap(({ timeseries }) => timeseries)) {
    const [sled, zone, source] = ["sled_serial", "zone_name", "source"].map((name) => String(fieldValue(fields, name)?.value ?? "")) as [
      string,
      string,
      string,
    ];
    const column = points.dimensions[0]!.values;
    if (column.type !== "double") continue;
    const key = `${sled}\n${zone}`;
    const windows = found.get(key) ?? { sled, zone, bySource: new Map<string, Map<bigint, number>>() };
    found.set(key, windows);
    const values = windows.bySource.get(source) ?? new Map<bigint, number>();
    windows.bySource.set(source, values);
    for (const [i, value] of column.values.entries()) {
      if (column.present?.[i] !== 0 && Number.isFinite(value)) values.set(points.timestampsNs[i]!, value);
    }
  }
  const means = [...found.values()].map(meansOf);
  const zones = means.filter(({ bySource, windows }) => bySource.size > 1 && windows > 0);
  zones.sort((a, b) => compareTexts(a.sled, b.sled) || compareTexts(a.zone, b.zone));
  return { zones, alone: means.length - zones.length };
}

function meansOf({ sled, zone, bySource }: Windows): ZoneMeans {
  const [first, ...others] = bySource.values();
  const common = [...first!.keys()].filter((time) => others.every((values) => values.has(time)));
  const means = [...bySource].map(
    ([source, values]) => [source, common.reduce((sum, time) => sum + values.get(time)!, 0) / common.length] as const,
  );
  return { sled, zone, windows: common.length, bySource: new Map(means) };
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
