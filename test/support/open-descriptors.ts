import { readdirSync, readFileSync } from "node:fs";

/** Descriptors this process has open. */
export function openDescriptors(): number {
  return readdirSync("/proc/self/fd").length;
}

/** True where the process is there, dead but unreaped ones included. */
export function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Child processes of this process. */
export function childProcesses(): number[] {
  return childrenIn(() => true);
}

/** Children of this process that have ended and were not reaped. */
export function zombieChildren(): number[] {
  return childrenIn((state) => state === "Z");
}

function childrenIn(wanted: (state: string) => boolean): number[] {
  const found: number[] = [];
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const [state, parent] = readFileSync(`/proc/${name}/stat`, "latin1")
        .replace(/^.*\) /s, "")
        .split(" ");
      if (Number(parent) === process.pid && wanted(state!)) found.push(Number(name));
    } catch {
      // It ended meanwhile.
    }
  }
  return found;
}
