import { ZonemeterError, messageOf } from "../core/index.ts";
import { runChild } from "./child.ts";

/** What one way of asking says. `unknown`: it cannot tell here, or not now. */
export interface ClockEvidence {
  readonly verdict: "synchronized" | "not-synchronized" | "unknown";
  /** One clause for the log: who said what. */
  readonly told: string;
  /** The way does not exist on this machine, so asking again is of no use. */
  readonly absent: boolean;
}

/** One way of asking whether the clock follows a time server. Never rejects. */
export type ClockProbe = (signal: AbortSignal) => Promise<ClockEvidence>;

const PROBE_DEADLINE_MS = 5_000;
const PROBE_OUTPUT_BYTES = 1024 * 1024;

/** Runs a command and lets `read` judge its stdout. A failed command knows nothing. */
export async function askCommand(
  command: string,
  args: readonly string[],
  read: (stdout: string) => ClockEvidence["verdict"],
  signal: AbortSignal,
): Promise<ClockEvidence> {
  try {
    const { exitCode, stdout } = await runChild({
      command,
      args,
      deadlineMs: PROBE_DEADLINE_MS,
      maxStdoutBytes: PROBE_OUTPUT_BYTES,
      signal,
    });
    const verdict = exitCode === 0 ? read(stdout.toString("latin1")) : "unknown";
    return { verdict, told: `"${[command, ...args].join(" ")}" says ${verdict}`, absent: false };
  } catch (error) {
    const absent = error instanceof ZonemeterError && (error.cause as NodeJS.ErrnoException | undefined)?.code === "ENOENT";
    return { verdict: "unknown", told: absent ? `there is no ${command}` : messageOf(error), absent };
  }
}

/**
 * `chronyc -n -c tracking`: one line of comma-separated fields. Synchronized is what `chronyc waitsync` and Omicron's sled agent take for it: a
 * stratum below 10, a reference time after 2009, a reference that is neither nothing nor the local clock, and at most 50 ms to go.
 */
export function readChronyTracking(stdout: string): ClockEvidence["verdict"] {
  const [referenceId, address, stratum, referenceTime, correction] = stdout.trim().split(",");
  if (correction === undefined || !/^[0-9A-Fa-f]{8}$/.test(referenceId!) || !/^\d{1,3}$/.test(stratum!)) return "unknown";
  const hasAddress = address !== "" && address !== "0.0.0.0" && address !== "::";
  const hasReference = hasAddress || !["00000000", "7F7F0101"].includes(referenceId!.toUpperCase());
  const followed = Number(stratum) < 10 && Number(referenceTime) > 1_234_567_890 && Math.abs(Number(correction)) <= 0.05;
  return hasReference && followed ? "synchronized" : "not-synchronized";
}

/** `ntpq -c rv`: `leap_none` or a leap second ahead, with a stratum below 16. */
export function readNtpqVariables(stdout: string): ClockEvidence["verdict"] {
  const stratum = /\bstratum=(\d{1,2})\b/.exec(stdout);
  if (stratum === null) return "unknown";
  const alarmed = /\bleap_alarm\b|\bleap=(?:11|3)\b/.test(stdout);
  return !alarmed && Number(stratum[1]) < 16 ? "synchronized" : "not-synchronized";
}

/** `timedatectl show -p NTPSynchronized --value`: the kernel's own flag (adjtimex), whoever sets it. */
export function readTimedatectl(stdout: string): ClockEvidence["verdict"] {
  const word = stdout.trim();
  return word === "yes" ? "synchronized" : word === "no" ? "not-synchronized" : "unknown";
}
