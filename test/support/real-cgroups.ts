import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, watch, writeFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "./until.ts";

const MOUNT = "/sys/fs/cgroup";
const IS_V2 = existsSync(join(MOUNT, "cgroup.controllers"));

/** The v2 hierarchy, alone or beside v1; null where there is none. */
const UNIFIED = IS_V2 ? MOUNT : existsSync(join(MOUNT, "unified", "cgroup.controllers")) ? join(MOUNT, "unified") : null;

/** Directories in which a group must be made to be one group: the v2 root, or each v1 hierarchy that is measured and v2 beside them. */
const HIERARCHIES = IS_V2
  ? [MOUNT]
  : ["cpu", "cpuacct", "memory", "pids", "unified"].map((name) => join(MOUNT, name)).filter((path) => existsSync(path));

/** Groups made on this machine for a test; all are removed by `removeAll`. */
export class RealCgroups {
  /** Why none can be made here; null where they can. */
  readonly obstacle: string | null;
  readonly #made: string[] = [];
  readonly #children: ChildProcess[] = [];

  constructor() {
    this.obstacle = obstacleHere();
  }

  /** Makes `/name` in every hierarchy. Parents are made too. */
  make(name: string): void {
    for (const hierarchy of HIERARCHIES) mkdirSync(join(hierarchy, name), { recursive: true });
    for (let at = name; at !== ""; at = at.slice(0, Math.max(0, at.lastIndexOf("/")))) if (!this.#made.includes(at)) this.#made.push(at);
  }

  remove(name: string): void {
    for (const hierarchy of HIERARCHIES) rmdirSync(join(hierarchy, name));
    this.#made.splice(this.#made.indexOf(name), 1);
  }

  enter(name: string, pid: number): void {
    for (const hierarchy of HIERARCHIES) writeFileSync(join(hierarchy, name, "cgroup.procs"), String(pid));
  }

  /** Runs a shell script in the group: it starts once it is inside. */
  async run(name: string, script: string): Promise<ChildProcess> {
    const child = spawn("sh", ["-c", `read go; ${script}`], { stdio: ["pipe", "pipe", "inherit"] });
    this.#children.push(child);
    this.enter(name, child.pid!);
    child.stdin!.write("go\n");
    return child;
  }

  /** Whether the kernel says when a group runs empty: only v2 does. */
  readonly tellEmptied = UNIFIED !== null;

  /** Settles when the kernel has said that the group, which has processes now, ran empty, and everybody who watches it has heard of it. */
  async emptied(name: string): Promise<void> {
    const events = join(UNIFIED!, name, "cgroup.events");
    await new Promise<void>((resolve) => {
      const watcher = watch(join(UNIFIED!, name), (_type, file) => {
        if (file !== "cgroup.events" || !readFileSync(events, "utf8").includes("populated 0")) return;
        watcher.close();
        setImmediate(resolve);
      });
      // The kernel tells only of files that it has an inode of.
      readFileSync(events);
    });
  }

  /** CPU time by the kernel's own account. */
  cpuNs(name: string): bigint {
    if (!IS_V2) return BigInt(readFileSync(join(MOUNT, "cpuacct", name, "cpuacct.usage"), "utf8").trim());
    return BigInt(/^usage_usec (\d+)/m.exec(readFileSync(join(MOUNT, name, "cpu.stat"), "utf8"))![1]!) * 1_000n;
  }

  /** Sets limits: CPUs, bytes, tasks. */
  limit(name: string, cpus: number, bytes: number, tasks: number): void {
    const quota = String(cpus * 100_000);
    if (IS_V2) {
      writeFileSync(join(MOUNT, name, "cpu.max"), `${quota} 100000`);
      writeFileSync(join(MOUNT, name, "memory.max"), String(bytes));
      writeFileSync(join(MOUNT, name, "pids.max"), String(tasks));
      return;
    }
    writeFileSync(join(MOUNT, "cpu", name, "cpu.cfs_quota_us"), quota);
    writeFileSync(join(MOUNT, "memory", name, "memory.limit_in_bytes"), String(bytes));
    writeFileSync(join(MOUNT, "pids", name, "pids.max"), String(tasks));
  }

  /** A directory whose inode the group's identity hangs on. */
  directory(name: string): string {
    return join(IS_V2 ? MOUNT : join(MOUNT, "cpuacct"), name);
  }

  async removeAll(): Promise<void> {
    for (const child of this.#children) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill("SIGKILL");
      await once(child, "close");
    }
    for (const name of this.#made.sort((a, b) => b.length - a.length)) {
      for (const hierarchy of HIERARCHIES) {
        await until(`${name} to be empty`, 30_000, async () => {
          try {
            rmdirSync(join(hierarchy, name));
            return true;
          } catch (error) {
            if ((error as NodeJS.ErrnoException).code === "ENOENT") return true;
            // What a child that was killed had just asked for may come after it.
            removeGroupsIn(join(hierarchy, name));
            return undefined;
          }
        });
      }
    }
    this.#made.length = 0;
  }
}

function removeGroupsIn(directory: string): void {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue;
    try {
      rmdirSync(join(directory, entry.name));
    } catch {
      // It has processes for now, or has gone.
    }
  }
}

function obstacleHere(): string | null {
  if (HIERARCHIES.length === 0) return `nothing is mounted on ${MOUNT}`;
  const made: string[] = [];
  try {
    for (const hierarchy of HIERARCHIES) {
      const path = join(hierarchy, `zonemeter-probe-${process.pid}`);
      mkdirSync(path);
      made.push(path);
    }
    const missing = IS_V2 ? ["cpu.max", "memory.max", "pids.max"].filter((file) => !existsSync(join(made[0]!, file))) : [];
    return missing.length === 0 ? null : `groups have no ${missing.join(", ")} here`;
  } catch (error) {
    return `groups cannot be made here (${(error as Error).message})`;
  } finally {
    for (const path of made) rmdirSync(path);
  }
}
