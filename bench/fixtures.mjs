import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const uuid = (number) => `00000000-0000-4000-8000-${number.toString(16).padStart(12, "0")}`;

/** What `kstat -p` prints of so many zones and of a sled with 128 CPUs, for the selectors that the kstat source asks for. */
export function kstatText(zones) {
  const lines = [];
  const print = (prefix, statistics) => {
    for (const [name, value] of Object.entries(statistics)) lines.push(`${prefix}:${name}\t${value}`);
  };
  const snaptime = "8640000.123456789";
  for (let zone = 1; zone <= zones; zone++) {
    const zonename = `oxz_crucible_${uuid(zone)}`;
    const cut = zonename.slice(0, 30);
    const times = { crtime: `${1_000 + zone}.500000000`, snaptime };
    for (const [resource, usage, value] of [
      ["lockedmem", 4_096 * zone, "18446744073709551615"],
      ["nprocs", 12 + (zone % 40), 2_147_483_647],
      ["swapresv", 1_400_000_000 + 4_096 * zone, "18446744073709551615"],
    ])
      print(`caps:${zone}:${resource}_zone_${zone}`, { class: "zone_caps", ...times, usage, value, zonename });
    print(`memory_cap:${zone}:${cut}`, {
      anon_alloc_fail: 0,
      anonpgin: zone,
      class: "zone_memory_cap",
      ...times,
      execpgin: zone * 11,
      fspgin: zone * 7,
      nover: 0,
      pagedout: 0,
      pgpgin: zone * 19,
      physcap: 17_592_186_040_320,
      rss: 1_100_000_000 + 4_096 * zone,
      swap: 1_400_000_000,
      swapcap: "18446744073709551615",
      zonename,
    });
    print(`zones:${zone}:${cut}`, {
      avenrun_15min: 22,
      avenrun_1min: 25,
      avenrun_5min: 21,
      boot_time: 1_790_000_000 + zone,
      class: "zone_misc",
      ...times,
      forkfail_cap: 0,
      forkfail_misc: 0,
      forkfail_nomem: 0,
      forkfail_noproc: 0,
      init_pid: 1_000 + zone * 37,
      nested_interp: 0,
      nsec_sys: `${zone}421579498768544`,
      nsec_user: `${zone}217012465597559`,
      nsec_waitrq: `${zone}8431421252311`,
      zonename,
    });
  }
  for (let cpu = 0; cpu < 128; cpu++) print(`cpu_info:${cpu}:cpu_info${cpu}`, { crtime: "300.000000000", snaptime, state: "on-line" });
  print("unix:0:system_pages", { crtime: "0.000000000", freemem: 180_000_000, physmem: 268_000_000, snaptime });
  print("zfs:0:arcstats", { crtime: "40.000000000", size: 64_000_000_000, snaptime });
  return `${lines.join("\n")}\n`;
}

/** Puts a `kstat` into a folder that prints a text, for use on PATH. */
export function writeFakeKstat(folder, zones) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "kstat.txt"), kstatText(zones));
  writeFileSync(join(folder, "kstat"), `#!/bin/sh\nexec cat '${join(folder, "kstat.txt")}'\n`);
  chmodSync(join(folder, "kstat"), 0o755);
}

const GROUP_FILES = {
  "cgroup.controllers": "cpuset cpu io memory pids\n",
  "cgroup.events": "populated 1\nfrozen 0\n",
  "cpu.stat": "usage_usec 3500001\nuser_usec 2000000\nsystem_usec 1500001\nnr_periods 10\nnr_throttled 2\nthrottled_usec 70009\n",
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
};

/** A machine's root directory with so many control groups (v2), made of plain files. */
export function writeCgroups(root, groups) {
  const files = (folder, contents) => {
    mkdirSync(folder, { recursive: true });
    for (const [name, text] of Object.entries(contents)) writeFileSync(join(folder, name), text);
  };
  const top = join(root, "sys/fs/cgroup");
  files(join(root, "proc/1"), { mountinfo: "40 20 0:40 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n" });
  files(join(root, "proc"), {
    stat: "cpu  500 20 300 9000 10 7 3 0 4 0\ncpu0 250 10 150 4500 5 4 2 0 2 0\nintr 1\nbtime 1790000000\n",
    meminfo: "MemTotal:        8000000 kB\nMemFree:         3000001 kB\nSwapTotal:       1000 kB\nSwapFree:             0 kB\n",
  });
  files(join(root, "proc/sys/kernel/random"), { boot_id: "0a1b2c3d-0000-4000-8000-00000000beef\n" });
  files(join(root, "sys/devices/system/cpu"), { online: "0-3\n" });
  files(top, GROUP_FILES);
  for (let group = 0; group < groups; group++) files(join(top, `group-${group}.scope`), GROUP_FILES);
}
