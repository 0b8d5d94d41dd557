import { formatRfc3339, ZonemeterError, type Clock } from "../core/index.ts";
import { Backoff, sleep, type BackoffPolicy, type Logger } from "../runtime/index.ts";
import type { ClockProbe } from "./clock-evidence.ts";
import { clockProbes } from "./clock-probes.ts";

/** `none`: trust it. `build-date`: it must not be before this product was made. `ntp`: it must also follow a time server. */
export const CLOCK_GATES = ["none", "build-date", "ntp"] as const;
export type ClockGate = (typeof CLOCK_GATES)[number];

/** 2026-11-01, before this version was made: a clock that shows less has not been set. Machines without a battery begin in 1970 or 1986. */
export const BUILD_DATE_NS = 1_793_491_200_000_000_000n;

/** Between two looks at a clock that is not trusted yet. */
export const CLOCK_POLL: BackoffPolicy = { firstMs: 500, factor: 1.5, capMs: 15_000, spread: 0.1 };

export interface ClockGateOptions {
  readonly gate: ClockGate;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly logger: Logger;
  readonly platform?: NodeJS.Platform;
  readonly probes?: readonly ClockProbe[];
  readonly poll?: BackoffPolicy;
}

/**
 * Resolves with what showed it once the wall clock can be trusted. No sample may be stamped before: stamps of an unset clock poison every series
 * they are in. Rejects with `unavailable` when `signal` fires, and where nothing on this machine can tell whether it follows a time server.
 */
export async function waitForTrustedClock(options: ClockGateOptions): Promise<string> {
  const { signal, logger } = options;
  const backoff = new Backoff(options.poll ?? CLOCK_POLL);
  let lastTold = "";
  for (;;) {
    if (signal.aborted)
      throw new ZonemeterError("unavailable", "Waiting for the clock was ended before it could be trusted.", { cause: signal.reason });
    const { trusted, told } = await lookAtClock(options);
    if (trusted) return told;
    if (told !== lastTold)
      logger.warn(
        { clockGate: options.gate, told },
        `no samples yet: ${told}; with clock_gate = "build-date" samples are taken all the same`,
      );
    lastTold = told;
    await sleep(backoff.next(), signal);
  }
}

async function lookAtClock({ gate, clock, signal, platform, probes }: ClockGateOptions): Promise<{ trusted: boolean; told: string }> {
  if (gate === "none") return { trusted: true, told: "the clock is not checked" };
  const wallNs = clock.wallNs();
  if (wallNs < BUILD_DATE_NS) return { trusted: false, told: `the clock shows a day before ${formatRfc3339(BUILD_DATE_NS).slice(0, 10)}` };
  if (gate === "build-date") return { trusted: true, told: "the clock is not before the build date" };
  const all: string[] = [];
  let anybody = false;
  for (const probe of probes ?? clockProbes(platform ?? process.platform)) {
    const { verdict, told, absent } = await probe(signal);
    if (verdict !== "unknown") return { trusted: verdict === "synchronized", told };
    all.push(told);
    anybody ||= !absent;
  }
  if (!anybody) {
    const text = `Nothing on this machine tells whether its clock follows a time server (${all.join("; ")}); run chrony or ntpd, or set the clock gate to build-date.`;
    throw new ZonemeterError("unavailable", text);
  }
  return { trusted: false, told: all.join("; ") };
}
