import { NotMeasured, readNumber, reading } from "./cgroup-file.ts";
import type { GroupPlaces } from "./cgroup-tree.ts";
import type { Reading } from "./source.ts";

/** Tasks of a group and how many it may have. The kernel's pids controller counts threads, where illumos counts processes. */
export function pidsReadings(places: GroupPlaces, unifiedControllers: ReadonlySet<string>): Reading[] {
  const directory = places.pids ?? (unifiedControllers.has("pids") ? places.unified : undefined);
  if (directory === undefined) {
    const none = new NotMeasured(
      places.unified === undefined ? "the group is not in the pids hierarchy" : "the pids controller is not enabled for the group",
    );
    return [reading("processes", none), reading("processes_cap", none)];
  }
  return [reading("processes", readNumber(directory, "pids.current")), reading("processes_cap", readNumber(directory, "pids.max"))];
}
