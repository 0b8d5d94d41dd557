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

/** Children of this process that have ended and were not reaped. */
export function zombieChildren(): number[] {
  const zombies: number[] = [];
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const [state, parent] = readFileSync(`/proc/${name}/stat`, "latin1").replace(/^.*\) /s, "").split(" ");
      if (state === "Z" && Number(parent) === process.pid) zombies.push(Number(name));
    } catch {
      // It ended meanwhile.
    }
  }
  return zombies;
}
