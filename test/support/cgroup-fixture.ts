import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** Names of files and what they hold; a nested object is a directory. */
export interface FixtureTree {
  readonly [name: string]: string | FixtureTree;
}

const V1_MOUNTS = ["cpu,cpuacct", "memory", "pids"];

/** A machine's root directory made of plain files, for the cgroup source's `hostRoot`. */
export class CgroupFixture {
  readonly root = mkdtempSync(join(tmpdir(), "zonemeter-cgroups-"));

  /** `v1`: trees of `cpu,cpuacct`, `memory` and `pids`. `unified`: the v2 tree, on /sys/fs/cgroup itself where it is alone. */
  constructor(trees: { readonly v1?: Readonly<Record<string, FixtureTree>>; readonly unified?: FixtureTree }) {
    const mounts = ["20 1 0:20 / /proc rw - proc proc rw"];
    if (trees.v1 !== undefined) {
      mounts.push("30 20 0:30 / /sys/fs/cgroup ro,nosuid shared:9 - tmpfs tmpfs ro,mode=755");
      for (const [i, name] of V1_MOUNTS.entries()) {
        mounts.push(`${31 + i} 30 0:${31 + i} / /sys/fs/cgroup/${name} rw,nosuid shared:${10 + i} - cgroup cgroup rw,${name}`);
        this.write(`sys/fs/cgroup/${name}`, { release_agent: "\n", ...trees.v1[name] });
      }
    }
    if (trees.unified !== undefined) {
      const point = trees.v1 === undefined ? "/sys/fs/cgroup" : "/sys/fs/cgroup/unified";
      mounts.push(`40 20 0:40 / ${point} rw,nosuid,nodev,noexec,relatime shared:4 - cgroup2 cgroup2 rw,nsdelegate,memory_recursiveprot`);
      this.write(point.slice(1), trees.unified);
    }
    this.write("", {
      proc: {
        "1": { mountinfo: `${mounts.join("\n")}\n` },
        stat: "cpu  500 20 300 9000 10 7 3 0 4 0\ncpu0 250 10 150 4500 5 4 2 0 2 0\ncpu1 250 10 150 4500 5 3 1 0 2 0\nintr 1\nbtime 1799990000\n",
        meminfo:
          "MemTotal:        8000000 kB\nMemFree:         3000001 kB\nMemAvailable:    6000000 kB\nSwapTotal:       1000 kB\nSwapFree:             0 kB\nHugePages_Total:       0\n",
        sys: { kernel: { random: { boot_id: "0a1b2c3d-0000-4000-8000-00000000beef\n" } } },
      },
      sys: { devices: { system: { cpu: { online: "0-2,5\n" } } } },
    });
  }

  write(path: string, content: string | FixtureTree): void {
    const target = join(this.root, path);
    if (typeof content === "string") {
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, content);
      return;
    }
    mkdirSync(target, { recursive: true });
    for (const [name, child] of Object.entries(content)) this.write(join(path, name), child);
  }

  remove(path = ""): void {
    rmSync(join(this.root, path), { recursive: true, force: true });
  }
}

/** The files of a v2 group with every controller, with numbers that can be told apart. */
export function unifiedGroup(more: FixtureTree = {}): FixtureTree {
  return {
    "cgroup.controllers": "cpuset cpu io memory pids\n",
    "cgroup.events": "populated 1\nfrozen 0\n",
    "cpu.stat":
      "usage_usec 3500001\nuser_usec 2000000\nsystem_usec 1500001\nnice_usec 0\ncore_sched.force_idle_usec 0\nnr_periods 10\nnr_throttled 2\nthrottled_usec 70009\n",
    "cpu.max": "150000 100000\n",
    "cpu.pressure": "some avg10=0.00 avg60=0.12 avg300=1.00 total=4001\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n",
    "memory.pressure": "some avg10=0.00 avg60=0.00 avg300=0.00 total=77\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=66\n",
    "io.pressure": "some avg10=0.00 avg60=0.00 avg300=0.00 total=55\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=44\n",
    "memory.current": "10000000\n",
    "memory.peak": "12000000\n",
    "memory.max": "max\n",
    "memory.swap.current": "4096\n",
    "memory.stat":
      "anon 5000000\nfile 4000000\nkernel 100000\nfile_mapped 300000\ninactive_anon 1\nactive_anon 2\ninactive_file 2500000\nactive_file 3\npgmajfault 9\n",
    "pids.current": "17\n",
    "pids.max": "512\n",
    ...more,
  };
}

export const V1_CPU: FixtureTree = {
  "cpuacct.usage": "3500000000\n",
  "cpuacct.usage_user": "2000000000\n",
  "cpuacct.usage_sys": "1500000000\n",
  "cpuacct.stat": "user 200\nsystem 150\n",
  "cpu.stat": "nr_periods 10\nnr_throttled 2\nthrottled_time 70000009\n",
  "cpu.cfs_quota_us": "50000\n",
  "cpu.cfs_period_us": "100000\n",
};

export const V1_MEMORY: FixtureTree = {
  "memory.usage_in_bytes": "10000000\n",
  "memory.max_usage_in_bytes": "12000000\n",
  "memory.limit_in_bytes": "9223372036854771712\n",
  "memory.stat":
    "cache 1\nrss 2\nmapped_file 3\nswap 4\ninactive_file 5\nhierarchical_memory_limit 9223372036854771712\ntotal_rss 5000000\ntotal_mapped_file 300000\ntotal_swap 4096\ntotal_inactive_file 2500000\n",
};

export const V1_PIDS: FixtureTree = { "pids.current": "17\n", "pids.max": "max\n" };
