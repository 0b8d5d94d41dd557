import { existsSync } from "node:fs";
import { join } from "node:path";
import { NS_PER_SECOND } from "../core/index.ts";
import type { CpuTimes } from "./cgroup-cpu.ts";
import { keyedNumber, NotMeasured, numberAfter, readKernelFile, reading } from "./cgroup-file.ts";
import { TICK_NS } from "./cpuacct.ts";
import type { Reading } from "./source.ts";

/** The machine as a whole, read from its /proc and /sys below `hostRoot`. */
export class LinuxHost {
  readonly #proc: string;
  readonly #sys: string;

  constructor(hostRoot: string) {
    this.#proc = join(hostRoot, "proc");
    this.#sys = join(hostRoot, "sys");
  }

  /** Differs from boot to boot; "" where the kernel does not tell. */
  bootId(): string {
    const text = readKernelFile(this.#proc, "sys/kernel/random/boot_id");
    return text instanceof NotMeasured ? "" : text.trim();
  }

  /** When it booted, to the second. The kernel computes it from the wall clock, so it moves with every clock step: ask once and remember. */
  bootTimeNs(): bigint | null {
    const text = readKernelFile(this.#proc, "stat");
    const seconds = text instanceof NotMeasured ? null : numberAfter(text, "btime");
    return seconds === null ? null : seconds * NS_PER_SECOND;
  }

  cpusOnline(): bigint | NotMeasured {
    const list = readKernelFile(this.#sys, "devices/system/cpu/online");
    if (typeof list === "string" && /^\d+(-\d+)?(,\d+(-\d+)?)*\n?$/.test(list)) return BigInt(countOf(list.trim()));
    const stat = readKernelFile(this.#proc, "stat");
    if (stat instanceof NotMeasured) return stat;
    const count = stat.split("\n").filter((line) => /^cpu\d/.test(line)).length;
    return count > 0 ? BigInt(count) : new NotMeasured("neither /sys nor /proc/stat tells the CPUs online");
  }

  /** CPU time of everything since boot, in steps of 10 ms. Guest time is part of user time. */
  cpuTimes(): CpuTimes | NotMeasured {
    const stat = readKernelFile(this.#proc, "stat");
    if (stat instanceof NotMeasured) return stat;
    const match = /^cpu +(\d+) (\d+) (\d+) \d+ \d+ (\d+) (\d+)/.exec(stat);
    if (match === null) return new NotMeasured("/proc/stat has no line for all CPUs");
    const [user, nice, system, irq, softirq] = match.slice(1, 6).map((ticks) => BigInt(ticks) * TICK_NS) as [
      bigint,
      bigint,
      bigint,
      bigint,
      bigint,
    ];
    return { userNs: user + nice, sysNs: system + irq + softirq };
  }

  readings(cpusOnline: bigint | NotMeasured): Reading[] {
    const meminfo = readKernelFile(this.#proc, "meminfo");
    const bytes = (key: string): bigint | NotMeasured => {
      const kib = keyedNumber(
        typeof meminfo === "string" ? meminfo.replaceAll(/: +(\d+)(?: kB)?$/gm, " $1") : meminfo,
        "/proc/meminfo",
        key,
      );
      return kib instanceof NotMeasured ? kib : kib * 1_024n;
    };
    return [
      reading("cpus_online", cpusOnline),
      reading("memory_total", bytes("MemTotal")),
      reading("memory_free", bytes("MemFree")),
      reading("swap_free", bytes("SwapFree")),
      ...this.#arcReadings(),
    ];
  }

  /** The ZFS cache, where the module is loaded. */
  #arcReadings(): Reading[] {
    const text = readKernelFile(this.#proc, "spl/kstat/zfs/arcstats");
    if (text instanceof NotMeasured) return text.absent ? [] : [reading("arc_size", text)];
    // `name type data`
    const size = /^size +\d+ +(\d{1,20})$/m.exec(text);
    return [reading("arc_size", size === null ? new NotMeasured("arcstats has no readable size") : BigInt(size[1]!))];
  }
}

/** True where a hierarchy's top directory is the kernel's root group, not the top of a container's part of it. */
export function isRootGroup(hierarchy: string, directory: string): boolean {
  return hierarchy === "unified" ? !existsSync(join(directory, "cgroup.events")) : existsSync(join(directory, "release_agent"));
}

/** CPUs in a list such as `0-3,8`. */
function countOf(list: string): number {
  let count = 0;
  for (const range of list.split(",")) {
    const [first, last = first] = range.split("-");
    count += Number(last) - Number(first) + 1;
  }
  return count;
}
