import { isAbsent, NotMeasured, readNumber, reading } from "./cgroup-file.ts";
import type { ControllerCheck, GroupPlaces } from "./cgroup-tree.ts";
import type { Reading } from "./source.ts";

/** Tasks of a group and how many it may have. The kernel's pids controller counts threads, where illumos counts processes. */
export function pidsReadings(places: GroupPlaces, isEnabled: ControllerCheck): Reading[] {
  const directory = places.pids ?? places.unified;
  if (directory === undefined) return noReadings("the group is not in the pids hierarchy");
  const current = readNumber(directory, "pids.current");
  // The kernel's root group has the controller and no such file.
  if (places.pids === undefined && isAbsent(current) && !isEnabled("pids"))
    return noReadings("the pids controller is not enabled for the group");
  return [reading("processes", current), reading("processes_cap", readNumber(directory, "pids.max"))];
}

function noReadings(reason: string): Reading[] {
  const none = new NotMeasured(reason);
  return [reading("processes", none), reading("processes_cap", none)];
}
