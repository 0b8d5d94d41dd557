import type { Random } from "./random.ts";

/** What one zone prints in one report. Bytes are whole KiB from 1 MiB on, so that the text is exact. */
export interface PrintedZone {
  readonly name: string;
  readonly cpuHundredths: number;
  readonly physicalBytes: number;
  readonly virtualBytes: number;
}

export interface PrintedReport {
  readonly unixS: number;
  /** Number of the report in its run, from 1. */
  readonly count: number;
  readonly intervalS: number;
  readonly zones: readonly PrintedZone[];
}

const TOTALS = "128:128:1060148268K:1328558080K";

/** The lines of one report of `zonestat -p`, each with its end, so that a test can cut them or put others between. */
export function reportLines({ unixS, count, intervalS, zones }: PrintedReport): string[] {
  const time = new Date(unixS * 1000).toISOString().replace(/[-:]|\.\d+/g, "");
  const elapsed = count * intervalS;
  const row = (name: string, cpu: number, physical: string, virtual: string): string =>
    `interval:summary:${name}:${(cpu / 100).toFixed(2)}:0.01%:-:-:${physical}:0.11%:-:${virtual}:0.11%:-\n`;
  const sum = zones.reduce((total, { cpuHundredths }) => total + cpuHundredths, 0);
  return [
    `interval:header:since-last-interval:${time}:${count}:${elapsed}\n`,
    `interval:summary:[resource]:${TOTALS}\n`,
    row("[total]", sum + 90, "88000000K", "99000000K"),
    row("[system]", 90, "77000000K", "78000000K"),
    ...zones.map(({ name, cpuHundredths, physicalBytes, virtualBytes }) =>
      row(name, cpuHundredths, amount(physicalBytes), amount(virtualBytes)),
    ),
    `interval:footer:${time}${intervalS}:${elapsed}\n`,
  ];
}

/** As the tool prints amounts: the decimal point of those from 10000 to 99999 is lost. */
function amount(bytes: number): string {
  if (bytes <= 9_999) return String(bytes);
  if (bytes > 99_999) return `${Math.floor(bytes / 1_024)}K`;
  return `${Math.floor((bytes * 10) / 1_024)}K`;
}

export interface ZonestatDay {
  readonly text: string;
  readonly reports: readonly PrintedReport[];
}

/** A day file as cron leaves it: one run of six reports a minute, each zone on a walk of its own. */
export function recordZonestat(names: readonly string[], reports: number, firstUnixS: number, random: Random, intervalS = 10): ZonestatDay {
  const state = names.map(() => ({ cpu: random.below(300), pages: 300 + random.below(100_000) }));
  const printed = Array.from({ length: reports }, (_, i): PrintedReport => {
    const zones = names.map((name, z) => {
      const own = state[z]!;
      own.cpu = Math.max(0, own.cpu + random.below(11) - 5);
      own.pages = Math.max(300, own.pages + random.below(65) - 32);
      return { name, cpuHundredths: own.cpu, physicalBytes: own.pages * 4_096, virtualBytes: own.pages * 6_144 };
    });
    return { unixS: firstUnixS + i * intervalS, count: (i % 6) + 1, intervalS, zones };
  });
  return { text: printed.flatMap(reportLines).join(""), reports: printed };
}
