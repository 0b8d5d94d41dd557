import type { CpuTimes } from "./cgroup-cpu.ts";
import { keyedNumber, NotMeasured, readKernelFile, readNumber } from "./cgroup-file.ts";

/** USER_HZ, the unit of `cpuacct.stat` on every architecture that Node runs on. */
export const TICK_NS = 10_000_000n;

interface Split {
  userNs: bigint;
  sysNs: bigint;
  round: number;
}

/**
 * CPU time of v1 groups. `cpuacct.usage` is exact to the ns. How the kernel divides it differs: up to 5.16 `cpuacct.usage_user` and
 * `usage_sys` add up to it; since then they are bare timer ticks, some per cent off for work that does not last whole ticks, while `cpuacct.stat`
 * is scaled to the exact use, never falls, and is cut to 10 ms. There we keep the exact sum and take the part of sys from `cpuacct.stat`.
 * A group that an earlier run of the agent reported gets 10 ms more of user time, once: as much as was cut at most, so that user time does not fall
 * where the two runs divide differently.
 */
export class CpuacctReader {
  readonly #addsUp: boolean;
  readonly #splits = new Map<string, Split>();
  #round = 0;

  /** `root` is the top directory of the hierarchy; it is read to learn which kernel this is. */
  constructor(root: string) {
    this.#addsUp = partsAddUp(root);
  }

  /** Reads one group. `key` is its path and inode; `fromEarlierRun` tells whether an earlier run of the agent reported it. */
  read(key: string, directory: string, fromEarlierRun: boolean): CpuTimes | NotMeasured {
    if (this.#addsUp) {
      const userNs = readNumber(directory, "cpuacct.usage_user");
      if (userNs instanceof NotMeasured) return userNs;
      const sysNs = readNumber(directory, "cpuacct.usage_sys");
      return sysNs instanceof NotMeasured ? sysNs : { userNs, sysNs };
    }
    const usageNs = readNumber(directory, "cpuacct.usage");
    if (usageNs instanceof NotMeasured) return usageNs;
    const ticks = keyedNumber(readKernelFile(directory, "cpuacct.stat"), "cpuacct.stat", "system");
    if (ticks instanceof NotMeasured) return ticks;
    return this.#divide(key, usageNs, ticks * TICK_NS, fromEarlierRun);
  }

  /** Ends a round of reads: groups that were not in it are forgotten. */
  endRound(): void {
    for (const [key, split] of this.#splits) if (split.round !== this.#round) this.#splits.delete(key);
    this.#round += 1;
  }

  #divide(key: string, usageNs: bigint, sysTicksNs: bigint, fromEarlierRun: boolean): CpuTimes {
    let split = this.#splits.get(key);
    if (split === undefined || usageNs + TICK_NS < split.userNs + split.sysNs) {
      const sysNs = smaller(sysTicksNs, usageNs);
      split = { userNs: usageNs - sysNs + (fromEarlierRun ? TICK_NS : 0n), sysNs, round: this.#round };
      this.#splits.set(key, split);
    }
    split.round = this.#round;
    split.sysNs = larger(split.sysNs, smaller(sysTicksNs, usageNs - split.userNs));
    split.userNs = larger(split.userNs, usageNs - split.sysNs);
    return { userNs: split.userNs, sysNs: split.sysNs };
  }
}

/** Reads the parts between two looks at the sum. Ticks would have to hit it to the ns. */
function partsAddUp(root: string): boolean {
  const before = readNumber(root, "cpuacct.usage");
  const user = readNumber(root, "cpuacct.usage_user");
  const sys = readNumber(root, "cpuacct.usage_sys");
  const after = readNumber(root, "cpuacct.usage");
  if (before instanceof NotMeasured || user instanceof NotMeasured || sys instanceof NotMeasured || after instanceof NotMeasured)
    return false;
  return user + sys >= before && user + sys <= after;
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
