import { NotMeasured, readKernelFile, reading } from "./cgroup-file.ts";
import type { Reading } from "./source.ts";

const RESOURCES = ["cpu", "memory", "io"] as const;
const SHARES = ["some", "full"] as const;
type Labels = Readonly<Record<string, string>>;
const labelsOf = (resource: string): Readonly<Record<(typeof SHARES)[number], Labels>> => ({
  some: Object.freeze({ resource, share: "some" }),
  full: Object.freeze({ resource, share: "full" }),
});
const LABELS = { cpu: labelsOf("cpu"), memory: labelsOf("memory"), io: labelsOf("io") } as const;

/**
 * Pressure stall totals of a directory whose files are named by `fileOf`, ns. The running averages beside them cannot be re-windowed and are left
 * alone. Where a kernel keeps no pressure (v1, `psi=0`, `cgroup.pressure` 0) there are no readings at all; `full` of cpu only where the kernel prints it.
 */
export function pressureReadings(directory: string, fileOf: (resource: string) => string): Reading[] {
  const readings: Reading[] = [];
  for (const resource of RESOURCES) {
    const name = fileOf(resource);
    const text = readKernelFile(directory, name);
    if (text instanceof NotMeasured && text.absent) {
      // All three files come and go together.
      if (resource === "cpu") return readings;
      continue;
    }
    for (const share of SHARES) {
      const totalUsec = text instanceof NotMeasured ? text : totalOf(text, share, name);
      if (totalUsec === null) continue;
      readings.push(reading("pressure_nsec", totalUsec instanceof NotMeasured ? totalUsec : totalUsec * 1_000n, LABELS[resource][share]));
    }
  }
  return readings;
}

/** From `some avg10=0.00 avg60=0.00 avg300=0.00 total=123`. */
function totalOf(text: string, share: "some" | "full", name: string): bigint | NotMeasured | null {
  const start = text.startsWith(`${share} `) ? 0 : text.indexOf(`\n${share} `) + 1;
  if (start === 0 && !text.startsWith(`${share} `)) return share === "full" ? null : new NotMeasured(`${name} has no line for some`);
  const end = text.indexOf("\n", start);
  const match = / total=(\d{1,20})$/.exec(text.slice(start, end === -1 ? text.length : end).trimEnd());
  return match === null ? new NotMeasured(`${name} has no readable total for ${share}`) : BigInt(match[1]!);
}
