import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { ZonemeterError, messageOf } from "../core/index.ts";

/** The v1 controllers that are read. */
export const V1_CONTROLLERS = ["cpuacct", "cpu", "memory", "pids"] as const;
export type V1Controller = (typeof V1_CONTROLLERS)[number];
export type Hierarchy = V1Controller | "unified";

/**
 * Where the cgroup hierarchies are mounted: only `unified` on a v2 machine, only controllers on v1, both on a hybrid one. Co-mounted controllers
 * (`cpu,cpuacct`) share a directory.
 */
export type CgroupLayout = Readonly<Partial<Record<Hierarchy, string>>>;

interface Mount {
  readonly root: string;
  readonly point: string;
  readonly hierarchies: readonly Hierarchy[];
}

/**
 * Finds the hierarchies from mountinfo. `hostRoot` is where the machine's root is seen: "/" for the machine the agent runs on; elsewhere (a host
 * seen from a container, a recorded tree) the mounts are those of its process 1. Rejects with `unavailable` where there are none.
 */
export async function findCgroupLayout(hostRoot = "/"): Promise<CgroupLayout> {
  const path = join(hostRoot, hostRoot === "/" ? "proc/self/mountinfo" : "proc/1/mountinfo");
  let text: string;
  try {
    text = await readFile(path, "latin1");
  } catch (error) {
    throw new ZonemeterError(
      "unavailable",
      `Cgroups could not be found (${messageOf(error)}); the cgroup source needs Linux with /proc mounted.`,
      { cause: error },
    );
  }
  const layout: Partial<Record<Hierarchy, string>> = {};
  for (const { point, hierarchies } of mountsOf(text)) {
    const directory = join(hostRoot, point);
    if (!(await isReadable(directory))) continue;
    for (const hierarchy of hierarchies) layout[hierarchy] ??= directory;
  }
  if (Object.keys(layout).length === 0) {
    throw new ZonemeterError(
      "unavailable",
      `No cgroup hierarchy with cpuacct, cpu, memory or pids is mounted readably according to ${path}; mount cgroup2 on /sys/fs/cgroup.`,
    );
  }
  return layout;
}

/** Cgroup mounts in the order of preference: those that show the whole hierarchy, or the largest part of it, first. */
function mountsOf(mountinfo: string): Mount[] {
  const mounts: Mount[] = [];
  for (const line of mountinfo.split("\n")) {
    // ID PARENT MAJOR:MINOR ROOT POINT OPTIONS [OPTIONAL…] - TYPE SOURCE SUPEROPTIONS
    const fields = line.split(" ");
    const dash = fields.indexOf("-", 6);
    if (dash === -1) continue;
    const type = fields[dash + 1];
    const options = new Set((fields[dash + 3] ?? "").split(","));
    const hierarchies: readonly Hierarchy[] =
      type === "cgroup2" ? ["unified"] : type === "cgroup" ? V1_CONTROLLERS.filter((each) => options.has(each)) : [];
    if (hierarchies.length > 0) mounts.push({ root: unescaped(fields[3]!), point: unescaped(fields[4]!), hierarchies });
  }
  return mounts.sort((a, b) => a.root.length - b.root.length || a.point.length - b.point.length);
}

/** Mountinfo writes space, tab, newline and backslash as `\ooo`. */
function unescaped(text: string): string {
  const bytes = text.replaceAll(/\\([0-7]{3})/g, (_match, octal: string) => String.fromCharCode(parseInt(octal, 8)));
  return Buffer.from(bytes, "latin1").toString("utf8");
}

async function isReadable(directory: string): Promise<boolean> {
  try {
    await readdir(directory);
    return true;
  } catch {
    return false;
  }
}
