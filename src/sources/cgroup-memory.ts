import { isAbsent, keyedNumber, NotMeasured, NO_LIMIT, readKernelFile, readNumber, reading } from "./cgroup-file.ts";
import type { ControllerCheck, GroupPlaces } from "./cgroup-tree.ts";
import type { Reading } from "./source.ts";

/** v1 writes the largest whole number of pages for "no limit": a little under 2^63, by the page size. */
const V1_NO_LIMIT = 2n ** 63n - 2n ** 20n;

/**
 * Memory of a group, bytes.
 *
 * `memory_resident` is what its processes have mapped, as a resident size is on illumos: anonymous memory and the mapped part of the page cache (program
 * text, libraries, shared memory). Page cache that is only kept, and kernel memory, are not in it. A page is counted once, in the group that touched
 * it first. `memory_working_set` is everything charged (with cache, buffers and kernel memory) less the inactive part of the page cache, as
 * kubelet counts it: what cannot be had back cheaply. `memory_peak` is the high-water mark of everything charged. Swap is what is swapped out.
 */
export function memoryReadings(places: GroupPlaces, isEnabled: ControllerCheck): Reading[] {
  if (places.memory !== undefined) return v1Readings(places.memory);
  if (places.unified === undefined) return noReadings("the group is not in the memory hierarchy");
  const stat = readKernelFile(places.unified, "memory.stat");
  if (isAbsent(stat) && !isEnabled("memory")) return noReadings("the memory controller is not enabled for the group");
  return v2Readings(places.unified, stat);
}

function noReadings(reason: string): Reading[] {
  const none = new NotMeasured(reason);
  return memorySet(none, none, none, none, none);
}

function v1Readings(directory: string): Reading[] {
  const stat = readKernelFile(directory, "memory.stat");
  const limit = readNumber(directory, "memory.limit_in_bytes");
  return memorySet(
    sum(keyedNumber(stat, "memory.stat", "total_rss", "rss"), keyedNumber(stat, "memory.stat", "total_mapped_file", "mapped_file")),
    workingSet(readNumber(directory, "memory.usage_in_bytes"), keyedNumber(stat, "memory.stat", "total_inactive_file", "inactive_file")),
    readNumber(directory, "memory.max_usage_in_bytes"),
    keyedNumber(stat, "memory.stat", "total_swap", "swap"),
    typeof limit === "bigint" && limit >= V1_NO_LIMIT ? NO_LIMIT : limit,
  );
}

function v2Readings(directory: string, stat: string | NotMeasured): Reading[] {
  return memorySet(
    sum(keyedNumber(stat, "memory.stat", "anon"), keyedNumber(stat, "memory.stat", "file_mapped")),
    workingSet(readNumber(directory, "memory.current"), keyedNumber(stat, "memory.stat", "inactive_file")),
    readNumber(directory, "memory.peak"),
    readNumber(directory, "memory.swap.current"),
    readNumber(directory, "memory.max"),
  );
}

type Measured = bigint | NotMeasured;

function memorySet(resident: Measured, working: Measured, peak: Measured, swap: Measured, cap: Measured): Reading[] {
  return [
    reading("memory_resident", resident),
    reading("memory_working_set", working),
    reading("memory_peak", peak),
    reading("swap_used", swap),
    reading("memory_resident_cap", cap),
  ];
}

function sum(a: Measured, b: Measured): Measured {
  if (a instanceof NotMeasured) return a;
  return b instanceof NotMeasured ? b : a + b;
}

/** The two are read moments apart, so the inactive part may be the larger one: then 0, never a wrap. */
function workingSet(usage: Measured, inactiveFile: Measured): Measured {
  if (usage instanceof NotMeasured) return usage;
  if (inactiveFile instanceof NotMeasured) return inactiveFile;
  return usage > inactiveFile ? usage - inactiveFile : 0n;
}
