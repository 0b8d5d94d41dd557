import { KSTAT_SNAPSHOT_MAX_STATISTICS } from "../core/index.ts";
import type { Findings } from "./findings.ts";

/** One kstat as printed at one instant. */
export interface Kstat {
  readonly module: string;
  readonly instance: number;
  /** Cut to 30 characters by the kernel: use `zonename` to tell zones apart. */
  readonly name: string;
  /** Null where it was not printed. */
  readonly class: string | null;
  /** When it was created and when its values were read, ns of a clock that starts at about boot. Above 2^53 they may be off by a few ns. */
  readonly crtimeNs: bigint | null;
  readonly snaptimeNs: bigint | null;
  /** The full name of the zone; null where there is no such statistic. */
  readonly zonename: string | null;
  /** All other statistics as printed: numbers digit by digit, strings without their escapes. */
  readonly stats: ReadonlyMap<string, string>;
  /** The read failed, as when a zone went away meanwhile: only `crtime`, and perhaps `class`, is left. Not a zero. */
  readonly readFailed: boolean;
}

export interface KstatSnapshot {
  /** The time line of `-T` before it; null without one. */
  readonly timeNs: bigint | null;
  /** Line on which it begins. */
  readonly line: number;
  readonly kstats: readonly Kstat[];
}

/** A kstat whose lines are still coming. */
export interface OpenKstat {
  readonly module: string;
  readonly instance: number;
  readonly name: string;
  readonly line: number;
  class: string | null;
  crtimeNs: bigint | null;
  snaptimeNs: bigint | null;
  zonename: string | null;
  readonly stats: Map<string, string>;
}

/**
 * Gathers the kstats of one instant. Two selectors that match one kstat print it twice, which is merged; a kstat that comes again with
 * other values is of the next instant, where runs were appended to a file without anything between them.
 */
export class KstatSnapshots {
  readonly #findings: Findings;
  #timeNs: bigint | null = null;
  #line = 0;
  #kstats = new Map<string, OpenKstat>();
  #statistics = 0;
  #done: KstatSnapshot[] = [];

  constructor(findings: Findings) {
    this.#findings = findings;
  }

  add(kstat: OpenKstat): void {
    const key = `${kstat.module}:${kstat.instance}:${kstat.name}`;
    const same = this.#kstats.get(key);
    if (same !== undefined) {
      if (mergeInto(same, kstat)) return;
      this.finish();
    }
    if (this.#kstats.size === 0) this.#line = kstat.line;
    this.#statistics += kstat.stats.size + 4;
    if (this.#statistics > KSTAT_SNAPSHOT_MAX_STATISTICS) {
      this.#findings.addOnce(
        "too-many",
        "too-many-statistics",
        "A snapshot has too many statistics; the rest of it was dropped.",
        kstat.line,
      );
      return;
    }
    this.#kstats.set(key, kstat);
  }

  /** A time line: the next snapshot begins, at this time. */
  startAt(timeNs: bigint | null): void {
    this.finish();
    this.#timeNs = timeNs;
  }

  /** The snapshot is over. */
  finish(): void {
    if (this.#kstats.size === 0) return;
    this.#done.push({ timeNs: this.#timeNs, line: this.#line, kstats: [...this.#kstats.values()].map((kstat) => this.#finished(kstat)) });
    this.#kstats = new Map();
    this.#statistics = 0;
    this.#timeNs = null;
  }

  take(): KstatSnapshot[] {
    const done = this.#done;
    this.#done = [];
    return done;
  }

  #finished(kstat: OpenKstat): Kstat {
    const { module, instance, name, crtimeNs, snaptimeNs, zonename, stats } = kstat;
    const readFailed = snaptimeNs === null && zonename === null && stats.size === 0;
    if (snaptimeNs === null) {
      const text = `${module}:${instance}:${name} has no snaptime: it was not read.`;
      this.#findings.add("kstat-read-failed", text, kstat.line);
    }
    return { module, instance, name, class: kstat.class, crtimeNs, snaptimeNs, zonename, stats, readFailed };
  }
}

/** Adds what a second print of the same kstat has more; false where the two contradict each other. */
function mergeInto(into: OpenKstat, from: OpenKstat): boolean {
  for (const key of ["class", "crtimeNs", "snaptimeNs", "zonename"] as const) {
    if (into[key] !== null && from[key] !== null && into[key] !== from[key]) return false;
  }
  for (const [name, value] of from.stats) if ((into.stats.get(name) ?? value) !== value) return false;
  into.class ??= from.class;
  into.crtimeNs ??= from.crtimeNs;
  into.snaptimeNs ??= from.snaptimeNs;
  into.zonename ??= from.zonename;
  for (const [name, value] of from.stats) into.stats.set(name, value);
  return true;
}

/** Seconds with 9 decimals, or `0`, as ns; a decimal comma is read and told by `comma`. Null where the text is neither. */
export function kstatTimeNs(text: string): { readonly ns: bigint; readonly comma: boolean } | null {
  if (text === "0") return { ns: 0n, comma: false };
  const match = /^(0|[1-9]\d{0,9})([.,])(\d{9})$/.exec(text);
  return match === null ? null : { ns: BigInt(match[1]! + match[3]!), comma: match[2] === "," };
}
