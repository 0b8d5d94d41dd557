import { Option } from "commander";
import { formatRfc3339, parseDurationNs, parseRfc3339, systemClock, ZonemeterError } from "../core/index.ts";
import { SOURCE_NAMES } from "../sources/index.ts";
import { csvRow } from "../wire/index.ts";
import { ApiConnection, withConnection, type ConnectionFlags } from "./api-connection.ts";
import { askQuery, readAnswer } from "./ask-query.ts";
import type { CommandContext, CommandDefinition } from "./command.ts";
import { DEFAULT_OPERATOR_URL } from "./ports.ts";
import { compareSources, type Comparison, type ZoneMeans } from "./source-means.ts";
import { writeAll } from "./write.ts";

const HOUR_NS = 3_600_000_000_000n;
const DEFAULT_WINDOWS = 60n;
const MIN_PERIOD_NS = 60_000_000_000n;

interface CompareFlags extends ConnectionFlags {
  readonly from?: string;
  readonly to?: string;
  readonly period?: string;
  readonly format: "table" | "csv";
}

interface Quantity {
  readonly title: string;
  readonly unit: string;
  readonly digits: number;
  /** What one of the unit is in the store's. */
  readonly scale: number;
  /** Gets and what aligns them; the time and the grouping come between and behind. */
  readonly parts: readonly { readonly get: string; readonly align: string; readonly reducer: string; readonly scale?: number }[];
}

/** What sources can be compared by. CPU has two forms: counters of nanoseconds, and zonestat's CPUs in use. */
const QUANTITIES: readonly Quantity[] = [
  {
    title: "CPU",
    unit: "CPUs",
    digits: 4,
    scale: 1,
    parts: [
      { get: 'get zone_resource:cpu_nsec | filter state != "waitrq"', align: "rate", reducer: "sum", scale: 1e9 },
      { get: "get zone_resource:cpu_used", align: "mean_within", reducer: "mean" },
    ],
  },
  {
    title: "resident memory",
    unit: "MiB",
    digits: 1,
    scale: 1_048_576,
    parts: [{ get: "get zone_resource:memory_resident", align: "mean_within", reducer: "mean" }],
  },
  {
    title: "swap reserved",
    unit: "MiB",
    digits: 1,
    scale: 1_048_576,
    parts: [{ get: "get zone_resource:swap_reserved", align: "mean_within", reducer: "mean" }],
  },
];

/** `zonemeter compare` */
export const compareCommand: CommandDefinition = {
  define(program, run) {
    withConnection(
      program.command("compare").description("show CPU and memory of each zone as each source measured them, with the differences"),
    )
      .option("--from <time>", "RFC 3339, such as 2026-11-20T00:00:00Z (default: an hour before --to)")
      .option("--to <time>", "RFC 3339 (default: now)")
      .option("--period <time>", "length of the windows that are compared, such as 1m (default: a 60th of the time, a minute at least)")
      .addOption(new Option("--format <format>", "how to print it").choices(["table", "csv"]).default("table"))
      .action((flags: CompareFlags) => run((context) => compare(flags, context)));
  },
};

async function compare(flags: CompareFlags, context: CommandContext): Promise<number> {
  const { fromNs, toNs, period } = timesOf(flags);
  const times = `timestamp > @${formatRfc3339(fromNs).slice(0, -1)} && timestamp <= @${formatRfc3339(toNs).slice(0, -1)}`;
  const api = await ApiConnection.open(flags, context, DEFAULT_OPERATOR_URL);
  const compared: (readonly [Quantity, Comparison])[] = [];
  try {
    for (const quantity of QUANTITIES) {
      const tables = [];
      for (const { get, align, reducer, scale = quantity.scale } of quantity.parts) {
        const query = `${get} | filter ${times} | align ${align}(${period}) | map datum / ${scale.toFixed(1)} | group_by [sled_serial, zone_name, source], ${reducer}`;
        tables.push(...readAnswer(await askQuery(api, query, {}, context.signal), api.name));
      }
      compared.push([quantity, compareSources(tables)]);
    }
  } finally {
    await api.close();
  }
  if (compared.every(([, { zones }]) => zones.length === 0)) {
    throw new ZonemeterError(
      "not_found",
      `No zone was measured by two sources between ${formatRfc3339(fromNs)} and ${formatRfc3339(toNs)}: name another time, import recordings, or set producer.compare_sources.`,
    );
  }
  await writeAll(
    context.stdout,
    flags.format === "csv" ? csv(compared) : compared.map(([quantity, comparison]) => renderComparison(quantity, comparison)),
  );
  return 0;
}

