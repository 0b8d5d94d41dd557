import { keyedNumber, NotMeasured, NO_LIMIT, numberAfter, readKernelFile, readNumber, reading } from "./cgroup-file.ts";
import type { GroupPlaces } from "./cgroup-tree.ts";
import type { Reading } from "./source.ts";

/** CPU time of a group since it was made, ns. */
export interface CpuTimes {
  readonly userNs: bigint;
  readonly sysNs: bigint;
}

const NS_PER_USEC = 1_000n;

/** v2: from `cpu.stat` of the unified hierarchy; its user and system are split by the kernel so that they add up to the exact use. */
export function unifiedCpu(text: string | NotMeasured): CpuTimes | NotMeasured {
  const user = keyedNumber(text, "cpu.stat", "user_usec");
  if (user instanceof NotMeasured) return user;
  const system = keyedNumber(text, "cpu.stat", "system_usec");
  if (system instanceof NotMeasured) return system;
  return { userNs: user * NS_PER_USEC, sysNs: system * NS_PER_USEC };
}

export function cpuTimeReadings(times: CpuTimes | NotMeasured): Reading[] {
  const missing = times instanceof NotMeasured;
  return [reading("cpu_nsec", missing ? times : times.userNs, USER), reading("cpu_nsec", missing ? times : times.sysNs, SYS)];
}

const USER = Object.freeze({ state: "user" });
const SYS = Object.freeze({ state: "sys" });
const WAITRQ = Object.freeze({ state: "waitrq" });

/**
 * What the CPU controller tells: time held back by the quota, time waiting for a CPU, and the quota as a number of CPUs. Waiting is `wait_sum`,
 * which only v1 has, and only with scheduler statistics switched on: at most one waiting thread for each CPU and instant, where illumos
 * counts every thread. Pressure is something else and does not fill it. `unifiedStat` is `cpu.stat` of the unified hierarchy, where the group is there.
 */
export function cpuControllerReadings(places: GroupPlaces, unifiedStat: string | NotMeasured): Reading[] {
  if (places.cpu !== undefined) {
    const stat = readKernelFile(places.cpu, "cpu.stat");
    return [
      reading("cpu_nsec", keyedNumber(stat, "cpu.stat", "wait_sum"), WAITRQ),
      reading("cpu_throttled_nsec", keyedNumber(stat, "cpu.stat", "throttled_time")),
      reading("cpu_cap", v1Cap(places.cpu)),
    ];
  }
  const waitrq = reading("cpu_nsec", new NotMeasured("the kernel keeps no run queue time for groups of this hierarchy"), WAITRQ);
  if (places.unified === undefined) {
    const none = new NotMeasured("the group is not in the cpu hierarchy");
    return [waitrq, reading("cpu_throttled_nsec", none), reading("cpu_cap", none)];
  }
  const throttled = typeof unifiedStat === "string" ? numberAfter(unifiedStat, "throttled_usec") : null;
  if (throttled === null) {
    const none = unifiedStat instanceof NotMeasured ? unifiedStat : new NotMeasured("the cpu controller is not enabled for the group");
    return [waitrq, reading("cpu_throttled_nsec", none), reading("cpu_cap", none)];
  }
  return [waitrq, reading("cpu_throttled_nsec", throttled * NS_PER_USEC), reading("cpu_cap", v2Cap(places.unified))];
}

function v1Cap(directory: string): number | NotMeasured {
  const text = readKernelFile(directory, "cpu.cfs_quota_us");
  if (text instanceof NotMeasured) return text;
  if (text.trim() === "-1") return NO_LIMIT;
  const quota = readNumber(directory, "cpu.cfs_quota_us");
  if (quota instanceof NotMeasured) return quota;
  const period = readNumber(directory, "cpu.cfs_period_us");
  return period instanceof NotMeasured ? period : cpus(quota, period, "cpu.cfs_period_us");
}

/** `cpu.max`: `QUOTA PERIOD` in µs, or `max PERIOD`. */
function v2Cap(directory: string): number | NotMeasured {
  const text = readKernelFile(directory, "cpu.max");
  if (text instanceof NotMeasured) return text;
  const match = /^(max|\d{1,19}) (\d{1,19})\n?$/.exec(text);
  if (match === null) return new NotMeasured("cpu.max does not hold a quota and a period");
  return match[1] === "max" ? NO_LIMIT : cpus(BigInt(match[1]!), BigInt(match[2]!), "cpu.max");
}

function cpus(quota: bigint, period: bigint, name: string): number | NotMeasured {
  return period > 0n ? Number(quota) / Number(period) : new NotMeasured(`${name} holds a period of 0`);
}