function timesOf({ from, to, period }: CompareFlags): { fromNs: bigint; toNs: bigint; period: string } {
  const toNs = to === undefined ? systemClock.wallNs() : timeOf("--to", to);
  const fromNs = from === undefined ? toNs - HOUR_NS : timeOf("--from", from);
  if (fromNs >= toNs) throw new ZonemeterError("usage", `--from ${formatRfc3339(fromNs)} is not before --to ${formatRfc3339(toNs)}.`);
  if (period !== undefined) {
    if (parseDurationNs(period, "--period") <= 0n) throw new ZonemeterError("usage", `--period "${period}" must be more than nothing.`);
    return { fromNs, toNs, period };
  }
  const each = (toNs - fromNs) / DEFAULT_WINDOWS;
  return { fromNs, toNs, period: `${(each > MIN_PERIOD_NS ? each : MIN_PERIOD_NS) / 1_000_000_000n}s` };
}

function timeOf(flag: string, text: string): bigint {
  const ns = parseRfc3339(text);
  if (ns === null) throw new ZonemeterError("usage", `${flag} "${text}" is not a time: write it as 2026-11-20T00:00:00Z.`);
  return ns;
}

/** The source that the others are held against is the first in the order in which sources speak for a metric. */
function sourcesOf(zones: readonly ZoneMeans[]): string[] {
  const found = new Set(zones.flatMap(({ bySource }) => [...bySource.keys()]));
  const known = SOURCE_NAMES.filter((name) => found.has(name));
  return [...known, ...[...found].filter((name) => !(SOURCE_NAMES as readonly string[]).includes(name)).sort()];
}

function renderComparison({ title, unit, digits }: Quantity, { zones, alone }: Comparison): string {
  const note = alone === 0 ? "" : `${alone === 1 ? "1 zone has" : `${alone} zones have`} one source alone.\n`;
  if (zones.length === 0) return `${title}: no zone has two sources\n\n`;
  const [reference, ...others] = sourcesOf(zones);
  const header = ["sled", "zone", "windows", reference!, ...others.flatMap((source) => [source, "difference", "%"])];
  const rows = zones.map(({ sled, zone, windows, bySource }) => {
    const base = bySource.get(reference!);
    const cells = others.flatMap((source) => {
      const value = bySource.get(source);
      if (value === undefined) return ["-", "-", "-"];
      if (base === undefined) return [value.toFixed(digits), "-", "-"];
      return [value.toFixed(digits), (value - base).toFixed(digits), base === 0 ? "-" : ((100 * (value - base)) / base).toFixed(2)];
    });
    return [sled, zone, String(windows), base?.toFixed(digits) ?? "-", ...cells].map(printable);
  });
  const widths = header.map((text, i) => Math.max(text.length, ...rows.map((row) => row[i]!.length)));
  const line = (cells: readonly string[]): string =>
    `${cells
      .map((text, i) => (i < 2 ? text.padEnd(widths[i]!) : text.padStart(widths[i]!)))
      .join("  ")
      .trimEnd()}\n`;
  return `${title}, mean of ${unit}, differences from ${reference!}\n${line(header)}${line(widths.map((width) => "-".repeat(width)))}${rows.map(line).join("")}${note}\n`;
}

function* csv(compared: readonly (readonly [Quantity, Comparison])[]): Generator<string> {
  yield csvRow(["quantity", "unit", "sled", "zone", "windows", "source", "mean"]);
  for (const [{ title, unit }, { zones }] of compared) {
    for (const { sled, zone, windows, bySource } of zones) {
      for (const source of sourcesOf(zones)) {
        const mean = bySource.get(source);
        if (mean !== undefined) yield csvRow([title, unit, sled, zone, windows, source, mean]);
      }
    }
  }
}

/** Control characters of outside text must not reach a terminal. */
function printable(text: string): string {
  // eslint-disable-next-line no-control-regex
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, "?");
}
